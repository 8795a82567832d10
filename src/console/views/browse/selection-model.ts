// What is selected in a list, and which row the keyboard stands on. Ranges reach over
// rows that are not loaded yet; "all" means everything below the folder and needs none.
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { type Entry, keyOf, type RowList } from './list/row-list.ts';
import type { SelectedRow, Selection } from './selection.ts';

/** Longest range that is selected at once, rows; beyond it there is "all". */
export const RANGE_MAX = 10_000;

/** What is known of a folder: objects and bytes below it. */
export type FolderSize = { readonly objects: number; readonly bytes: number };
export type SizeOf = (prefix: string) => FolderSize | null;

export type SelectionModel = {
  readonly picked: ReadonlySignal<ReadonlyMap<string, SelectedRow>>;
  readonly isAll: ReadonlySignal<boolean>;
  /** The row that the keyboard stands on. */
  readonly current: ReadonlySignal<number>;
  readonly count: ReadonlySignal<number>;
  has(key: string): boolean;
  /** Puts the keyboard on a row; a range that is begun next begins there. */
  moveTo(index: number): void;
  /** Selects this row alone, and begins ranges there. */
  only(index: number): void;
  toggle(index: number): void;
  /** Selects from where the range began. False: it is too long. */
  extendTo(index: number, keepOthers?: boolean): Promise<boolean>;
  /** Selects what lies between two rows, as a lasso does. */
  span(first: number, end: number, others: ReadonlyMap<string, SelectedRow>): void;
  all(): void;
  clear(): void;
  /** Selects keys, as an address names them. */
  restore(keys: readonly string[]): void;
  selection(): Selection;
};

type Place = { readonly bucket: string; readonly prefix: string };

/** Makes the selection of a list; `place` and `list` are read when they are
 * needed, since a filter changes them. */
export function createSelection(
  place: () => Place,
  list: () => RowList,
  sizeOf: SizeOf,
): SelectionModel {
  const picked = signal<ReadonlyMap<string, SelectedRow>>(new Map());
  const isAll = signal(false);
  const current = signal(0);
  let anchor = 0;

  const pick = (rows: ReadonlyMap<string, SelectedRow>) => {
    isAll.value = false;
    picked.value = rows;
  };
  const rowOf = (entry: Entry): SelectedRow => toSelectedRow(entry, sizeOf);

  return {
    picked,
    isAll,
    current,
    count: computed(() => picked.value.size),
    has: (key) => isAll.value || picked.value.has(key),
    moveTo(index) {
      anchor = index;
      current.value = index;
    },
    only(index) {
      const entry = list().row(index);
      anchor = index;
      current.value = index;
      pick(entry === undefined ? new Map() : new Map([[keyOf(entry), rowOf(entry)]]));
    },
    toggle(index) {
      const entry = list().row(index);
      anchor = index;
      current.value = index;
      if (entry === undefined) return;
      const rows = new Map(isAll.value ? allRows(list(), rowOf) : picked.value);
      if (!rows.delete(keyOf(entry))) rows.set(keyOf(entry), rowOf(entry));
      pick(rows);
    },
    async extendTo(index, keepOthers = false) {
      const first = Math.min(anchor, index);
      const end = Math.max(anchor, index) + 1;
      current.value = index;
      if (end - first > RANGE_MAX) return false;
      const rows = await list().load(first, end);
      const others = keepOthers ? picked.value : [];
      pick(new Map([...others, ...rows.map((entry) => [keyOf(entry), rowOf(entry)] as const)]));
      return true;
    },
    span(first, end, others) {
      const rows = new Map(others);
      for (let index = first; index < Math.min(end, first + RANGE_MAX); index++) {
        const entry = list().row(index);
        if (entry !== undefined) rows.set(keyOf(entry), rowOf(entry));
      }
      pick(rows);
    },
    all() {
      if (list().count() === 0) return;
      if (list().isFiltered) {
        pick(allRows(list(), rowOf));
        return;
      }
      picked.value = new Map();
      isAll.value = true;
    },
    clear: () => pick(new Map()),
    restore: (keys) => {
      pick(new Map(keys.map((key) => [key, unknownRow(key, list(), rowOf)])));
    },
    selection: () => ({ ...place(), rows: withSizes(picked.value, sizeOf), isAll: isAll.value }),
  };
}

function toSelectedRow(entry: Entry, sizeOf: SizeOf): SelectedRow {
  if (entry.kind === 'object') {
    return { key: entry.key, isFolder: false, bytes: Number(entry.size), objects: 1 };
  }
  const size = sizeOf(entry.prefix);
  return {
    key: entry.prefix,
    isFolder: true,
    bytes: size?.bytes ?? null,
    objects: size?.objects ?? null,
  };
}

/** A row whose entry may not be loaded: an address names a key alone. */
function unknownRow(key: string, list: RowList, rowOf: (entry: Entry) => SelectedRow): SelectedRow {
  const entry = list.row(list.indexOfKey(key));
  if (entry !== undefined) return rowOf(entry);
  const isFolder = key.endsWith('/');
  return { key, isFolder, bytes: null, objects: isFolder ? null : 1 };
}

/** All rows of a list that is loaded whole; else none, since they can't be named. */
function allRows(list: RowList, rowOf: (entry: Entry) => SelectedRow) {
  const rows = new Map<string, SelectedRow>();
  if (!list.isWhole()) return rows;
  for (let index = 0; index < list.count(); index++) {
    const entry = list.row(index);
    if (entry !== undefined) rows.set(keyOf(entry), rowOf(entry));
  }
  return rows;
}

/** Sizes of folders arrive after they were selected. */
const withSizes = (rows: ReadonlyMap<string, SelectedRow>, sizeOf: SizeOf): SelectedRow[] =>
  [...rows.values()].map((row) => {
    const size = row.isFolder ? sizeOf(row.key) : null;
    return size === null ? row : { ...row, bytes: size.bytes, objects: size.objects };
  });
