// Search by a part of the key: an FTS5 index of the trigrams of keys, which finds
// any text of three code points or more without case and accents. A commit only
// notes a key that came or went (`search_changes`). The notes are indexed later,
// many at once, because a single change of such an index costs ten times as much.
// Until then search scans the noted keys one by one. Every match is looked up among
// the objects: the index alone may be behind.
import { compareUtf8 } from '../../domain/keys/compare-utf8.ts';
import {
  foldKey,
  SEARCH_MAX_MATCHES,
  SEARCH_MIN_INDEXED,
  SEARCH_SCAN_ROWS,
} from '../../domain/keys/key-aids.ts';
import type { ObjectSummary } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { firstBehind, prefixEnd } from './key-order.ts';
import { decodeSummary, type SummaryRow } from './summary-rows.ts';

/**
 * Keys indexed or removed in one step: 20 ms on a busy machine. Source: 45 µs a
 * key, bench/names.ts.
 */
const KEYS_PER_STEP = 500;
/**
 * Noted changes that a search scans; core has them indexed long before there are so
 * many.
 */
const CHANGES_SCANNED_MAX = 4000;
/**
 * Ids of the keys of one bucket in the search index: `n * 2^32` and up. Exact in a
 * number for two million buckets in one database.
 */
const IDS_PER_BUCKET = 2 ** 32;

const SUMMARY_COLUMNS = `o.key, o.owner_id, o.size_bytes, o.etag, o.last_modified_ms,
  o.storage_class, o.checksum_algorithm, o.checksum_type`;

/** Notes that a key came or went. Cost: one statement, 3 µs. */
export function noteKeyChange(sql: Sql, bucket: number, key: string): void {
  sql.all('INSERT OR IGNORE INTO search_changes (bucket, key) VALUES (?, ?)', bucket, key);
}

/**
 * Indexes the next keys behind `after`; gives the last of them, null when there are
 * no more.
 */
export function indexNextKeys(sql: Sql, bucket: number, after: string): string | null {
  const rows = sql.all<{ key: string }>(
    `SELECT key FROM objects WHERE bucket = ? AND key > ? ORDER BY key LIMIT ${PLAN_ONCE} ?`,
    bucket,
    after,
    KEYS_PER_STEP,
  );
  let id = lastId(sql, bucket);
  for (const { key } of rows) id = addKey(sql, bucket, key, id);
  return rows.length < KEYS_PER_STEP ? null : (rows.at(-1)?.key ?? null);
}

/** Indexes some of the noted changes; true when there are no more. */
export function indexChanges(sql: Sql, bucket: number): boolean {
  const rows = sql.all<{ key: string; is_there: number }>(
    `SELECT c.key,
       EXISTS (SELECT 1 FROM objects WHERE bucket = c.bucket AND key = c.key) AS is_there
     FROM search_changes AS c WHERE c.bucket = ? ORDER BY c.key LIMIT ${PLAN_ONCE} ?`,
    bucket,
    KEYS_PER_STEP,
  );
  let id = lastId(sql, bucket);
  for (const { key, is_there } of rows) {
    if (is_there === 1) id = addKey(sql, bucket, key, id);
    else removeKey(sql, bucket, key);
    sql.all('DELETE FROM search_changes WHERE bucket = ? AND key = ?', bucket, key);
  }
  return rows.length < KEYS_PER_STEP;
}

function lastId(sql: Sql, bucket: number): number {
  const [last] = sql.all<{ id: number | null }>(
    'SELECT max(id) AS id FROM search_names WHERE id >= ? AND id < ?',
    bucket * IDS_PER_BUCKET,
    (bucket + 1) * IDS_PER_BUCKET,
  );
  return last?.id ?? bucket * IDS_PER_BUCKET;
}

/** Indexes a key that may be in already; gives the last id used. */
function addKey(sql: Sql, bucket: number, key: string, last: number): number {
  const [added] = sql.all<{ id: number }>(
    `INSERT INTO search_names (id, bucket, key) VALUES (?, ?, ?)
     ON CONFLICT (bucket, key) DO NOTHING RETURNING id`,
    last + 1,
    bucket,
    key,
  );
  if (added === undefined) return last;
  sql.all('INSERT INTO search_trigrams (rowid, name) VALUES (?, ?)', added.id, key);
  return added.id;
}

function removeKey(sql: Sql, bucket: number, key: string): void {
  const [name] = sql.all<{ id: number }>(
    'DELETE FROM search_names WHERE bucket = ? AND key = ? RETURNING id',
    bucket,
    key,
  );
  if (name !== undefined) sql.all('DELETE FROM search_trigrams WHERE rowid = ?', name.id);
}

/** Removes a part of a bucket's search index; true when nothing is left. */
export function forgetKeys(sql: Sql, bucket: number): boolean {
  sql.all(
    `DELETE FROM search_changes WHERE bucket = ?1 AND key IN (
       SELECT key FROM search_changes WHERE bucket = ?1 LIMIT ${PLAN_ONCE} ?2)`,
    bucket,
    KEYS_PER_STEP,
  );
  const rows = sql.all<{ id: number }>(
    `SELECT id FROM search_names WHERE bucket = ? LIMIT ${PLAN_ONCE} ?`,
    bucket,
    KEYS_PER_STEP,
  );
  for (const { id } of rows) {
    sql.all('DELETE FROM search_names WHERE id = ?', id);
    sql.all('DELETE FROM search_trigrams WHERE rowid = ?', id);
  }
  return rows.length < KEYS_PER_STEP && countChanges(sql, bucket) === 0;
}

