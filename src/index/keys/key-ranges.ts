// Sizes of prefixes in constant time: the keys of a bucket are cut into ranges of
// at most 1,000, and a row for each range holds its sums. A change of a key touches
// one such row. The size of a prefix is the sum of the ranges inside it and of the
// objects in the two ranges at its ends. Unlike sums for each folder this costs as
// little for deep keys, and works for prefixes that end anywhere. Counted at the
// first call; key-aids.ts knows whether a bucket is.
import type { PrefixSize } from '../../domain/keys/key-aids.ts';
import type { Sql, SqlValue } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { AFTER_ALL_TEXT } from './key-order.ts';

/**
 * Objects of one range at most; more and it is cut in two. Small ranges make more
 * rows to add up, large ones more objects to scan.
 */
export const RANGE_MAX_OBJECTS = 1000;
/** Ranges counted in one step: 50,000 rows, some 10 ms. */
const RANGES_PER_STEP = 100;
/** In place of a count: the keys from here on are not counted yet. */
const UNCOUNTED = -1;

export type SizeChange = {
  readonly objects: number;
  readonly bytes: number;
  readonly otherBytes: number;
};

type Sums = { readonly objects: number; readonly bytes: number; readonly other_bytes: number };
const SUMS = `count(*) AS objects, coalesce(sum(size_bytes), 0) AS bytes,
  coalesce(sum(CASE WHEN storage_class = 'STANDARD' THEN 0 ELSE size_bytes END), 0) AS other_bytes`;

/**
 * Adds to the range of the key; one that was not counted yet stays so. Cost: two
 * statements, 4 µs (measured 2026-11).
 */
export function changeRange(
  sql: Sql,
  bucket: number,
  key: string,
  change: SizeChange,
  maxObjects = RANGE_MAX_OBJECTS,
): void {
  const [range] = sql.all<{ first_key: string; objects: number }>(
    `SELECT first_key, objects FROM key_ranges WHERE bucket = ? AND first_key <= ?
     ORDER BY first_key DESC LIMIT 1`,
    bucket,
    key,
  );
  if (range === undefined || range.objects === UNCOUNTED) return;
  const objects = range.objects + change.objects;
  if (objects === 0 && range.first_key !== '') {
    // The range before it takes its keys.
    sql.all('DELETE FROM key_ranges WHERE bucket = ? AND first_key = ?', bucket, range.first_key);
    return;
  }
  sql.all(
    `UPDATE key_ranges SET objects = ?, bytes = bytes + ?, other_bytes = other_bytes + ?
     WHERE bucket = ? AND first_key = ?`,
    objects,
    change.bytes,
    change.otherBytes,
    bucket,
    range.first_key,
  );
  if (objects > maxObjects) cutRange(sql, bucket, range.first_key, objects);
}

/**
 * Cuts a range behind its middle object. Its objects must be in the table already.
 */
function cutRange(sql: Sql, bucket: number, firstKey: string, objects: number): void {
  const [middle] = sql.all<{ key: string }>(
    `SELECT key FROM objects
     WHERE bucket = ? AND key >= ? ORDER BY key LIMIT 1 OFFSET ${PLAN_ONCE} ?`,
    bucket,
    firstKey,
    Math.ceil(objects / 2),
  );
  if (middle === undefined) return;
  const upper = sumObjects(sql, bucket, middle.key, nextFirstKey(sql, bucket, firstKey));
  sql.all(
    `UPDATE key_ranges SET objects = objects - ?, bytes = bytes - ?, other_bytes = other_bytes - ?
     WHERE bucket = ? AND first_key = ?`,
    upper.objects,
    upper.bytes,
    upper.other_bytes,
    bucket,
    firstKey,
  );
  addRange(sql, bucket, middle.key, upper);
}

function addRange(
  sql: Sql,
  bucket: number,
  firstKey: string,
  { objects, bytes, other_bytes }: Sums,
): void {
  sql.all(
    `INSERT OR REPLACE INTO key_ranges (bucket, first_key, objects, bytes, other_bytes)
     VALUES (?, ?, ?, ?, ?)`,
    bucket,
    firstKey,
    objects,
    bytes,
    other_bytes,
  );
}

