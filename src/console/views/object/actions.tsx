// What can be done with one object, as buttons, menu and keys: download, copy its
// URL, rename, delete.
import { Copy, Download, ExternalLink, GitCompare, Pencil, Trash2 } from 'lucide';
import type { ObjectDetail } from 'quayside/client';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { invalidate } from '../../api/query.ts';
import { type Command, useCommands } from '../../app/commands.ts';
import { lazy } from '../../app/lazy.tsx';
import { navigate, objectPath } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { copyText } from '../../ui/copy.ts';
import type { MenuItem } from '../../ui/menu.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import { nameOf } from '../browse/selection.ts';
import { contentHref } from '../viewers/bytes.ts';
import { folderOf } from './neighbours.ts';

const DeleteForGood = lazy(() => import('./delete-for-good.tsx'));
const Rename = lazy(() => import('../change/rename.tsx'));
const Compare = lazy(() => import('../compare/compare.tsx'));

export type ObjectActions = {
  readonly download: string;
  readonly copyUrl: () => void;
  readonly menu: () => readonly MenuItem[];
};

type Walk = {
  /** Where the page goes when the object is deleted; null: back to the folder. */
  readonly next: string | null;
  readonly onWalk: (to: string | null) => void;
  readonly onLeave: () => void;
};

/** Life of a copied URL of a private object, seconds: a day. */
const COPIED_LIFE_SECONDS = 86_400;

/** Registers the keys of an object and gives its actions to the inspector. */
export function useObjectActions(
  bucket: string,
  key: string,
  facts: ObjectDetail | null,
  walk: Walk,
): ObjectActions {
  const texts = t().object;
  const mayWrite = may('objects:write');
  const isLatest = facts?.isLatest ?? true;
  // A folder's own object goes where the folder goes.
  const mayRename = mayWrite && isLatest && !key.endsWith('/');
  const mayDelete = mayWrite && isLatest;
  const download = contentHref({ bucket, key, versionId: versionOf(facts) }, { isDownload: true });
  const copyUrl = () => void copyObjectUrl(bucket, key, facts);
  const rename = () => openRename(bucket, key, facts);
  const compare = () =>
    openDialog((close) => (
      <Compare left={null} right={{ bucket, key, versionId: versionOf(facts) }} onClose={close} />
    ));
  const remove = () => void deleteObject(bucket, key, walk);
  const commands: readonly Command[] = [
    {
      id: 'object.download',
      label: t().browse.download,
      icon: Download,
      keys: ['d'],
      run: () => location.assign(download),
    },
    { id: 'object.copy-url', label: t().browse.copyAs.url, icon: Copy, keys: ['c'], run: copyUrl },
    ...(mayRename
      ? [{ id: 'object.rename', label: t().change.rename, icon: Pencil, keys: ['F2'], run: rename }]
      : []),
    ...(mayDelete
      ? [
          {
            id: 'object.delete',
            label: t().browse.delete,
            icon: Trash2,
            keys: ['Delete'],
            run: remove,
          },
        ]
      : []),
  ];
  useCommands(commands);
  const menu = (): readonly MenuItem[] => [
    { label: texts.openInTab, icon: ExternalLink, run: () => openBytes(bucket, key, facts) },
    { label: t().viewers.compare.other, icon: GitCompare, run: compare },
    { label: texts.copyPath, icon: Copy, run: () => void copyText(`s3://${bucket}/${key}`) },
    ...(mayRename ? [{ label: t().change.rename, icon: Pencil, keys: 'F2', run: rename }] : []),
    ...(mayDelete
      ? ([
          'rule',
          { label: t().browse.delete, icon: Trash2, keys: 'Delete', isDanger: true, run: remove },
        ] as const)
      : []),
  ];
  return { download, copyUrl, menu };
}

/** Renames the object; the page goes with it, there and back. */
function openRename(bucket: string, key: string, facts: ObjectDetail | null): void {
  const row = { key, isFolder: false, bytes: Number(facts?.size ?? 0), objects: 1 };
  const selection = { bucket, prefix: folderOf(key), rows: [row], isAll: false };
  openDialog((close) => (
    <Rename
      selection={selection}
      onClose={close}
      onMoved={(to: string) => navigate(objectPath(bucket, to), { replace: true })}
    />
  ));
}

const versionOf = (facts: ObjectDetail | null): string | undefined =>
  facts === null || facts.isLatest ? undefined : facts.versionId;

function openBytes(bucket: string, key: string, facts: ObjectDetail | null): void {
  open(contentHref({ bucket, key, versionId: versionOf(facts) }), '_blank', 'noreferrer');
}

/** Copies the public address, or one that works for a day where there is none. */
async function copyObjectUrl(
  bucket: string,
  key: string,
  facts: ObjectDetail | null,
): Promise<void> {
  const texts = t().object;
  const publicUrl = facts?.isLatest === true ? facts.publicUrl : null;
  if (publicUrl !== null) {
    await copyText(publicUrl, texts.publicUrlCopied);
    return;
  }
  try {
    const { items } = await client.request('POST /buckets/{bucket}/presigned-urls', {
      path: { bucket },
      body: {
        requests: [{ operation: 'get', key, versionId: versionOf(facts) }],
        expiresSeconds: COPIED_LIFE_SECONDS,
      },
    });
    await copyText(items[0]?.url ?? '', texts.privateUrlCopied);
  } catch (error) {
    showToast({ text: errorLine(error) });
  }
}

/** Deletes at once what the trash keeps; what is gone for good is asked for first. */
async function deleteObject(bucket: string, key: string, walk: Walk): Promise<void> {
  try {
    const { versioning } = await client.request('GET /buckets/{bucket}', { path: { bucket } });
    if (versioning === 'enabled') {
      await deleteToTrash(bucket, key, walk);
      return;
    }
    openDialog((close) => (
      <DeleteForGood
        bucket={bucket}
        objectKey={key}
        onClose={close}
        onDeleted={() => leaveDeleted(bucket, key, walk)}
      />
    ));
  } catch (error) {
    showToast({ text: errorLine(error) });
  }
}

function leaveDeleted(bucket: string, key: string, { next, onWalk, onLeave }: Walk): void {
  invalidate(`folder ${bucket} ${folderOf(key)}`);
  invalidate(`object ${bucket} ${key} `);
  if (next === null) onLeave();
  else onWalk(next);
}

async function deleteToTrash(bucket: string, key: string, walk: Walk): Promise<void> {
  const { deleteMarkerId } = await client.request('DELETE /buckets/{bucket}/object', {
    path: { bucket },
    query: { key },
  });
  leaveDeleted(bucket, key, walk);
  const undo = async () => {
    try {
      await client.request('DELETE /buckets/{bucket}/object', {
        path: { bucket },
        query: { key, versionId: deleteMarkerId ?? undefined },
      });
      invalidate(`folder ${bucket} ${folderOf(key)}`);
      invalidate(`object ${bucket} ${key} `);
      navigate(objectPath(bucket, key));
    } catch (error) {
      showToast({ text: errorLine(error) });
    }
  };
  showToast({
    text: t().object.deleted(nameOf(key)),
    undo: deleteMarkerId === null ? undefined : () => void undo(),
  });
}
