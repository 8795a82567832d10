// What can be done with a folder and its selection: one list, which the tool bar, the
// menus of rows, the keyboard and the palette show.
import {
  Copy,
  CopyPlus,
  Download,
  FilePen,
  FolderDown,
  FolderInput,
  FolderPlus,
  type IconNode,
  Link2,
  Pencil,
  Trash2,
  Upload,
  Users,
} from 'lucide';
import { errorLine } from '../../api/describe-error.ts';
import type { Command } from '../../app/commands.ts';
import { withPart } from '../../app/lazy.tsx';
import { navigate, objectPath, setQuery } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import type { MenuItem } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { Change } from '../change/open-change.tsx';
import { canSaveToFolder, download, downloadToFolder } from '../upload/download/downloads.ts';
import { openUpload } from '../upload/open-upload.tsx';
import { COPY_FORMATS, copyFormat } from './copy/copy-format.ts';
import type { CopyFormat } from './copy/copy-line.ts';
import { nameOf, type Selection } from './selection.ts';
import type { FolderModel } from './use-folder.ts';

export type Action = Command & {
  readonly icon: IconNode;
  /** Whether it is about rows, or about the folder. */
  readonly about: 'folder' | 'rows';
  readonly isDanger?: boolean;
};

const changes = () => import('../change/open-change.tsx');

/** Shows what failed where a toast is enough: it offers nothing to undo. */
export const sayError = (error: unknown): void => showToast({ text: errorLine(error) });

/** What is done now with the selection, or with the row that the keyboard stands on. */
export function chosen({ selection, list }: FolderModel): Selection {
  const selected = selection.selection();
  if (selected.isAll || selected.rows.length > 0) return selected;
  const entry = list.row(selection.current.value);
  if (entry === undefined) return selected;
  const isFolder = entry.kind === 'folder';
  const row = isFolder
    ? { key: entry.prefix, isFolder, bytes: null, objects: null }
    : { key: entry.key, isFolder, bytes: Number(entry.size), objects: 1 };
  return { ...selected, rows: [row] };
}

const hasRows = ({ rows, isAll }: Selection): boolean => isAll || rows.length > 0;

/** All actions that this member may take; those that can't be taken now say why. */
export function actionsOf(folder: FolderModel): readonly Action[] {
  const texts = t().browse;
  const selection = () => chosen(folder);
  const none = hasRows(selection()) ? undefined : texts.nothingSelected;
  const notOne =
    none ?? (selection().isAll || selection().rows.length !== 1 ? texts.onlyOne : undefined);
  // What is gone or has another name now is selected no more.
  const onDone = () => folder.selection.clear();
  const change = (
    name: Change,
    about: Action['about'],
    rest: Omit<Action, 'run' | 'about' | 'id'>,
    scope: Parameters<typeof may>[0] = 'objects:write',
  ) =>
    may(scope)
      ? [
          {
            id: `browse.${name}`,
            about,
            ...rest,
            run: () =>
              withPart(changes, ({ openChange }) =>
                openChange(name, (about === 'rows' ? selection : folder.selection.selection)(), {
                  onDone,
                }),
              ),
          },
        ]
      : [];
  return [
    ...uploadActions(folder),
    ...change('new-folder', 'folder', { label: texts.newFolder, keys: ['n'], icon: FolderPlus }),
    {
      id: 'browse.download',
      about: 'rows',
      label: texts.download,
      keys: ['d'],
      icon: Download,
      off: none,
      run: () => download(selection()),
    },
    {
      id: 'browse.download-to-folder',
      about: 'rows',
      label: texts.downloadToFolder,
      icon: FolderDown,
      off: none ?? (canSaveToFolder ? undefined : t().upload.noFolderAccess),
      run: () => downloadToFolder(selection()),
    },
    {
      id: 'browse.copy-as',
      about: 'rows',
      label: texts.copyAs[copyFormat.value],
      keys: ['c'],
      icon: Copy,
      off: none,
      run: () => copySelection(selection(), copyFormat.value),
    },
    ...change(
      'share',
      'rows',
      { label: texts.share, keys: ['l'], icon: Link2, off: none },
      'links:write',
    ),
    ...change('ask', 'folder', { label: texts.ask, keys: ['a'], icon: FolderInput }, 'links:write'),
    ...change('move', 'rows', { label: texts.move, keys: ['m'], icon: FolderInput, off: none }),
    ...change('rename', 'rows', { label: texts.rename, keys: ['F2'], icon: Pencil, off: none }),
    ...change('copy', 'rows', { label: texts.copyTo, icon: CopyPlus, off: none }),
    ...change('edit', 'rows', { label: texts.edit, icon: FilePen, off: none }),
    {
      id: 'browse.readers',
      about: 'rows',
      label: texts.whoCanRead,
      keys: ['r'],
      icon: Users,
      off: notOne,
      run: () => setQuery({ panel: 'readers' }),
    },
    ...change('delete', 'rows', {
      label: texts.delete,
      keys: ['Delete'],
      icon: Trash2,
      off: none,
      isDanger: true,
    }),
  ];
}