/** Counts noted changes, as far as a search would scan them. */
export function countChanges(sql: Sql, bucket: number): number {
  const [row] = sql.all<{ noted: number }>(
    `SELECT count(*) AS noted
     FROM (SELECT 1 FROM search_changes WHERE bucket = ? LIMIT ${PLAN_ONCE} ?)`,
    bucket,
    CHANGES_SCANNED_MAX,
  );
  return row?.noted ?? 0;
}

type KeySearchResult = { readonly objects: readonly ObjectSummary[]; readonly isComplete: boolean };
type KeySearch = { readonly prefix: string; readonly needle: string; readonly limit: number };

/**
 * Objects below the prefix whose key has the needle behind it, by key; the search
 * index must be ready, and the needle of SEARCH_MIN_INDEXED code points or more.
 * Cost: some 10 µs for each match, and at most SEARCH_MAX_MATCHES of these.
 */
export function findIndexed(
  sql: Sql,
  bucket: number,
  { prefix, needle, limit }: KeySearch,
): KeySearchResult {
  const most = Math.min(limit, SEARCH_MAX_MATCHES);
  const folded = foldKey(needle);
  const phrases =
    Array.from(foldKey(prefix)).length < SEARCH_MIN_INDEXED ? [folded] : [folded, foldKey(prefix)];
  const ids = sql.all<{ id: number }>(
    `SELECT rowid AS id FROM search_trigrams
     WHERE search_trigrams MATCH ? AND rowid > ? AND rowid < ? LIMIT ${PLAN_ONCE} ?`,
    phrases.map((phrase) => `"${phrase.replaceAll('"', '""')}"`).join(' AND '),
    bucket * IDS_PER_BUCKET,
    (bucket + 1) * IDS_PER_BUCKET,
    most + 1,
  );
  // CROSS JOIN: SQLite keeps the order of the tables. It may go through all objects
  // to find a few changes otherwise.
  const rows = ids.flatMap(({ id }) =>
    sql.all<SummaryRow>(
      `SELECT ${SUMMARY_COLUMNS}
       FROM search_names AS s CROSS JOIN objects AS o ON o.bucket = s.bucket AND o.key = s.key
       WHERE s.id = ?`,
      id,
    ),
  );
  const noted = sql.all<SummaryRow>(
    `SELECT ${SUMMARY_COLUMNS}
     FROM search_changes AS c CROSS JOIN objects AS o ON o.bucket = c.bucket AND o.key = c.key
     WHERE c.bucket = ? LIMIT ${PLAN_ONCE} ?`,
    bucket,
    CHANGES_SCANNED_MAX,
  );
  const byKey = new Map(
    [...rows, ...noted].filter(matches(prefix, folded)).map((row) => [row.key, row]),
  );
  const sorted = [...byKey.values()].sort((a, b) => compareUtf8(a.key, b.key));
  const isComplete =
    ids.length <= most && sorted.length <= most && noted.length < CHANGES_SCANNED_MAX;
  return { objects: sorted.slice(0, most).map(decodeSummary), isComplete };
}

const matches =
  (prefix: string, folded: string) =>
  ({ key }: { readonly key: string }): boolean =>
    key.startsWith(prefix) && foldKey(key.slice(prefix.length)).includes(folded);

/**
 * Searches without an index, by a scan of the next SEARCH_SCAN_ROWS keys behind
 * `after`.
 */
export function findByScan(
  sql: Sql,
  bucket: number,
  { prefix, needle, limit, after }: KeySearch & { readonly after: string },
): KeySearchResult & { readonly nextAfter: string | null } {
  const most = Math.min(limit, SEARCH_MAX_MATCHES);
  const rows = sql.all<{ key: string }>(
    `SELECT key FROM objects WHERE bucket = ? AND key >= ? AND key < ?
     ORDER BY key LIMIT ${PLAN_ONCE} ?`,
    bucket,
    firstBehind(prefix, after),
    prefixEnd(prefix),
    SEARCH_SCAN_ROWS,
  );
  const isMatch = matches(prefix, foldKey(needle));
  const matchingRows: SummaryRow[] = [];
  let last: string | null = null;
  for (const row of rows) {
    if (matchingRows.length === most) break;
    last = row.key;
    if (!isMatch(row)) continue;
    matchingRows.push(
      ...sql.all<SummaryRow>(
        `SELECT ${SUMMARY_COLUMNS} FROM objects AS o WHERE bucket = ? AND key = ?`,
        bucket,
        row.key,
      ),
    );
  }
  const isAtEnd = last === (rows.at(-1)?.key ?? null) && rows.length < SEARCH_SCAN_ROWS;
  return {
    objects: matchingRows.map(decodeSummary),
    isComplete: isAtEnd && after === '',
    nextAfter: isAtEnd ? null : last,
  };
}
