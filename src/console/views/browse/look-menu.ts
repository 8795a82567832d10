// The menu of how a folder is shown: its kind of rows, their order, columns and height.
import { GalleryVertical, LayoutGrid, Map as MapIcon, Rows3 } from 'lucide';
import { density } from '../../app/preferences.ts';
import { query, setQuery } from '../../app/router.ts';
import { t } from '../../i18n/i18n.ts';
import type { MenuItem } from '../../ui/menu.tsx';
import { SORTS, writeOrder } from './folder-address.ts';
import { COLUMNS, type ColumnId, changeLayout } from './layout.ts';
import { showAs } from './show-folder.ts';
import type { FolderModel } from './use-folder.ts';

export function lookMenu(folder: FolderModel): readonly MenuItem[] {
  const { view, place } = folder;
  const texts = t().browse;
  const icons = { list: Rows3, grid: LayoutGrid, gallery: GalleryVertical };
  const { columns } = folder.layout;
  const views = (['list', 'grid', 'gallery'] as const).map((kind) => ({
    label: texts.views[kind],
    icon: icons[kind],
    isChecked: kind === view,
    run: () => showAs(place, kind),
  }));
  const toggle = (column: ColumnId) =>
    columns.includes(column) ? columns.filter((one) => one !== column) : [...columns, column];
  const shown = COLUMNS.map((column) => ({
    label: texts.column(column === 'readers' ? texts.readBy : texts[column]),
    isChecked: columns.includes(column),
    run: () => changeLayout(place, { columns: toggle(column) }),
  }));
  const sorts = SORTS.map((sort) => ({
    label: texts.sortBy(texts[sort]),
    isChecked: folder.order.sort === sort,
    run: () => writeOrder({ sort, isDescending: sort === 'size' || sort === 'modified' }),
  }));
  const isDense = density.value === 'dense';
  return [
    ...views,
    'rule',
    ...sorts,
    'rule',
    ...(view === 'list' ? [...shown, 'rule' as const] : []),
    {
      label: `${t().shell.density}: ${t().shell.densities.dense}`,
      isChecked: isDense,
      run: () => {
        density.value = isDense ? 'comfortable' : 'dense';
      },
    },
    {
      label: texts.map,
      icon: MapIcon,
      isChecked: query.value.get('panel') === 'map',
      run: () => setQuery({ panel: query.value.get('panel') === 'map' ? null : 'map' }),
    },
  ];
}
