// How much each bucket stores now, per storage class, and the exact integral of
// that over time. The integral of the current hour stands in the row of the totals.
// The first command after its end closes it: the result is moved to
// `storage_hours`, where it waits until the ledger has it. Called by row-changes.ts
// inside commits; the collecting side is storage-hours.ts.
//
// Parts of uploads may be counted later than they came (late-parts.ts): then the
// integral gains what they were stored meanwhile, in the same statement.

import type { UploadId } from '../../domain/nouns.ts';
import { HOUR_MS, startOfHour } from '../../domain/time.ts';
import type { Sql } from '../../ports/sql.ts';
import {
  type CameBytes,
  type LateParts,
  readLateParts,
  takeLateParts,
} from '../parts/late-parts.ts';
import { closeHour, grownBy, type OpenHour, SUMS, storeHours } from './close-hours.ts';
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

/** The first two sums gain `?10` and `?11`, what was stored uncounted. */
const GROW = grownBy('max(0, ?3 - as_of_ms)').map(
  (sum, at) => `${SUMS[at]} = ${sum}${at < 2 ? ` + ?${10 + at}` : ''}`,
);
const COUNTS = `as_of_ms = max(as_of_ms, ?3),
  current_bytes = current_bytes + ?4, current_count = current_count + ?5,
  noncurrent_bytes = noncurrent_bytes + ?6, noncurrent_count = noncurrent_count + ?7,
  part_bytes = part_bytes + ?8, part_count = part_count + ?9`;
// With RETURNING to tell whether it met the row, such a statement takes twice the
// time: more than the look before it.
const PLAIN_CHANGE = `UPDATE storage_totals SET ${GROW.slice(0, 2).join(', ')}, ${COUNTS}
  WHERE bucket = ?1 AND storage_class = ?2`;
const SPARING_CHANGE = `UPDATE storage_totals SET ${GROW.join(', ')}, ${COUNTS},
  deduplicated_bytes = deduplicated_bytes + ?12, compressed_bytes = compressed_bytes + ?13
  WHERE bucket = ?1 AND storage_class = ?2`;

