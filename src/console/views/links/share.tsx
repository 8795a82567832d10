// The dialog that makes a share link of what is selected, or changes one: what it
// lets whom do stands in words above its button.
import { Link } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ShareLink } from 'quayside/client';
import { errorLine } from '../../api/describe-error.ts';
import { invalidate } from '../../api/query.ts';
import { useOverview } from '../../app/overview.ts';
import { href } from '../../app/router.ts';
import { endTime } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { ActDialog, Dialog } from '../../ui/dialog.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { PlainWords } from '../../ui/small.tsx';
import type { Selection } from '../browse/selection.ts';
import type { ChangeProps } from '../change/change-props.ts';
import { changeLink, createLink } from './link-calls.ts';
import { linkPath, targetName } from './link-names.ts';
import {
  bodyOf,
  draftOf,
  endOf,
  errorsOf,
  KEYS_MAX,
  type Target,
  targetOf,
} from './share-draft.ts';
import { ShareFields } from './share-fields.tsx';

/** The dialog of a selection; one that no link can have says so. */
export default function Share({ selection, onClose }: ChangeProps) {
  const texts = t().links;
  const target = targetOf(selection);
  if (target !== null)
    return <ShareForm bucket={selection.bucket} target={target} link={null} onClose={onClose} />;
  return (
    <Dialog
      title={t().browse.share}
      width={480}
      onClose={onClose}
      actions={<Button kind="secondary" label={t().shell.close} onClick={onClose} autofocus />}
    >
      <p>{texts.notThese(KEYS_MAX)}</p>
    </Dialog>
  );
}

/** Opens the dialog of one object or folder. */
export function openShare(selection: Selection): void {
  openDialog((close) => <Share selection={selection} onClose={close} />);
}

/** Opens the dialog that changes a link. */
export function openShareForm(bucket: string, link: ShareLink): void {
  openDialog((close) => (
    <ShareForm bucket={bucket} target={link.target} link={link} onClose={close} />
  ));
}

type FormProps = {
  readonly bucket: string;
  readonly target: Target;
  /** The link that is changed; null: a new one. */
  readonly link: ShareLink | null;
  readonly onClose: () => void;
};

function ShareForm({ bucket, target, link, onClose }: FormProps) {
  const texts = t().links;
  const [draft, setDraft] = useState(() => draftOf(link));
  const currency = useOverview().data.value?.month?.currency ?? 'USD';
  const errors = errorsOf(draft, texts);
  const [wrong = null] = Object.values(errors);
  const name = targetName(target, texts);

  async function send(): Promise<ShareLink | null> {
    const body = bodyOf(draft, link);
    if (link === null) return createLink(bucket, { target, ...body });
    await changeLink(bucket, link.id, body, link);
    return null;
  }

  const endsAt = endOf(draft);
  const hasPassword =
    draft.password !== '' || (link?.hasPassword === true && !draft.removesPassword);
  return (
    <FormDialog
      title={link === null ? texts.shareTitle(name) : texts.changeTitle}
      isDirty={draft.password !== '' || draft.pageText !== (link?.page.text ?? '')}
      isNew={link === null}
      wrong={wrong}
      send={send}
      words={texts.madeWords}
      more={texts.settings}
      pathOf={({ id }) => linkPath(bucket, id)}
      onClose={onClose}
    >
      <ShareFields
        draft={draft}
        errors={errors}
        target={target}
        link={link}
        currency={currency}
        onChange={setDraft}
      />
      <PlainWords tone="open">
        {texts.effect(name, endsAt === null ? texts.always : texts.until(endTime(endsAt)))}
        {hasPassword && ` ${texts.withPassword}`}
      </PlainWords>
    </FormDialog>
  );
}

type MadeLink = { readonly id: string; readonly url: string };
type FormDialogProps = {
  readonly title: string;
  readonly isDirty: boolean;
  /** Whether a link is made, not changed. */
  readonly isNew: boolean;
  /** What must be mended first. */
  readonly wrong: string | null;
  /** Makes the link, or changes one, which gives null. */
  readonly send: () => Promise<MadeLink | null>;
  /** What a link that was made is good for. */
  readonly words: string;
  /** What its own page shows, and where that is. */
  readonly more: string;
  readonly pathOf: (made: MadeLink) => string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

/** The form of a link of either kind, and then the link that it made. */
export function FormDialog(props: FormDialogProps) {
  const { title, isDirty, isNew, wrong, words, more, onClose, children } = props;
  const texts = t().links;
  const [made, setMade] = useState<MadeLink | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  async function send(): Promise<void> {
    if (isBusy || wrong !== null) return;
    setBusy(true);
    setError(null);
    try {
      const created = await props.send();
      invalidate('links');
      if (created === null) return onClose();
      setMade(created);
      await copyText(created.url, texts.copied);
    } catch (cause) {
      setError(errorLine(cause));
    }
    setBusy(false);
  }

  if (made !== null)
    return (
      <Made url={made.url} words={words} more={more} to={props.pathOf(made)} onClose={onClose} />
    );
  return (
    <ActDialog
      title={title}
      width={580}
      isDirty={isDirty}
      onClose={onClose}
      onSubmit={() => void send()}
      kind={isNew ? 'open' : 'primary'}
      icon={Link}
      act={{ isBusy, error }}
      off={wrong}
      label={isNew ? texts.make : t().shell.save}
    >
      {children}
    </ActDialog>
  );
}

type MadeProps = Pick<FormDialogProps, 'words' | 'more' | 'onClose'> & {
  readonly url: string;
  readonly to: string;
};

/** The link of either kind that was just made. */
function Made({ url, words, more, to, onClose }: MadeProps) {
  const texts = t().links;
  return (
    <Dialog
      title={texts.made}
      width={580}
      onClose={onClose}
      actions={
        <>
          <a class="button quiet" href={href(to)} onClick={onClose}>
            {more}
          </a>
          <span class="gap" />
          <Button kind="primary" label={t().shell.close} onClick={onClose} autofocus />
        </>
      }
    >
      <p>{words}</p>
      <CopyField label={texts.address} value={url} />
    </Dialog>
  );
}
