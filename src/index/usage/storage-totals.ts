// How much each bucket stores now, per storage class, and the exact integral of
// that over time. The integral of the current hour stands in the row of the totals.
// The first command after its end closes it: the result is moved to
// `storage_hours`, where it waits until the ledger has it. Called by row-changes.ts
// alone, inside commits; the collecting side is storage-hours.ts.
//
// Byte-milliseconds of one hour pass 2^63 from 2.6 TB on, and SQLite would go on in
// floating point. So the integral is kept as two whole numbers: of the bytes' whole
// GiB and of the rest below one GiB. The rest's stays below 2^30 * 3,600,000 < 2^53
// in an hour, the other's below 2^55 for what an INTEGER can count at all (8 EiB).
// Both are sums of exact products. What sharing and compression spare of these
// bytes has an integral of its own each, kept in the same way.

import { HOUR_MS, startOfHour } from '../../domain/time.ts';
import type { Sql } from '../../ports/sql.ts';
import type { RowChange, RowState } from './row-state.ts';
import { usageTime } from './usage-time.ts';

/** What a bucket stores now in one storage class. */
type Deltas = {
  currentBytes: number;
  currentCount: number;
  noncurrentBytes: number;
  noncurrentCount: number;
  partBytes: number;
  partCount: number;
  deduplicatedAway: number;
  compressedAway: number;
};

/**
 * The integrals over time: for each the expression of its bytes now, and the
 * columns of its whole GiB and of the rest.
 */
const INTEGRALS = [
  { bytes: '(current_bytes + noncurrent_bytes + part_bytes)', gib: 'gib_ms', rest: 'rest_ms' },
  { bytes: 'deduplicated_bytes', gib: 'deduplicated_gib_ms', rest: 'deduplicated_rest_ms' },
  { bytes: 'compressed_bytes', gib: 'compressed_gib_ms', rest: 'compressed_rest_ms' },
] as const;
const [STORED] = INTEGRALS;
/** The columns of all integrals, in the order of `grownBy`. */
const SUMS = INTEGRALS.flatMap(({ gib, rest }) => [gib, rest]);
/** Sets all integrals to 0, as at the start of an hour. */
const CLEARED_SUMS = SUMS.map((sum) => `${sum} = 0`).join(', ');

/** The integrals when `ms`, an expression of SQL, more have passed. */
function grownBy(ms: string): readonly string[] {
  return INTEGRALS.flatMap(({ bytes, gib, rest }) => [
    `${gib} + (${bytes} >> 30) * ${ms}`,
    `${rest} + (${bytes} & 1073741823) * ${ms}`,
  ]);
}

const GROW = grownBy('max(0, ?3 - as_of_ms)').map((sum, at) => `${SUMS[at]} = ${sum}`);
const COUNTS = `as_of_ms = max(as_of_ms, ?3),
  current_bytes = current_bytes + ?4, current_count = current_count + ?5,
  noncurrent_bytes = noncurrent_bytes + ?6, noncurrent_count = noncurrent_count + ?7,
  part_bytes = part_bytes + ?8, part_count = part_count + ?9`;
// With RETURNING to tell whether it met the row, such a statement takes twice the
// time: more than the look before it.
const PLAIN_CHANGE = `UPDATE storage_totals SET ${GROW.slice(0, 2).join(', ')}, ${COUNTS}
  WHERE bucket = ?1 AND storage_class = ?2`;
const SPARING_CHANGE = `UPDATE storage_totals SET ${GROW.join(', ')}, ${COUNTS},
  deduplicated_bytes = deduplicated_bytes + ?10, compressed_bytes = compressed_bytes + ?11
  WHERE bucket = ?1 AND storage_class = ?2`;

/** Applies one change of rows to the totals of its bucket. See `rowChanged`. */
export function addToTotals(sql: Sql, { bucket, from, to, atMs: commandMs }: RowChange): void {
  const atMs = usageTime(sql, commandMs);
  if (from !== null && to !== null && from.storageClass === to.storageClass) {
    const deltas = noDeltas();
    addState(deltas, from, -1);
    addState(deltas, to, 1);
    changeTotals(sql, bucket, to.storageClass, deltas, atMs);
    return;
  }
  for (const [state, sign] of [[from, -1] as const, [to, 1] as const]) {
    if (state === null) continue;
    const deltas = noDeltas();
    addState(deltas, state, sign);
    changeTotals(sql, bucket, state.storageClass, deltas, atMs);
  }
}

