// The common parts of listings of folders and of the trash: their input, the end of
// a page, and the bound on sorted keys. Called by list-folder.ts and list-trash.ts.

/** Keys that are read to be sorted: ten pages of the index, some 15 ms. */
export const SORT_MAX_KEYS = 10_000;

/** The input that every listing has. */
export type PageInput = {
  readonly prefix: string;
  readonly isDescending: boolean;
  readonly limit: number;
  /** The `next` of the page before; '' begins. */
  readonly cursor: string;
};

/** Where a page of a folder stands among all rows. */
export type PagePosition = {
  /** All rows; those counted so far unless `totalIsExact`. Null: not counted. */
  readonly total: number | null;
  readonly totalIsExact: boolean;
  /** The rows before the first of the page; null: not counted. */
  readonly rank: number | null;
};

/** Where a page ends. */
export type PageEnd = {
  /** The cursor of the next page; null: this was the last. */
  readonly next: string | null;
  /** Whether all keys took part in the order. */
  readonly isComplete: boolean;
};

/** Cuts a page of a sorted list, whose cursor is the offset of its first entry. */
export function cutPage<Entry>(
  sorted: readonly Entry[],
  { cursor, limit }: Pick<PageInput, 'cursor' | 'limit'>,
): { readonly page: readonly Entry[]; readonly next: string | null } {
  const start = Number(cursor);
  const end = start + limit;
  return { page: sorted.slice(start, end), next: end < sorted.length ? `${end}` : null };
}
