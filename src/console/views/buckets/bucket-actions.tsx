// What can be done with a bucket as a whole, as a menu: of the list and of its page.
import { Copy, FolderInput, Globe, Lock, Settings2, SquareArrowOutUpRight, Trash2 } from 'lucide';
import { lazy } from '../../app/lazy.tsx';
import { navigate, objectPath } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { copyText } from '../../ui/copy.ts';
import type { MenuItem } from '../../ui/menu.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { openMenu } from '../../ui/open-menu.tsx';
import { makePrivate } from '../access/make-private.ts';
import type { ListedBucket } from './bucket-list.ts';

const MakePublic = lazy(() => import('../access/make-public.tsx'));
const Ask = lazy(() => import('../links/drop.tsx'));
const EmptyBucket = lazy(() => import('./empty-bucket.tsx'));
const DeleteBucket = lazy(() => import('./delete-bucket.tsx'));

export const openBucket = ({ name }: Pick<ListedBucket, 'name'>): void =>
  navigate(objectPath(name, ''));

/** The address of a section of a bucket's settings. */
export const settingsPath = (bucket: string, section: string | null = null): string =>
  `/b/${encodeURIComponent(bucket)}${section === null ? '' : `?settings=${section}`}`;

export const openMakePublic = (bucket: string, prefix = ''): void =>
  openDialog((close) => <MakePublic bucket={bucket} prefix={prefix} onClose={close} />);
const openAsk = (bucket: string): void => {
  const selection = { bucket, prefix: '', rows: [], isAll: false };
  openDialog((close) => <Ask selection={selection} onClose={close} />);
};
export const openEmpty = (bucket: string): void =>
  openDialog((close) => <EmptyBucket bucket={bucket} onClose={close} />);
export const openDelete = (bucket: string): void =>
  openDialog((close) => <DeleteBucket bucket={bucket} onClose={close} />);

export function openBucketMenu(event: Event, { name, totals }: ListedBucket): void {
  const texts = t().buckets;
  const off = may('buckets:write') ? undefined : texts.mayNot;
  const isPublic = totals?.publicAccess === 'read';
  const access: MenuItem = isPublic
    ? { label: texts.makePrivate, icon: Lock, off, run: () => void makePrivate(name, '') }
    : { label: texts.makePublic, icon: Globe, off, run: () => openMakePublic(name) };
  openMenu(event, texts.more(name), [
    { label: t().browse.open, icon: SquareArrowOutUpRight, run: () => openBucket({ name }) },
    { label: t().shell.settings, icon: Settings2, run: () => navigate(settingsPath(name)) },
    { label: t().browse.copyAs.s3, icon: Copy, run: () => void copyText(`s3://${name}/`) },
    access,
    ...(may('links:write')
      ? [{ label: t().browse.ask, icon: FolderInput, run: () => openAsk(name) }]
      : []),
    'rule',
    { label: texts.empty, icon: Trash2, isDanger: true, off, run: () => openEmpty(name) },
    { label: texts.delete, icon: Trash2, isDanger: true, off, run: () => openDelete(name) },
  ]);
}
