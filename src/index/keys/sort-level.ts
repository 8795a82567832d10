// Selects from a level by size, date or type, which have no index: a slice of keys in
// one call, of which only those that can still be on the page are given. sort-folder.ts
// of the core joins the slices. Folders, which have neither, are found by name.
import { compareSortValues, compareUtf8 } from '../../domain/keys/compare-utf8.ts';
import type {
  SortedRow,
  SortLevelInput,
  SortLevelSlice,
} from '../../ports/index-calls/level-calls.ts';
import type { Sql, SqlValue } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { prefixEnd } from './key-order.ts';
import { commonPrefixOf } from './key-pages.ts';
import { decodeSummary, type SummaryRow } from './summary-rows.ts';

/** Keys of one slice: some 10 ms. Source: bench/seek.ts. */
const SLICE_KEYS = 25_000;
/** Folders found in one slice, each by a seek. */
const SLICE_FOLDERS = 2000;
/** A bound that lets all values pass. */
const NO_BOUND = Number.MAX_SAFE_INTEGER;
const NO_TYPE = '';

/** Whether a key is in a folder. By bytes, as texts end with a NUL for these functions. */
const IN_FOLDER = 'instr(substr(CAST(key AS BLOB), ?4), CAST(?5 AS BLOB))';
const SLICE = `FROM objects WHERE bucket = ?1 AND key >= ?2 AND key < ?3 AND (?5 = '' OR
  ${IN_FOLDER} = 0)`;
/** Behind the row (?6, ?7), before (?8, ?9): equal values are in order of their keys. */
const between = (column: string, behind: '<' | '>', before: '<' | '>') =>
  `SELECT key, ${column} AS value ${SLICE}
   AND (${column} ${behind} ?6 OR (${column} = ?6 AND key > ?7))
   AND (${column} ${before} ?8 OR (${column} = ?8 AND key < ?9))`;
const SELECTIONS = {
  size: { up: between('size_bytes', '>', '<'), down: between('size_bytes', '<', '>') },
  modified: {
    up: between('last_modified_ms', '>', '<'),
    down: between('last_modified_ms', '<', '>'),
  },
};

/** Reads one slice of a level, and gives what can be on the page. `bucket`: its number. */
export function sortLevel(sql: Sql, bucket: number, input: SortLevelInput): SortLevelSlice {
  const { prefix, delimiter, what, limit, from } = input;
  const start = from === '' ? prefix : from;
  const end = prefixEnd(prefix);
  const [behind] = sql.all<{ key: string }>(
    `SELECT key FROM objects WHERE bucket = ? AND key >= ? AND key < ?
     ORDER BY key LIMIT 1 OFFSET ${PLAN_ONCE} ?`,
    bucket,
    start,
    end,
    SLICE_KEYS,
  );
  const slice = { bucket, start, end: behind?.key ?? end };
  if (what === 'folders') return findFolders(sql, slice, input);

  const selected = (input.by === 'type' ? selectTypes : selectNumbers)(sql, slice, input)
    .toSorted(orderOf(input.isDescending))
    .slice(0, limit);
  const rows = selected.flatMap((row) => withSummary(sql, bucket, row));
  const folder = behind === undefined ? null : commonPrefixOf(behind.key, prefix, delimiter);
  const next = folder === null ? behind?.key : prefixEnd(folder);
  return { rows, folders: [], next: typeof next === 'string' && next !== '' ? next : null };
}

type Slice = { readonly bucket: number; readonly start: string; readonly end: SqlValue };
type ValueRow = Pick<SortedRow, 'key' | 'value'>;

/** Orders rows by value, and equal ones by key. */
function orderOf(isDescending: boolean) {
  const sign = isDescending ? -1 : 1;
  return (a: ValueRow, b: ValueRow): number =>
    sign * compareSortValues(a.value, b.value) || compareUtf8(a.key, b.key);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function selectNumbers(
  sql: Sql,
  { bucket, start, end }: Slice,
  { prefix, delimiter, by, isDescending, behind, before }: SortLevelInput,
): readonly ValueRow[] {
  const [least, most] = isDescending ? [NO_BOUND, -NO_BOUND] : [-NO_BOUND, NO_BOUND];
  const selection = SELECTIONS[by === 'size' ? 'size' : 'modified'];
  return sql.all<{ key: string; value: number }>(
    isDescending ? selection.down : selection.up,
    bucket,
    start,
    end,
    byteLength(prefix) + 1,
    delimiter,
    Number(behind?.value ?? least),
    behind?.key ?? '',
    Number(before?.value ?? most),
    before?.key ?? '',
  );
}

/** Types are not stored: every key of the slice is looked at. */
function selectTypes(
  sql: Sql,
  { bucket, start, end }: Slice,
  { prefix, delimiter, isDescending, behind, before }: SortLevelInput,
): readonly ValueRow[] {
  const keys = sql.all<{ key: string }>(
    `SELECT key ${SLICE}`,
    bucket,
    start,
    end,
    byteLength(prefix) + 1,
    delimiter,
  );
  const order = orderOf(isDescending);
  return keys
    .map(({ key }): ValueRow => ({ key, value: typeOf(key) }))
    .filter(
      (row) =>
        (behind === null || order(row, behind) > 0) && (before === null || order(row, before) < 0),
    );
}

/** The extension of a key in lower case; '' where its last part has none. */
function typeOf(key: string): string {
  const dot = key.lastIndexOf('.');
  return dot > key.lastIndexOf('/') ? key.slice(dot + 1).toLowerCase() : NO_TYPE;
}

function withSummary(sql: Sql, bucket: number, row: ValueRow): SortedRow[] {
  const summaries = sql.all<SummaryRow>(
    `SELECT key, owner_id, size_bytes, etag, last_modified_ms, storage_class,
       checksum_algorithm, checksum_type
     FROM objects WHERE bucket = ? AND key = ?`,
    bucket,
    row.key,
  );
  return summaries.map((summary) => ({ ...row, object: decodeSummary(summary) }));
}

/** The folders of a slice, each found behind the one before. */
function findFolders(
  sql: Sql,
  { bucket, start, end }: Slice,
  { prefix, delimiter, limit }: SortLevelInput,
): SortLevelSlice {
  const folders: string[] = [];
  const most = Math.min(limit, SLICE_FOLDERS);
  let from: SqlValue = delimiter === '' ? end : start;
  while (folders.length < most) {
    const [row]: { key: string }[] = sql.all(
      `SELECT key FROM objects WHERE bucket = ?1 AND key >= ?2 AND key < ?3 AND ${IN_FOLDER} > 0
       ORDER BY key LIMIT 1`,
      bucket,
      from,
      end,
      byteLength(prefix) + 1,
      delimiter,
    );
    const folder = row === undefined ? null : commonPrefixOf(row.key, prefix, delimiter);
    if (folder === null) break;
    folders.push(folder);
    from = prefixEnd(folder);
  }

  // A folder may reach beyond the slice.
  const reached = folders.length === most ? from : furthest(from, end);
  const isAtEnd = typeof reached !== 'string' || reached === prefixEnd(prefix);
  return { rows: [], folders, next: isAtEnd || delimiter === '' ? null : reached };
}

function furthest(a: SqlValue, b: SqlValue): SqlValue {
  if (typeof a !== 'string' || typeof b !== 'string') return typeof a === 'string' ? b : a;
  return compareUtf8(a, b) > 0 ? a : b;
}
