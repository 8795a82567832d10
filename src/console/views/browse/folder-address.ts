// The state of a folder's view in its address: order, view, filter, selection, top
// row. What is too long for an address is kept with the entry of the history.
import { historyState, keepInHistory, query, setQuery } from '../../app/router.ts';
import type { SortBy } from './list/row-source.ts';

export type ViewKind = 'list' | 'grid' | 'gallery';
export type Order = { readonly sort: SortBy; readonly isDescending: boolean };

/** Keys that an address names at most. */
const SELECTED_MAX = 50;
/** Longest list of keys in an address, characters; proxies refuse lines above 8 kB. */
const SELECTED_LENGTH_MAX = 4000;

export const SORTS: readonly SortBy[] = ['name', 'size', 'modified', 'type'];
const VIEWS: readonly ViewKind[] = ['list', 'grid', 'gallery'];

/** Changes the address in place; what is kept with the entry stays. */
export const changeAddress = (changes: Readonly<Record<string, string | null>>): void =>
  setQuery(changes, { replace: true, state: historyState() });

export function readOrder(): Order {
  const text = query.value.get('sort') ?? 'name';
  const isDescending = text.startsWith('-');
  const name = isDescending ? text.slice(1) : text;
  return { sort: SORTS.find((sort) => sort === name) ?? 'name', isDescending };
}

export const writeOrder = ({ sort, isDescending }: Order): void => {
  const text = `${isDescending ? '-' : ''}${sort}`;
  changeAddress({ sort: text === 'name' ? null : text, at: null });
};

/** The view that the address names; null: the folder's own. */
export const readView = (): ViewKind | null =>
  VIEWS.find((view) => view === query.value.get('view')) ?? null;

/** Keys are separated by commas; a comma of a key is written %2C, as is its %. */
const encodeKey = (key: string): string => key.replaceAll('%', '%25').replaceAll(',', '%2C');
const decodeKey = (text: string): string => text.replaceAll('%2C', ',').replaceAll('%25', '%');

export function readSelected(prefix: string): readonly string[] {
  const kept = historyState().selected;
  if (Array.isArray(kept)) return kept.filter((key) => typeof key === 'string');
  const names = query.value.get('sel')?.split(',').slice(0, SELECTED_MAX) ?? [];
  return names.map((name) => prefix + decodeKey(name));
}

/** Notes what is selected: in the address, or beside it where it is too much. */
export function writeSelected(prefix: string, keys: readonly string[]): void {
  const names = keys.map((key) => encodeKey(key.slice(prefix.length))).join(',');
  const fits = keys.length <= SELECTED_MAX && names.length <= SELECTED_LENGTH_MAX;
  keepInHistory({ selected: fits ? undefined : keys });
  const text = fits && keys.length > 0 ? names : null;
  if (query.value.get('sel') !== text) changeAddress({ sel: text });
}
