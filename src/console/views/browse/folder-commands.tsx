// Commands of a folder beside its actions: where the keyboard goes, what is shown, how
// files come in. They are loaded beside the first rows.
import {
  ArrowUp,
  Columns3,
  CornerDownRight,
  Eye,
  LayoutGrid,
  ListFilter,
  Map as MapIcon,
  PanelRight,
  Pin,
  RefreshCw,
  Search,
  SquareCheck,
} from 'lucide';
import { useState } from 'preact/hooks';
import { type Command, useCommands } from '../../app/commands.ts';
import { isPinned } from '../../app/pinned.ts';
import { navigate, objectPath, query, setQuery } from '../../app/router.ts';
import { t } from '../../i18n/i18n.ts';
import { uploadCommands } from '../upload/upload-commands.ts';
import type { ViewKind } from './folder-address.ts';
import { JumpField } from './jump-field.tsx';
import type { Entry } from './list/row-list.ts';
import { editPath } from './path/path-field.tsx';
import { nameOf } from './selection.ts';
import { showAs, toggleInspector, togglePin } from './show-folder.ts';
import type { FolderModel } from './use-folder.ts';
import { openFilter } from './use-search.ts';

type Shown = {
  readonly look: () => void;
  readonly open: (entry: Entry) => void;
};

/** Goes to the folder above, with this one selected; from a bucket to all of them. */
function goUp(bucket: string, prefix: string): void {
  if (prefix === '') {
    navigate('/buckets');
    return;
  }
  const name = nameOf(prefix);
  const above = objectPath(bucket, prefix.slice(0, prefix.length - name.length));
  const sel = encodeURIComponent(name.replaceAll('%', '%25').replaceAll(',', '%2C'));
  navigate(`${above}${above.includes('?') ? '&' : '?'}sel=${sel}`);
}

type CommandsProps = { readonly folder: FolderModel; readonly shown: Shown };

/** Registers the commands, and shows the field that one of them opens. */
export default function FolderCommands({ folder, shown }: CommandsProps) {
  const [isJumping, setJumping] = useState(false);
  const jump = () => setJumping(true);
  useCommands(uploadCommands(folder.bucket, folder.prefix));
  useCommands([...rowCommands(folder, shown), ...placeCommands(folder, jump)]);
  return isJumping ? <JumpField folder={folder} onClose={() => setJumping(false)} /> : null;
}

/** Whether nothing has the focus but the page, or the view as a whole. */
const isNowhere = (): boolean => {
  const { activeElement } = document;
  return activeElement === document.body || activeElement?.id === 'main';
};

/** Where the keyboard goes, and what it selects. */
function rowCommands(folder: FolderModel, shown: Shown): readonly Command[] {
  const texts = t().browse;
  const { bucket, prefix, selection, list, grid } = folder;
  return [
    {
      id: 'browse.open',
      label: texts.open,
      keys: ['Enter'],
      icon: CornerDownRight,
      run: () => {
        const entry = list.row(selection.current.value);
        if (entry !== undefined) shown.open(entry);
      },
    },
    {
      id: 'browse.up',
      label: texts.up,
      keys: ['Backspace', 'Mod+ArrowUp'],
      icon: ArrowUp,
      run: () => goUp(bucket, prefix),
    },
    {
      id: 'browse.rows',
      label: texts.toRows,
      // Where something has the focus, arrows are its own.
      get keys() {
        return isNowhere() ? ['ArrowDown'] : [];
      },
      icon: Columns3,
      run: () => grid.current?.focus(),
    },
    {
      id: 'browse.select',
      label: texts.select,
      keys: ['x'],
      icon: SquareCheck,
      run: () => selection.toggle(selection.current.value),
    },
    {
      id: 'browse.select-all',
      label: texts.selectAll,
      // Rows have this key themselves.
      get keys() {
        return isNowhere() ? ['Mod+a'] : [];
      },
      icon: SquareCheck,
      run: selection.all,
    },
    {
      id: 'browse.clear',
      label: texts.clearSelection,
      // An open menu takes Esc first.
      get keys() {
        return document.querySelector('.menu:popover-open') === null ? ['Escape'] : [];
      },
      run: selection.clear,
    },
    { id: 'browse.look', label: texts.quickLook, keys: [' '], icon: Eye, run: shown.look },
    {
      id: 'browse.inspector',
      label: texts.inspector,
      keys: ['i'],
      icon: PanelRight,
      run: toggleInspector,
    },
  ];
}

/** What is shown of the place, and how. */
function placeCommands(folder: FolderModel, jump: () => void): readonly Command[] {
  const texts = t().browse;
  const { bucket, prefix, place, view } = folder;
  const nextView: ViewKind = view === 'list' ? 'grid' : view === 'grid' ? 'gallery' : 'list';
  return [
    {
      id: 'browse.filter',
      label: texts.filter,
      keys: ['/'],
      icon: ListFilter,
      run: () => openFilter(false),
    },
    {
      id: 'browse.search',
      label: texts.searchBucket(bucket),
      icon: Search,
      run: () => openFilter(true),
    },
    { id: 'browse.jump', label: texts.jump, keys: ["'"], run: jump },
    { id: 'browse.path', label: texts.editPath, keys: ['p'], run: editPath },
    {
      id: 'browse.view',
      label: texts.showAs(texts.views[nextView]),
      keys: ['v'],
      icon: LayoutGrid,
      run: () => showAs(place, nextView),
    },
    {
      id: 'browse.map',
      label: texts.map,
      icon: MapIcon,
      run: () => setQuery({ panel: query.value.get('panel') === 'map' ? null : 'map' }),
    },
    {
      id: 'browse.pin',
      label: isPinned(objectPath(bucket, prefix)) ? texts.unpin : texts.pin,
      icon: Pin,
      run: () => togglePin(folder),
    },
    { id: 'browse.reload', label: texts.reload, icon: RefreshCw, run: folder.reload },
  ];
}
