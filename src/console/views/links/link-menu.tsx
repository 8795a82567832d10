// What can be done with a link of either kind: its menu, and the dialogs behind it.
import { Copy, ExternalLink, Link2Off, Pencil, RotateCcw, Trash2 } from 'lucide';
import type { DropLink, ShareLink } from 'quayside/client';
import { errorLine } from '../../api/describe-error.ts';
import { invalidate } from '../../api/query.ts';
import { withPart } from '../../app/lazy.tsx';
import { may } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { copyText } from '../../ui/copy.ts';
import { ActDialog } from '../../ui/dialog.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { PlainWords } from '../../ui/small.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useAct } from '../change/use-act.ts';
import { changeDrop, deleteDrop } from './drop-calls.ts';
import { changeLink, deleteLink } from './link-calls.ts';
import { dropName, targetName } from './link-names.ts';

/** A link with the bucket that has it. */
export type BucketLink = { readonly bucket: string; readonly link: ShareLink };
export type BucketDrop = { readonly bucket: string; readonly link: DropLink };

/** What differs between the kinds of links. */
type Acts = {
  readonly name: string;
  readonly url: string;
  readonly isRevoked: boolean;
  readonly words: Readonly<Record<'off' | 'on' | 'isOff' | 'isOn' | 'delete', string>>;
  readonly change: () => void;
  readonly setRevoked: (isRevoked: boolean) => Promise<unknown>;
  readonly remove: () => Promise<void>;
};

function shareActs({ bucket, link }: BucketLink): Acts {
  const texts = t().links;
  return {
    name: targetName(link.target, texts),
    url: link.url,
    isRevoked: link.revokedAt !== null,
    words: {
      off: texts.revoke,
      on: texts.revive,
      isOff: texts.revoked,
      isOn: texts.revived,
      delete: texts.deleteWords,
    },
    change: () =>
      withPart(
        () => import('./share.tsx'),
        (part) => part.openShareForm(bucket, link),
      ),
    setRevoked: (isRevoked) => changeLink(bucket, link.id, { isRevoked }, '*'),
    remove: () => deleteLink(bucket, link.id),
  };
}

function dropActs({ bucket, link }: BucketDrop): Acts {
  const texts = t().links.drop;
  return {
    name: dropName(bucket, link),
    url: link.url,
    isRevoked: link.revokedAt !== null,
    words: {
      off: texts.turnOff,
      on: texts.turnOn,
      isOff: texts.isOff,
      isOn: texts.isOn,
      delete: texts.deleteWords,
    },
    change: () => askForFiles(bucket, link),
    setRevoked: (isRevoked) => changeDrop(bucket, link.id, { isRevoked }, '*'),
    remove: () => deleteDrop(bucket, link.id),
  };
}

/** Opens the form of a drop link, or of a new one; without a bucket it asks for one. */
export const askForFiles = (bucket: string | null, link: DropLink | null = null): void =>
  withPart(
    () => import('./drop.tsx'),
    (part) => part.openDropForm(bucket, link),
  );

/** `onDeleted`: where its page leads when it is gone. */
export const linkMenu = (link: BucketLink, onDeleted?: () => void): readonly MenuItem[] =>
  menuOf(shareActs(link), onDeleted);

/** `onDeleted`: where its page leads when it is gone. */
export const dropMenu = (link: BucketDrop, onDeleted?: () => void): readonly MenuItem[] =>
  menuOf(dropActs(link), onDeleted);

function menuOf(acts: Acts, onDeleted: (() => void) | undefined): readonly MenuItem[] {
  const texts = t().links;
  const { url, isRevoked, words, change } = acts;
  const items: MenuItem[] = [
    { label: texts.copy, icon: Copy, run: () => void copyText(url, texts.copied) },
    { label: texts.open, icon: ExternalLink, run: () => void open(url, '_blank', 'noopener') },
  ];
  if (!may('links:write')) return items;
  return [
    ...items,
    { label: texts.change, icon: Pencil, run: change },
    {
      label: isRevoked ? words.on : words.off,
      icon: isRevoked ? RotateCcw : Link2Off,
      run: () => void setRevoked(acts, !isRevoked),
    },
    'rule',
    {
      label: t().browse.delete,
      icon: Trash2,
      isDanger: true,
      run: () =>
        openDialog((close) => <DeleteLink acts={acts} onClose={close} onDeleted={onDeleted} />),
    },
  ];
}

/** Stops a drop link at once, or lets it take files again. */
export const switchDrop = (row: BucketDrop): Promise<void> =>
  setRevoked(dropActs(row), row.link.revokedAt === null);

/** Revokes a link, which can be taken back, or opens it again. */
async function setRevoked(acts: Acts, isRevoked: boolean): Promise<void> {
  const { words } = acts;
  try {
    await acts.setRevoked(isRevoked);
    showToast({
      text: isRevoked ? words.isOff : words.isOn,
      ...(isRevoked ? { undo: () => void setRevoked(acts, false) } : {}),
    });
  } catch (error) {
    showToast({ text: errorLine(error) });
  }
  invalidate('links');
}

type DeleteProps = {
  readonly acts: Acts;
  readonly onClose: () => void;
  readonly onDeleted: (() => void) | undefined;
};

function DeleteLink({ acts, onClose, onDeleted }: DeleteProps) {
  const texts = t().links;
  const act = useAct(onClose, onDeleted);
  return (
    <ActDialog
      title={`${texts.deleteTitle}: ${acts.name}`}
      onClose={onClose}
      onSubmit={() =>
        act.run(async () => {
          await acts.remove();
          invalidate('links');
        })
      }
      kind="danger"
      icon={Trash2}
      act={act}
      label={t().browse.delete}
    >
      <PlainWords tone="lose">{acts.words.delete}</PlainWords>
    </ActDialog>
  );
}
