// What can be done with a share link: its menu, and the dialogs behind it.
import { Copy, ExternalLink, Link2Off, Pencil, RotateCcw, Trash2 } from 'lucide';
import type { ShareLink } from 'quayside/client';
import { errorLine } from '../../api/describe-error.ts';
import { invalidate } from '../../api/query.ts';
import { may } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { copyText } from '../../ui/copy.ts';
import { CancelOr, Dialog } from '../../ui/dialog.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { InlineError, PlainWords } from '../../ui/small.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useAct } from '../change/use-act.ts';
import { changeLink, deleteLink } from './link-calls.ts';
import { ShareForm } from './share.tsx';
import { targetName } from './share-draft.ts';

/** A link with the bucket that has it. */
export type BucketLink = { readonly bucket: string; readonly link: ShareLink };

/** `onDeleted`: where its page leads when it is gone. */
export function linkMenu(
  { bucket, link }: BucketLink,
  onDeleted?: () => void,
): readonly MenuItem[] {
  const texts = t().links;
  const items: MenuItem[] = [
    { label: texts.copy, icon: Copy, run: () => void copyText(link.url, texts.copied) },
    { label: texts.open, icon: ExternalLink, run: () => void open(link.url, '_blank', 'noopener') },
  ];
  if (!may('links:write')) return items;
  return [
    ...items,
    {
      label: texts.change,
      icon: Pencil,
      run: () =>
        openDialog((close) => (
          <ShareForm bucket={bucket} target={link.target} link={link} onClose={close} />
        )),
    },
    link.revokedAt === null
      ? { label: texts.revoke, icon: Link2Off, run: () => void setRevoked(bucket, link, true) }
      : { label: texts.revive, icon: RotateCcw, run: () => void setRevoked(bucket, link, false) },
    'rule',
    {
      label: texts.delete,
      icon: Trash2,
      isDanger: true,
      run: () =>
        openDialog((close) => (
          <DeleteLink bucket={bucket} link={link} onClose={close} onDeleted={onDeleted} />
        )),
    },
  ];
}

/** Revokes a link, which can be taken back, or opens it again. */
async function setRevoked(bucket: string, link: ShareLink, isRevoked: boolean): Promise<void> {
  const texts = t().links;
  try {
    await changeLink(bucket, link.id, { isRevoked }, '*');
    showToast({
      text: isRevoked ? texts.revoked : texts.revived,
      ...(isRevoked ? { undo: () => void setRevoked(bucket, link, false) } : {}),
    });
  } catch (error) {
    showToast({ text: errorLine(error) });
  }
  invalidate('links');
}

type DeleteProps = BucketLink & {
  readonly onClose: () => void;
  readonly onDeleted: (() => void) | undefined;
};

function DeleteLink({ bucket, link, onClose, onDeleted }: DeleteProps) {
  const texts = t().links;
  const act = useAct(onClose, onDeleted);
  return (
    <Dialog
      title={`${texts.deleteTitle}: ${targetName(link.target, texts)}`}
      width={500}
      onClose={onClose}
      onSubmit={() =>
        act.run(async () => {
          await deleteLink(bucket, link.id);
          invalidate('links');
        })
      }
      actions={
        <CancelOr
          onCancel={onClose}
          focusesCancel
          kind="danger"
          icon={Trash2}
          type="submit"
          isBusy={act.isBusy}
          label={texts.delete}
        />
      }
    >
      <PlainWords tone="lose">{texts.deleteWords}</PlainWords>
      {act.error !== null && <InlineError text={act.error} />}
    </Dialog>
  );
}