function noDeltas(): Deltas {
  return {
    currentBytes: 0,
    currentCount: 0,
    noncurrentBytes: 0,
    noncurrentCount: 0,
    partBytes: 0,
    partCount: 0,
    deduplicatedAway: 0,
    compressedAway: 0,
  };
}

const DELTA_NAMES = Object.keys(noDeltas()) as (keyof Deltas)[];

function addState(deltas: Deltas, state: RowState, sign: 1 | -1): void {
  const { kind, count, sizeBytes, deduplicatedAway, compressedAway } = state;
  deltas.deduplicatedAway += sign * deduplicatedAway;
  deltas.compressedAway += sign * compressedAway;
  if (kind === 'current') {
    deltas.currentBytes += sign * sizeBytes;
    deltas.currentCount += sign * count;
  } else if (kind === 'noncurrent') {
    deltas.noncurrentBytes += sign * sizeBytes;
    deltas.noncurrentCount += sign * count;
  } else {
    deltas.partBytes += sign * sizeBytes;
    deltas.partCount += sign * count;
  }
}

/** One change of a row of totals. */
type TotalsChange = { readonly deltas: Deltas; readonly atMs: number };

/**
 * Changes the row of a class, with other commands of a group at once: then all count
 * from the latest of their times, some milliseconds late.
 */
function changeTotals(
  sql: Sql,
  bucket: number,
  storageClass: string,
  deltas: Deltas,
  atMs: number,
): void {
  const change: TotalsChange = { deltas, atMs };
  const write = (values: readonly unknown[]) =>
    writeTotals(sql, bucket, storageClass, sumOf(values as readonly TotalsChange[]));
  const row = `totals ${bucket} ${storageClass}`;
  if (sql.share?.({ row, values: [change], write }) !== true)
    writeTotals(sql, bucket, storageClass, change);
}

function sumOf(changes: readonly TotalsChange[]): TotalsChange {
  const deltas = noDeltas();
  for (const change of changes) for (const name of DELTA_NAMES) deltas[name] += change.deltas[name];
  return { deltas, atMs: Math.max(...changes.map(({ atMs }) => atMs)) };
}

function writeTotals(
  sql: Sql,
  bucket: number,
  storageClass: string,
  { deltas, atMs }: TotalsChange,
): void {
  const [row] = sql.all<{ hour_ms: number; spared: number }>(
    `SELECT hour_ms, deduplicated_bytes + compressed_bytes AS spared FROM storage_totals
     WHERE bucket = ? AND storage_class = ?`,
    bucket,
    storageClass,
  );
  if (row === undefined) beginTotals(sql, bucket, storageClass, atMs);
  else if (row.hour_ms <= atMs - HOUR_MS) closeHour(sql, bucket, storageClass, atMs);
  const { deduplicatedAway, compressedAway } = deltas;
  const all = [bucket, storageClass, atMs, deltas.currentBytes, deltas.currentCount] as const;
  const rest = [
    deltas.noncurrentBytes,
    deltas.noncurrentCount,
    deltas.partBytes,
    deltas.partCount,
  ] as const;
  // Where nothing is spared, before and after, two of three integrals stay: that
  // halves the statement's time.
  if ((row?.spared ?? 0) === 0 && deduplicatedAway === 0 && compressedAway === 0) {
    sql.all(PLAIN_CHANGE, ...all, ...rest);
  } else sql.all(SPARING_CHANGE, ...all, ...rest, deduplicatedAway, compressedAway);
}

function beginTotals(sql: Sql, bucket: number, storageClass: string, atMs: number): void {
  sql.all(
    'INSERT INTO storage_totals (bucket, storage_class, hour_ms, as_of_ms) VALUES (?, ?, ?, ?)',
    bucket,
    storageClass,
    startOfHour(atMs),
    atMs,
  );
}

type OpenHour = { readonly hour_ms: number; readonly as_of_ms: number };

/**
 * Closes the hour of a row if it is over at `atMs`, and the whole hours after it,
 * which are alike and take one row together. A row that a migration made begins
 * here: nobody knows what it stored before, so that is not counted.
 */