/** Applies one change of rows to the totals of its bucket. See `rowChanged`. */
export function addToTotals(sql: Sql, { bucket, from, to, atMs: commandMs }: RowChange): void {
  const atMs = usageTime(sql, commandMs);
  if (from !== null && to !== null && from.storageClass === to.storageClass) {
    const deltas = noDeltas();
    addState(deltas, from, -1);
    addState(deltas, to, 1);
    changeTotals(sql, bucket, to.storageClass, { deltas, atMs, came: [] });
    return;
  }
  for (const [state, sign] of [[from, -1] as const, [to, 1] as const]) {
    if (state === null) continue;
    const deltas = noDeltas();
    addState(deltas, state, sign);
    changeTotals(sql, bucket, state.storageClass, { deltas, atMs, came: [] });
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

/**
 * One change of a row of totals. `came`: when which of the bytes came that are counted
 * only now.
 */
type TotalsChange = {
  readonly deltas: Deltas;
  readonly atMs: number;
  readonly came: readonly CameBytes[];
};

/** Counts parts that were not counted when they came. */
export function addLateParts(
  sql: Sql,
  bucket: number,
  { storageClass, came }: LateParts,
  commandMs: number,
): void {
  if (came.length === 0) return;
  const atMs = usageTime(sql, commandMs);
  changeTotals(sql, bucket, storageClass, { deltas: deltasOf(came), atMs, came });
}

function deltasOf(came: readonly CameBytes[]): Deltas {
  const partBytes = came.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return { ...noDeltas(), partBytes, partCount: came.length };
}

/**
 * Counts the parts of all late uploads of a bucket, or of one, up to when the last of
 * them came.
 */
export function countLateUploads(sql: Sql, bucket: number, uploadId?: UploadId): void {
  const only = uploadId === undefined ? {} : { uploadId };
  const late = Map.groupBy(takeLateParts(sql, bucket, only), (of) => of.storageClass);
  for (const [storageClass, uploads] of late) {
    const came = uploads.flatMap((of) => of.came);
    // At once, not with others of a group: an hour may be about to end.
    if (came.length > 0) writeTotals(sql, bucket, storageClass, countingOf(came));
  }
}

/** The change that counts bytes up to when the last of them came. */
function countingOf(came: readonly CameBytes[]): TotalsChange {
  const atMs = Math.max(...came.map((each) => each.atMs));
  return { deltas: deltasOf(came), atMs, came };
}

/**
 * A change, with the late parts of its class. An upload of the hour that ends is not
 * counted yet; one of the next hour is counted first and closes the hour. Guard: all of
 * a class are one change, which is counted in the order of their times.
 */
function withLateParts(
  sql: Sql,
  bucket: number,
  storageClass: string,
  change: TotalsChange,
): TotalsChange {
  const late = takeLateParts(sql, bucket, { storageClass }).flatMap(({ came }) => came);
  return late.length === 0 ? change : sumOf([change, countingOf(late)]);
}

/** Bytes and number of the parts that are not counted yet, by storage class. */
export function uncountedParts(
  sql: Sql,
  bucket: number,
): ReadonlyMap<string, { readonly bytes: number; readonly count: number }> {
  const sums = new Map<string, { bytes: number; count: number }>();
  for (const { storageClass, came } of readLateParts(sql, bucket)) {
    if (came.length === 0) continue;
    const sum = sums.get(storageClass) ?? { bytes: 0, count: 0 };
    sums.set(storageClass, sum);
    sum.count += came.length;
    for (const { sizeBytes } of came) sum.bytes += sizeBytes;
  }
  return sums;
}

/**
 * Changes the row of a class, with other commands of a group at once: then all count
 * from the latest of their times, some milliseconds late.
 */
function changeTotals(sql: Sql, bucket: number, storageClass: string, change: TotalsChange): void {
  const write = (values: readonly unknown[]) =>
    writeTotals(sql, bucket, storageClass, sumOf(values as readonly TotalsChange[]));
  const row = `totals ${bucket} ${storageClass}`;
  if (sql.share?.({ row, values: [change], write }) !== true)
    writeTotals(sql, bucket, storageClass, change);
}

function sumOf(changes: readonly TotalsChange[]): TotalsChange {
  const deltas = noDeltas();
  for (const change of changes) for (const name of DELTA_NAMES) deltas[name] += change.deltas[name];
  const atMs = Math.max(...changes.map((change) => change.atMs));
  return { deltas, atMs, came: changes.flatMap(({ came }) => came) };
}

type TotalsRow = { readonly hour_ms: number; readonly as_of_ms: number; readonly spared: number };

function readTotals(sql: Sql, bucket: number, storageClass: string): TotalsRow | undefined {
  const [row] = sql.all<TotalsRow>(
    `SELECT hour_ms, as_of_ms, deduplicated_bytes + compressed_bytes AS spared
     FROM storage_totals WHERE bucket = ? AND storage_class = ?`,
    bucket,
    storageClass,
  );
  return row;
}

function writeTotals(sql: Sql, bucket: number, storageClass: string, own: TotalsChange): void {
  let row = readTotals(sql, bucket, storageClass);
  const isOver = (ms: number) => (row?.hour_ms ?? 0) <= ms - HOUR_MS;
  // Before an hour ends, what came in it is counted.
  const change = isOver(own.atMs) ? withLateParts(sql, bucket, storageClass, own) : own;
  const { deltas, atMs, came } = change;
  if (row === undefined) {
    beginTotals(sql, bucket, storageClass, Math.min(atMs, ...came.map((each) => each.atMs)));
    row = readTotals(sql, bucket, storageClass);
  }
  if (isOver(atMs)) {
    if (came.length > 0) {
      const rest = countedAsCame(sql, bucket, storageClass, change);
      writeTotals(sql, bucket, storageClass, rest);
      return;
    }
    closeHour(sql, bucket, storageClass, atMs);
  }
  const late = lateIntegral(came, row?.hour_ms ?? 0, Math.max(atMs, row?.as_of_ms ?? 0));
  const { deduplicatedAway, compressedAway } = deltas;
  const all = [
    ...[bucket, storageClass, atMs, deltas.currentBytes, deltas.currentCount],
    ...[deltas.noncurrentBytes, deltas.noncurrentCount, deltas.partBytes, deltas.partCount],
    ...[Number(late >> 30n), Number(late & 1073741823n)],
  ];
  // Where nothing is spared, before and after, two of three integrals stay: that
  // halves the statement's time.
  if ((row?.spared ?? 0) === 0 && deduplicatedAway === 0 && compressedAway === 0) {
    sql.all(PLAIN_CHANGE, ...all);
  } else sql.all(SPARING_CHANGE, ...all, deduplicatedAway, compressedAway);
}

/** Byte-milliseconds of bytes from when they came, in the hour that runs, to `asOfMs`. */
function lateIntegral(came: readonly CameBytes[], hourMs: number, asOfMs: number): bigint {
  let sum = 0n;
  for (const { sizeBytes, atMs } of came)
    sum += BigInt(sizeBytes) * BigInt(Math.max(0, asOfMs - Math.max(hourMs, atMs)));
  return sum;
}

/**
 * Counts bytes one by one at the times at which they came, where an hour begins or
 * ended since. Gives the change without them.
 */
function countedAsCame(
  sql: Sql,
  bucket: number,
  storageClass: string,
  { deltas, atMs, came }: TotalsChange,
): TotalsChange {
  const rest = { ...deltas };
  for (const each of came.toSorted((a, b) => a.atMs - b.atMs)) {
    rest.partBytes -= each.sizeBytes;
    rest.partCount -= 1;
    const isLate = each.atMs < (readTotals(sql, bucket, storageClass)?.as_of_ms ?? 0);
    writeTotals(sql, bucket, storageClass, {
      deltas: deltasOf([each]),
      atMs: each.atMs,
      came: isLate ? [each] : [],
    });
  }
  return { deltas: rest, atMs, came: [] };
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

/**
 * The bucket is deleted: its hours, the last one too, end now, and what the sweeper
 * still has to clear away (parts of unfinished uploads) is nobody's to pay.
 */
export function endTotals(sql: Sql, bucket: number, commandMs: number): void {
  const atMs = usageTime(sql, commandMs);
  countLateUploads(sql, bucket);
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
