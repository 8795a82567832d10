// The order of a folder's page. Long folders come in pages in the order of their
// names, as they are stored; only a folder that is whole on its page is sorted anew.
import type { ShareFile, ShareFolder } from '../../share/share-view.ts';
import type { PageVisit } from '../page-visit.ts';

export const COLUMNS = ['name', 'size', 'modified'] as const;
export type Column = (typeof COLUMNS)[number];
export type Order = { readonly column: Column; readonly isDown: boolean };

/** The query parameter: `size`, or `-size` for the largest first. */
export const SORT = 'sort';
const BY_NAME: Order = { column: 'name', isDown: false };

/** Whether the page has all of the folder, so that it may be sorted. */
export const isWhole = ({ nextHref, isContinued }: ShareFolder): boolean =>
  nextHref === null && !isContinued;

/** The order that the address asks for; by name where it asks for none. */
export function orderOf({ rawQuery }: Pick<PageVisit, 'rawQuery'>, folder: ShareFolder): Order {
  const text = new URLSearchParams(rawQuery).get(SORT) ?? '';
  const name = text.startsWith('-') ? text.slice(1) : text;
  const column = COLUMNS.find((each) => each === name);
  if (column === undefined || !isWhole(folder)) return BY_NAME;
  return { column, isDown: text.startsWith('-') };
}

/** The value of the parameter for a column; the second press turns its order round. */
export function sortValue(column: Column, order: Order): string {
  // The latest and the largest are what people look for first.
  const isDownFirst = column !== 'name';
  const isDown = order.column === column ? !order.isDown : isDownFirst;
  return `${isDown ? '-' : ''}${column}`;
}

/** The files in that order; names as people sort them, 2 before 10. */
export function sortFiles(
  files: readonly ShareFile[],
  { column, isDown }: Order,
  language: string,
): readonly ShareFile[] {
  const names = new Intl.Collator(language, { numeric: true });
  const compare = {
    name: (one: ShareFile, other: ShareFile) => names.compare(one.name, other.name),
    size: (one: ShareFile, other: ShareFile) => one.sizeBytes - other.sizeBytes,
    modified: (one: ShareFile, other: ShareFile) =>
      Date.parse(one.modifiedAt) - Date.parse(other.modifiedAt),
  }[column];
  const sign = isDown ? -1 : 1;
  return files.toSorted((one, other) => sign * compare(one, other));
}