export function closeHour(sql: Sql, bucket: number, storageClass: string, atMs: number): void {
  const [row] = sql.all<OpenHour>(
    'SELECT hour_ms, as_of_ms FROM storage_totals WHERE bucket = ? AND storage_class = ?',
    bucket,
    storageClass,
  );
  const hourMs = startOfHour(atMs);
  if (row === undefined || row.hour_ms >= hourMs) return;
  if (row.hour_ms > 0 && row.as_of_ms === row.hour_ms) {
    // Nothing changed in it: it is like those after it, and its sums are 0.
    const hours = (hourMs - row.hour_ms) / HOUR_MS;
    storeHours(sql, bucket, storageClass, { hourMs: row.hour_ms, hours, addedMs: HOUR_MS });
  } else if (row.hour_ms > 0) {
    const end = row.hour_ms + HOUR_MS;
    storeHours(sql, bucket, storageClass, {
      hourMs: row.hour_ms,
      hours: 1,
      addedMs: end - row.as_of_ms,
    });
    const whole = (hourMs - end) / HOUR_MS;
    sql.all(
      `UPDATE storage_totals SET ${CLEARED_SUMS}
       WHERE bucket = ? AND storage_class = ?`,
      bucket,
      storageClass,
    );
    if (whole > 0)
      storeHours(sql, bucket, storageClass, { hourMs: end, hours: whole, addedMs: HOUR_MS });
  }
  sql.all(
    'UPDATE storage_totals SET hour_ms = ?, as_of_ms = ? WHERE bucket = ? AND storage_class = ?',
    hourMs,
    row.hour_ms > 0 ? hourMs : atMs,
    bucket,
    storageClass,
  );
}

/**
 * Brings totals that a wrong clock has taken into the future back to a time that is
 * believed: as long as they stand there, nothing is integrated. Of the hour in
 * which they stood nobody knows what is true, so it counts for nothing.
 */
export function resetFutureTotals(sql: Sql, bucketName: string, atMs: number): void {
  sql.all(
    `UPDATE storage_totals SET hour_ms = ?2, as_of_ms = ?3, ${CLEARED_SUMS}
     WHERE bucket IN (SELECT n FROM buckets WHERE name = ?1) AND as_of_ms > ?3 + ${HOUR_MS}`,
    bucketName,
    startOfHour(atMs),
    atMs,
  );
}

/**
 * The bucket is deleted: its hours, the last one too, end now, and what the sweeper
 * still has to clear away (parts of unfinished uploads) is nobody's to pay.
 */
export function endTotals(sql: Sql, bucket: number, commandMs: number): void {
  const atMs = usageTime(sql, commandMs);
  const rows = sql.all<{ storage_class: string }>(
    'SELECT storage_class FROM storage_totals WHERE bucket = ?',
    bucket,
  );
  for (const { storage_class: storageClass } of rows) {
    closeHour(sql, bucket, storageClass, atMs);
    const [open] = sql.all<OpenHour>(
      'SELECT hour_ms, as_of_ms FROM storage_totals WHERE bucket = ? AND storage_class = ?',
      bucket,
      storageClass,
    );
    if (open === undefined) continue;
    const addedMs = Math.max(0, atMs - open.as_of_ms);
    storeHours(sql, bucket, storageClass, { hourMs: open.hour_ms, hours: 1, addedMs });
  }
  sql.all('DELETE FROM storage_totals WHERE bucket = ?', bucket);
}

/**
 * Stores what each of some equal hours came to: what the row has by now, and its
 * bytes for `addedMs` more. Nothing if that is 0.
 */
function storeHours(
  sql: Sql,
  bucket: number,
  storageClass: string,
  { hourMs, hours, addedMs }: { hourMs: number; hours: number; addedMs: number },
): void {
  sql.all(
    `INSERT INTO storage_hours (bucket_name, bucket_id, owner_id, storage_class, hour_ms,
       hour_count, ${SUMS.join(', ')})
     SELECT b.name, b.id, b.owner_id, t.storage_class, ?3, ?4, ${grownBy('?5').join(', ')}
     FROM storage_totals AS t JOIN buckets AS b ON b.n = t.bucket
     WHERE t.bucket = ?1 AND t.storage_class = ?2
       AND (t.gib_ms + t.rest_ms > 0 OR ${STORED.bytes} * ?5 > 0)`,
    bucket,
    storageClass,
    hourMs,
    hours,
    addedMs,
  );
}