function uploadActions({ bucket, prefix }: FolderModel): readonly Action[] {
  if (!may('objects:write')) return [];
  return [
    {
      id: 'browse.upload',
      about: 'folder',
      label: t().browse.upload,
      // Its key is registered where drops are taken, so that it has one command alone.
      icon: Upload,
      run: () => openUpload(bucket, prefix),
    },
  ];
}

/** The menu of a row, or of what is selected. */
export function rowMenu(actions: readonly Action[], folder: FolderModel): readonly MenuItem[] {
  // Copying stands there in all its forms, below.
  const selected = chosen(folder);
  const [row, second] = selected.isAll ? [] : selected.rows;
  const isOne = row !== undefined && second === undefined;
  const rows = actions.filter(({ about, id }) =>
    about === 'rows' ? id !== 'browse.copy-as' : id === 'browse.ask' && isOne && row.isFolder,
  );
  const toItem = ({ label, icon, keys, off, isDanger, run }: Action): MenuItem => ({
    label,
    icon,
    off,
    run,
    ...(keys?.[0] === undefined ? {} : { keys: keys[0] }),
    ...(isDanger === undefined ? {} : { isDanger }),
  });
  const open = () => row && navigate(objectPath(selected.bucket, row.key));
  const items = rows.filter(({ isDanger }) => isDanger !== true).map(toItem);
  const last = rows.filter(({ isDanger }) => isDanger === true).map(toItem);
  const others = copyMenu(selected);
  return [
    // An object whose key ends in a slash would be taken for the folder of that name.
    ...(isOne && row.key.endsWith('/') === row.isFolder
      ? [{ label: t().browse.open, run: open }]
      : []),
    ...items,
    'rule',
    ...others,
    ...(last.length > 0 ? (['rule', ...last] as const) : []),
  ];
}

const copySelection = (selection: Selection, format: CopyFormat): void =>
  withPart(
    () => import('./copy/copy-as.ts'),
    (part) => part.copySelection(selection, format),
  );

/** The forms in which what is selected can be copied; the last choice is kept. */
export function copyMenu(selection: Selection): readonly MenuItem[] {
  return COPY_FORMATS.map((format) => ({
    label: t().browse.copyAs[format],
    isChecked: format === copyFormat.value,
    ...(format === copyFormat.value ? { keys: 'C' } : {}),
    run: () => {
      copyFormat.value = format;
      copySelection(selection, format);
    },
  }));
}

/** The name of what is selected, for titles: the one row, or how many. */
export function titleOf({ rows, isAll, prefix, bucket }: Selection): string {
  const [row] = rows;
  if (isAll) return prefix === '' ? bucket : nameOf(prefix);
  return row !== undefined && rows.length === 1
    ? nameOf(row.key)
    : t().browse.selected(rows.length, `${rows.length}`);
}
