// How much each bucket stores now, per storage class, and the exact integral of
// that over time. The integral of the current hour stands in the row of the totals.
// The first command after its end closes it: the result is moved to
// `storage_hours`, where it waits until the ledger has it. Called by row-changes.ts
// inside commits; the collecting side is storage-hours.ts.
//
// Parts of uploads and objects may be counted later than they came (late-parts.ts,
// late-objects.ts): then the integral gains what they were stored meanwhile, in the
// same statement.

import { StorageError } from '../../domain/errors.ts';
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
import { countedFrom, LATE_CLASS, readLateObjects, takeLateObjects } from './late-objects.ts';
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
  part_bytes = part_bytes + ?8, part_count = part_count + ?9, counted_to = ?12`;
// With RETURNING to tell whether it met the row, such a statement takes twice the
// time: more than the look before it.
const PLAIN_CHANGE = `UPDATE storage_totals SET ${GROW.slice(0, 2).join(', ')}, ${COUNTS}
  WHERE bucket = ?1 AND storage_class = ?2`;
const SPARING_CHANGE = `UPDATE storage_totals SET ${GROW.join(', ')}, ${COUNTS},
  deduplicated_bytes = deduplicated_bytes + ?13, compressed_bytes = compressed_bytes + ?14
  WHERE bucket = ?1 AND storage_class = ?2`;

/** Applies one change of rows to the totals of its bucket. See `rowChanged`. */
export function addToTotals(sql: Sql, change: RowChange): void {
  const { bucket, from, to } = change;
  const atMs = usageTime(sql, change.atMs);
  const opensAt = change.counting?.countedTo ?? '';
  // What goes or becomes another may be an object that is not counted yet.
  const takesAll = from !== null && from.kind !== 'part';
  if (from !== null && to !== null && from.storageClass === to.storageClass) {
    const deltas = noDeltas();
    addState(deltas, from, -1);
    addState(deltas, to, 1);
    changeTotals(sql, bucket, to.storageClass, { deltas, atMs, came: [], takesAll, opensAt });
    return;
  }
  for (const [state, sign] of [[from, -1] as const, [to, 1] as const]) {
    if (state === null) continue;
    const deltas = noDeltas();
    addState(deltas, state, sign);
    const { storageClass } = state;
    changeTotals(sql, bucket, storageClass, { deltas, atMs, came: [], takesAll, opensAt });
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
  /** Whether it may concern an object that is not counted yet: then all are. */
  readonly takesAll: boolean;
  /** The blob from which on objects may be counted late; empty: as it is. */
  readonly opensAt: string;
};
/** A change that concerns no object. */
const OF_PARTS = { takesAll: false, opensAt: '' };

/** Counts parts that were not counted when they came. */
export function addLateParts(
  sql: Sql,
  bucket: number,
  { storageClass, came }: LateParts,
  commandMs: number,
): void {
  if (came.length === 0) return;
  const atMs = usageTime(sql, commandMs);
  changeTotals(sql, bucket, storageClass, { deltas: deltasOf(came), atMs, came, ...OF_PARTS });
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
  return { deltas: deltasOf(came), atMs, came, ...OF_PARTS };
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

/** What the totals of a class do not count yet. */
export type Uncounted = {
  readonly partBytes: number;
  readonly partCount: number;
  readonly currentBytes: number;
  readonly currentCount: number;
};

/** Parts and objects that are not counted yet, by storage class. */
export function readUncounted(sql: Sql, bucket: number): ReadonlyMap<string, Uncounted> {
  const sums = new Map<string, Deltas>();
  const deltasIn = (storageClass: string) => {
    const deltas = sums.get(storageClass) ?? noDeltas();
    sums.set(storageClass, deltas);
    return deltas;
  };
  for (const { storageClass, came } of readLateParts(sql, bucket)) {
    for (const { sizeBytes } of came) {
      const deltas = deltasIn(storageClass);
      deltas.partBytes += sizeBytes;
      deltas.partCount += 1;
    }
  }
  for (const { sizeBytes } of readLateObjects(sql, bucket)) {
    const deltas = deltasIn(LATE_CLASS);
    deltas.currentBytes += sizeBytes;
    deltas.currentCount += 1;
  }
  return sums;
}

/** Counts the objects of a bucket that are not counted yet, up to when the last came. */
export function countLateObjects(sql: Sql, bucket: number): void {
  const late = readLateObjects(sql, bucket);
  if (late.length === 0) return;
  const atMs = Math.max(...late.map((each) => each.atMs));
  const change = { deltas: noDeltas(), atMs, came: [], takesAll: true, opensAt: '' };
  writeTotals(sql, bucket, LATE_CLASS, change);
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
  return {
    deltas,
    atMs,
    came: changes.flatMap(({ came }) => came),
    takesAll: changes.some(({ takesAll }) => takesAll),
    opensAt: changes.reduce((last, { opensAt }) => (opensAt > last ? opensAt : last), ''),
  };
}

type TotalsRow = {
  readonly hour_ms: number;
  readonly as_of_ms: number;
  readonly spared: number;
  readonly counted_to: string;
};

function readTotals(sql: Sql, bucket: number, storageClass: string): TotalsRow | undefined {
  const [row] = sql.all<TotalsRow>(
    `SELECT hour_ms, as_of_ms, deduplicated_bytes + compressed_bytes AS spared, counted_to
     FROM storage_totals WHERE bucket = ? AND storage_class = ?`,
    bucket,
    storageClass,
  );
  return row;
}

function writeTotals(sql: Sql, bucket: number, storageClass: string, own: TotalsChange): void {
  let row = readTotals(sql, bucket, storageClass);
  const isOver = (ms: number) => (row?.hour_ms ?? 0) <= ms - HOUR_MS;
  let change = own;
  const begins = row === undefined || isOver(own.atMs);
  if (begins) {
    // Before an hour ends, what came in it is counted.
    if (storageClass === LATE_CLASS) countLateObjects(sql, bucket);
    change = withLateParts(sql, bucket, storageClass, own);
  }
  const { atMs, came } = change;
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
  if (begins) row = readTotals(sql, bucket, storageClass);
  if (row === undefined) throw new StorageError('InternalError', { cause: 'no row of totals' });
  updateTotals(sql, bucket, storageClass, change, row);
}

/** Adds a change to a row whose hour has not ended before it. */
function updateTotals(
  sql: Sql,
  bucket: number,
  storageClass: string,
  { deltas, atMs, came, takesAll, opensAt }: TotalsChange,
  row: TotalsRow,
): void {
  const { hour_ms: hourMs, as_of_ms: asOfMs, spared } = row;
  const isLateClass = storageClass === LATE_CLASS;
  const totals = { hourMs, countedTo: row.counted_to };
  const late = isLateClass
    ? takeLateObjects(sql, bucket, totals, takesAll)
    : { came: [], countedTo: row.counted_to };
  const countedTo = isLateClass ? countedFrom(late.countedTo, opensAt, hourMs) : late.countedTo;
  const lateBytes = late.came.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const integral = lateIntegral([...came, ...late.came], hourMs, Math.max(atMs, asOfMs));

  const { deduplicatedAway, compressedAway } = deltas;
  const all = [
    ...[bucket, storageClass, atMs],
    ...[deltas.currentBytes + lateBytes, deltas.currentCount + late.came.length],
    ...[deltas.noncurrentBytes, deltas.noncurrentCount, deltas.partBytes, deltas.partCount],
    ...[Number(integral >> 30n), Number(integral & 1073741823n), countedTo],
  ];
  // Where nothing is spared, before and after, two of three integrals stay: that
  // halves the statement's time.
  if (spared === 0 && deduplicatedAway === 0 && compressedAway === 0) {
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
  { deltas, atMs, came, takesAll, opensAt }: TotalsChange,
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
      ...OF_PARTS,
    });
  }
  return { deltas: rest, atMs, came: [], takesAll, opensAt };
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
  countLateObjects(sql, bucket);
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
