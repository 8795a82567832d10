// Two people saved one text: yours, theirs, and where both began, with what differs,
// and three ways on. Nothing is written before one is chosen.
import { ArrowLeft } from 'lucide';
import { useState } from 'preact/hooks';
import type { ObjectDetail } from 'quayside/client';
import { QuaysideError } from '../../../api/client.ts';
import { errorLine } from '../../../api/describe-error.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { InlineError } from '../../../ui/small.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { nameOf } from '../../browse/selection.ts';
import { mergeTexts } from '../diff.ts';
import DiffView from '../diff-view.tsx';
import { ViewerFrame } from '../frame.tsx';
import { type LineEnd, withLineEnds } from './line-ends.ts';
import { readCurrent } from './read-current.ts';
import { saveText } from './save-text.ts';

/** What somebody else saved; without a detail: it was deleted. */
export type Theirs = { readonly detail: ObjectDetail | null; readonly text: string };

type ClashProps = {
  readonly bucket: string;
  readonly objectKey: string;
  readonly base: string;
  readonly yours: string;
  readonly theirs: Theirs;
  readonly lineEnd: LineEnd;
  /** Headers, metadata and tags for an object that was deleted meanwhile. */
  readonly described: ObjectDetail;
  readonly onBack: () => void;
  readonly onOverwritten: (etag: string, described: ObjectDetail) => void;
  readonly onMerged: (text: string, words: string) => void;
  readonly onKeptBoth: () => void;
};

type Shown = 'theirs' | 'yours' | 'both';

/** Names that are tried before keeping both is given up. */
const NAMES_MAX = 50;

/** `notes (2).txt` of `notes.txt`. */
function numbered(key: string, number: number): string {
  const slash = key.lastIndexOf('/');
  const dot = key.lastIndexOf('.');
  const end = dot > slash + 1 ? dot : key.length;
  return `${key.slice(0, end)} (${number})${key.slice(end)}`;
}

export function Clash(props: ClashProps) {
  const { bucket, objectKey: key, base, yours, described, onBack } = props;
  const written = withLineEnds(yours, props.lineEnd);
  const texts = t().viewers.edit;
  const [theirs, setTheirs] = useState(props.theirs);
  const [shown, setShown] = useState<Shown>('both');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { detail } = theirs;

  async function run(act: () => Promise<void>): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await act();
    } catch (cause) {
      // A third save came between: theirs is shown as it is now.
      if (cause instanceof QuaysideError && cause.status === 412) {
        setTheirs(await readCurrent(bucket, key).catch(() => theirs));
      }
      setError(cause);
    }
    setBusy(false);
  }
  const overwrite = () =>
    run(async () => {
      const guard = detail === null ? { ifNoneMatch: '*' as const } : { ifMatch: detail.etag };
      const from = detail ?? described;
      props.onOverwritten(await saveText(bucket, key, written, from, guard), from);
    });
  const keepBoth = () =>
    run(async () => {
      const name = await saveBeside(bucket, key, written, detail ?? described);
      showToast({ text: texts.keptBoth(nameOf(name)) });
      props.onKeptBoth();
    });
  const merge = () => {
    const names = { yours: texts.yours, theirs: texts.theirs };
    const { text, conflicts } = mergeTexts(base, yours, theirs.text, names);
    props.onMerged(text, conflicts === 0 ? texts.merged : texts.mergedWithConflicts(conflicts));
  };
  const views: readonly {
    readonly id: Shown;
    readonly label: string;
    readonly texts: [string, string];
  }[] = [
    { id: 'both', label: `${texts.theirs} → ${texts.yours}`, texts: [theirs.text, yours] },
    { id: 'yours', label: `${texts.base} → ${texts.yours}`, texts: [base, yours] },
    { id: 'theirs', label: `${texts.base} → ${texts.theirs}`, texts: [base, theirs.text] },
  ];
  const view = views.find(({ id }) => id === shown) ?? views[0];
  return (
    <ViewerFrame
      compact={false}
      tools={<Button icon={ArrowLeft} label={t().shell.keepEditing} onClick={onBack} />}
    >
      <div class="clash" role="alert">
        <b>{detail === null ? texts.gone : texts.clash}</b>
        <p>{texts.clashWords}</p>
        <div class="clash-actions">
          {detail !== null && (
            <Button kind="primary" label={texts.merge} isBusy={isBusy} onClick={merge} />
          )}
          <Button
            kind="secondary"
            label={texts.keepBoth}
            isBusy={isBusy}
            onClick={() => void keepBoth()}
          />
          <Button
            kind="secondary"
            label={texts.overwrite}
            isBusy={isBusy}
            onClick={() => void overwrite()}
          />
        </div>
        <p class="hint">{texts.mergeHint}</p>
        {error !== null && <InlineError text={errorLine(error)} />}
      </div>
      <div class="segments clash-views">
        {views.map(({ id, label }) => (
          <Button key={id} label={label} pressed={id === shown} onClick={() => setShown(id)} />
        ))}
      </div>
      {view !== undefined && (
        <DiffView before={view.texts[0]} after={view.texts[1]} label={view.label} />
      )}
    </ViewerFrame>
  );
}

/** Saves under the first numbered name that is free. Resolves with it. */
async function saveBeside(
  bucket: string,
  key: string,
  text: string,
  described: ObjectDetail,
): Promise<string> {
  for (let number = 2; number <= NAMES_MAX; number++) {
    const name = numbered(key, number);
    try {
      await saveText(bucket, name, text, described, { ifNoneMatch: '*' });
      return name;
    } catch (error) {
      if (!(error instanceof QuaysideError && error.status === 412)) throw error;
    }
  }
  throw new QuaysideError('NameTaken', t().object.nameTaken(nameOf(key)));
}
