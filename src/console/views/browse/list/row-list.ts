// What a list shows: rows by their position, some of them not loaded yet. The folder,
// its filter and the search of a bucket are such lists.
import type { ReadonlySignal } from '@preact/signals';
import type { Answer } from 'quayside/client';

/** A folder, or an object, as the API lists it. */
export type Entry = Answer<'GET /buckets/{bucket}/objects'>['items'][number];

export type RowList = {
  /** Changes when a row, the count or the error does. */
  readonly version: ReadonlySignal<number>;
  /** Rows there are, as far as known. */
  count(): number;
  /** Whether `count` is all there is, and not what was counted so far. */
  isExact(): boolean;
  /** The row at a position; undefined: it is not loaded. */
  row(index: number): Entry | undefined;
  /** Loads what is missing of the rows from `first` to before `end`. */
  need(first: number, end: number): void;
  /** Loads rows and returns them; those that can't be had are left out. */
  load(first: number, end: number): Promise<readonly Entry[]>;
  /** The position of a key among the loaded rows; -1: it is not there. */
  indexOfKey(key: string): number;
  /** The position of the first name at or behind what was typed. */
  seek(name: string): Promise<number>;
  /** Whether it is a part of what there is: all of it are then its rows and no more. */
  readonly isFiltered: boolean;
  /** Whether every row is loaded. */
  isWhole(): boolean;
};

export const keyOf = (entry: Entry): string => (entry.kind === 'folder' ? entry.prefix : entry.key);

/** The name of an entry below the folder that is shown. */
export const nameIn = (prefix: string, entry: Entry): string => {
  const name = keyOf(entry).slice(prefix.length);
  return entry.kind === 'folder' ? name.slice(0, -1) : name;
};

/** A list of rows that are all there. */
export function listOf(entries: readonly Entry[], version: ReadonlySignal<number>): RowList {
  return {
    version,
    isFiltered: true,
    count: () => entries.length,
    isExact: () => true,
    row: (index) => entries[index],
    need: () => undefined,
    load: async (first, end) => entries.slice(first, end),
    indexOfKey: (key) => entries.findIndex((entry) => keyOf(entry) === key),
    seek: async (name) => indexOfName(entries, name),
    isWhole: () => true,
  };
}

/** The first entry whose last part begins with the text, without regard to case. */
export function indexOfName(entries: readonly Entry[], text: string): number {
  const wanted = text.toLocaleLowerCase();
  return entries.findIndex((entry) => {
    const key = keyOf(entry);
    const name = key.slice(key.lastIndexOf('/', key.length - 2) + 1);
    return name.toLocaleLowerCase().startsWith(wanted);
  });
}
