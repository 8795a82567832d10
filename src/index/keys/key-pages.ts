// Pages of names as S3 lists them: names that start with a prefix, those with the
// delimiter behind it rolled up to common prefixes. Used for objects and for
// uploads; knows no table. It reads rows in batches and seeks past a common prefix
// as soon as that repeats, so the rows read grow with the names returned, never
// with those rolled up.
import { compareUtf8 } from '../../domain/keys/compare-utf8.ts';
import type { SqlValue } from '../../ports/sql.ts';
import { justAfter, prefixEnd } from './key-order.ts';

/**
 * A cursor in the order of rows: a key and, where a key has several rows, the id
 * `within` it.
 */
export type Cursor = { readonly key: SqlValue; readonly within: string };

export type NameScan<Row extends { readonly key: string }> = {
  readonly prefix: string;
  /** '' means no delimiter. */
  readonly delimiter: string;
  readonly maxNames: number;
  readonly start: Cursor;
  /** The value of `within` that is before all rows of a key. */
  readonly first: string;
  /** Rows at or behind `from` with keys less than `endKey`, in order. */
  readonly read: (from: Cursor, endKey: SqlValue, limit: number) => readonly Row[];
  /** The cursor just behind a row. */
  readonly after: (row: Row) => Cursor;
};
export type NamePage<Row> = {
  readonly rows: readonly Row[];
  readonly commonPrefixes: readonly string[];
  readonly isTruncated: boolean;
  /** The last row or common prefix; null on an empty page. */
  readonly last: Row | string | null;
};

/**
 * Rows of the first batch when there is a delimiter. A batch doubles while its rows
 * are all leaves; once rows were read for nothing, the next one is a single row. So
 * at most this many rows and as many as were returned are read for nothing.
 * Measured 2026-11: single seeks for leaves cost five times a flat batch, flat
 * batches for repeats have no bound.
 */
const FIRST_BATCH = 16;

/** The common prefix that a key rolls up to, or null. */
export function commonPrefixOf(key: string, prefix: string, delimiter: string): string | null {
  if (delimiter === '' || !key.startsWith(prefix)) return null;
  const at = key.indexOf(delimiter, prefix.length);
  return at === -1 ? null : key.slice(0, at + delimiter.length);
}

/**
 * The first key whose name comes after the name `after`: a common prefix that
 * `after` is or lies in is left out.
 */
export function startKey(prefix: string, delimiter: string, after: string): SqlValue {
  if (compareUtf8(after, prefix) < 0) return prefix;
  const commonPrefix = commonPrefixOf(after, prefix, delimiter);
  return commonPrefix === null ? justAfter(after) : prefixEnd(commonPrefix);
}

/**
 * One page of names, after the scan's start. With `maxNames` 0 the page is empty
 * and not truncated, as on S3.
 */
export function readNamePage<Row extends { readonly key: string }>(
  scan: NameScan<Row>,
): NamePage<Row> {
  const rows: Row[] = [];
  const commonPrefixes: string[] = [];
  let last: Row | string | null = null;
  const page = (isTruncated: boolean): NamePage<Row> => ({
    rows,
    commonPrefixes,
    isTruncated,
    last,
  });
  if (scan.maxNames === 0) return page(false);

  const endKey = prefixEnd(scan.prefix);
  let from = scan.start;
  let batch = scan.delimiter === '' ? scan.maxNames + 1 : FIRST_BATCH;
  for (;;) {
    const room = scan.maxNames - rows.length - commonPrefixes.length;
    const limit = Math.min(batch, room + 1);
    const batchRows = scan.read(from, endKey, limit);
    let isAnyInVain = false;
    for (const row of batchRows) {
      if (typeof last === 'string' && row.key.startsWith(last)) {
        isAnyInVain = true;
        continue;
      }
      if (rows.length + commonPrefixes.length === scan.maxNames) return page(true);
      const commonPrefix = commonPrefixOf(row.key, scan.prefix, scan.delimiter);
      last = commonPrefix ?? row;
      if (commonPrefix === null) rows.push(row);
      else commonPrefixes.push(commonPrefix);
    }
    if (batchRows.length < limit || last === null) return page(false);
    const isLeaf = typeof last !== 'string';
    from =
      typeof last === 'string' ? { key: prefixEnd(last), within: scan.first } : scan.after(last);
    if (isAnyInVain) batch = 1;
    else if (isLeaf) batch *= 2;
  }
}