/**
 * Where the range behind this key begins; a blob, which is greater than all text,
 * behind the last.
 */
function nextFirstKey(sql: Sql, bucket: number, key: SqlValue): SqlValue {
  const [next] = sql.all<{ first_key: string }>(
    `SELECT first_key FROM key_ranges
     WHERE bucket = ? AND first_key > ? ORDER BY first_key LIMIT 1`,
    bucket,
    key,
  );
  return next?.first_key ?? AFTER_ALL_TEXT;
}

function sumObjects(sql: Sql, bucket: number, from: SqlValue, to: SqlValue): Sums {
  const [sums] = sql.all<Sums>(
    `SELECT ${SUMS} FROM objects WHERE bucket = ? AND key >= ? AND key < ?`,
    bucket,
    from,
    to,
  );
  return sums ?? NO_SUMS;
}

/**
 * Sums of the keys from `from` to before `to`; the bucket must be counted. Cost:
 * some 2,000 objects looked at, and a row for each 500 to 1,000 more: 0.5 ms at a
 * million keys (bench/names.ts).
 */
export function sumKeys(sql: Sql, bucket: number, from: SqlValue, to: SqlValue): PrefixSize {
  const [inside] = sql.all<{ first: string | null; last: string | null }>(
    `SELECT
       (SELECT first_key FROM key_ranges WHERE bucket = ?1 AND first_key >= ?2 AND first_key < ?3
        ORDER BY first_key LIMIT 1) AS first,
       (SELECT first_key FROM key_ranges WHERE bucket = ?1 AND first_key >= ?2 AND first_key < ?3
        ORDER BY first_key DESC LIMIT 1) AS last`,
    bucket,
    from,
    to,
  );
  const first = inside?.first ?? null;
  const last = inside?.last ?? null;
  if (first === null || last === null) return toSize(sumObjects(sql, bucket, from, to));
  const head = first === from ? NO_SUMS : sumObjects(sql, bucket, from, first);
  const [whole] = sql.all<Sums>(
    `SELECT coalesce(sum(objects), 0) AS objects, coalesce(sum(bytes), 0) AS bytes,
       coalesce(sum(other_bytes), 0) AS other_bytes
     FROM key_ranges WHERE bucket = ? AND first_key >= ? AND first_key < ?`,
    bucket,
    first,
    last,
  );
  const tail = sumObjects(sql, bucket, last, to);
  return toSize(head, whole ?? NO_SUMS, tail);
}

const NO_SUMS: Sums = { objects: 0, bytes: 0, other_bytes: 0 };

function toSize(...sums: readonly Sums[]): PrefixSize {
  return {
    objects: sums.reduce((sum, one) => sum + one.objects, 0),
    bytes: sums.reduce((sum, one) => sum + one.bytes, 0),
    otherBytes: sums.reduce((sum, one) => sum + one.other_bytes, 0),
  };
}

/**
 * Counts the next stretch, at first from the first key; true when all is counted.
 * Cost: 10 ms at most.
 */
export function countRanges(sql: Sql, bucket: number, maxObjects = RANGE_MAX_OBJECTS): boolean {
  const [open] = sql.all<{ first_key: string }>(
    'SELECT first_key FROM key_ranges WHERE bucket = ? ORDER BY first_key DESC LIMIT 1',
    bucket,
  );
  let from = open?.first_key ?? '';
  const half = Math.ceil(maxObjects / 2);
  for (let step = 0; step < RANGES_PER_STEP; step++) {
    const [next] = sql.all<{ key: string }>(
      `SELECT key FROM objects
       WHERE bucket = ? AND key >= ? ORDER BY key LIMIT 1 OFFSET ${PLAN_ONCE} ?`,
      bucket,
      from,
      half,
    );
    addRange(sql, bucket, from, sumObjects(sql, bucket, from, next?.key ?? AFTER_ALL_TEXT));
    if (next === undefined) return true;
    from = next.key;
  }
  addRange(sql, bucket, from, { ...NO_SUMS, objects: UNCOUNTED });
  return false;
}
