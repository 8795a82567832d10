// The dialog that makes a share link of what is selected, or changes one: what it
// lets whom do stands in words above its button.
import { Link } from 'lucide';
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
import { CancelOr, Dialog } from '../../ui/dialog.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { InlineError, PlainWords } from '../../ui/small.tsx';
import type { Selection } from '../browse/selection.ts';
import type { ChangeProps } from '../change/change-props.ts';
import { changeLink, createLink } from './link-calls.ts';
import {
  bodyOf,
  draftOf,
  endOf,
  errorsOf,
  KEYS_MAX,
  type Target,
  targetName,
  targetOf,
} from './share-draft.ts';
import { ShareFields } from './share-fields.tsx';

/** Where a link is shown with its recipients and counts. */
export const linkPath = (bucket: string, id: string): string =>
  `/links/${encodeURIComponent(bucket)}/${id}`;

/** The dialog of a selection; one that no link can have says so. */
export default function Share({ selection, onClose }: ChangeProps) {
  const texts = t().links;
  const target = targetOf(selection);
  if (target !== null)
    return <ShareForm bucket={selection.bucket} target={target} link={null} onClose={onClose} />;
  return (
    <Dialog
      title={texts.share}
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

type FormProps = {
  readonly bucket: string;
  readonly target: Target;
  /** The link that is changed; null: a new one. */
  readonly link: ShareLink | null;
  readonly onClose: () => void;
};

export function ShareForm({ bucket, target, link, onClose }: FormProps) {
  const texts = t().links;
  const [draft, setDraft] = useState(() => draftOf(link));
  const [made, setMade] = useState<ShareLink | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const currency = useOverview().data.value?.month?.currency ?? 'USD';
  const errors = errorsOf(draft, texts);
  const [wrong = null] = Object.values(errors);
  const name = targetName(target, texts);

  async function send(): Promise<void> {
    if (isBusy || wrong !== null) return;
    setBusy(true);
    setError(null);
    try {
      const body = bodyOf(draft, link);
      if (link !== null) {
        await changeLink(bucket, link.id, body, link);
        invalidate('links');
        return onClose();
      }
      const created = await createLink(bucket, { target, ...body });
      invalidate('links');
      setMade(created);
      await copyText(created.url, texts.copied);
    } catch (cause) {
      setError(errorLine(cause));
    }
    setBusy(false);
  }

  if (made !== null) return <Made bucket={bucket} link={made} onClose={onClose} />;
  const endsAt = endOf(draft);
  const hasPassword =
    draft.password !== '' || (link?.hasPassword === true && !draft.removesPassword);
  return (
    <Dialog
      title={link === null ? texts.shareTitle(name) : texts.changeTitle}
      width={580}
      isDirty={draft.password !== '' || draft.pageText !== (link?.page.text ?? '')}
      onClose={onClose}
      onSubmit={() => void send()}
      actions={
        <CancelOr
          onCancel={onClose}
          kind={link === null ? 'open' : 'primary'}
          icon={Link}
          type="submit"
          isBusy={isBusy}
          off={wrong}
          label={link === null ? texts.make : texts.save}
        />
      }
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
      {error !== null && <InlineError text={error} />}
    </Dialog>
  );
}

type MadeProps = {
  readonly bucket: string;
  readonly link: ShareLink;
  readonly onClose: () => void;
};

function Made({ bucket, link, onClose }: MadeProps) {
  const texts = t().links;
  return (
    <Dialog
      title={texts.made}
      width={580}
      onClose={onClose}
      actions={
        <>
          <a class="button quiet" href={href(linkPath(bucket, link.id))} onClick={onClose}>
            {texts.settings}
          </a>
          <span class="gap" />
          <Button kind="primary" label={t().shell.close} onClick={onClose} autofocus />
        </>
      }
    >
      <p>{texts.madeWords}</p>
      <CopyField label={texts.address} value={link.url} />
    </Dialog>
  );
}
