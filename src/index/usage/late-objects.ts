// Objects that the totals of their bucket do not count yet: PUTs of one new blob, so
// that such a PUT writes the rows of its object and its blob alone (ADR 57). The
// blob's row says when the object came and how large it is. The row of the totals says
// up to which blob id all are counted: what is behind it, with an id of the totals'
// hour, and says when it came, is not counted. The next change of that row that could
// concern one of them counts all, and so does whoever closes the hour.
//
// The mark stays in the blob's row: to remove it were another row. So `counted_to`
// never goes back. Used by storage-totals.ts, which counts, and by commit-object.ts.
import { timeText } from '../../domain/ids/ordered-ids.ts';
import type { BlobId, ObjectVersion } from '../../domain/nouns.ts';
import { HOUR_MS, startOfHour } from '../../domain/time.ts';
import type { NewBlobReference } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import type { CameBytes } from '../parts/late-parts.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { usageTime } from './usage-time.ts';

/** Only objects of this class are late: one row of totals says what is counted. */
export const LATE_CLASS = 'STANDARD';
/**
 * Blobs behind `counted_to` from which on a PUT counts some of them. Each PUT reads
 * them, so more would cost more than the rows that they save. Our own limit.
 */
const LATE_MAX = 48;
/**
 * Blobs that stay uncounted then: PUTs under way have ids between theirs, and what has
 * an id before `counted_to` is counted at once.
 */
const LATE_STAYING = 16;

const UNLIMITED = -1;

/** What the row of a blob says whose object is counted later. */
export type LateMark = CameBytes;

/** What a PUT says of how it is counted. */
export type PutCounting = {
  /** The blob from which on the totals may count late, if they do not yet. */
  readonly countedTo: BlobId;
  /** Null: it is counted at once. */
  readonly mark: LateMark | null;
};

/** Ids of blobs that may be late, both bounds excluded. */
type IdRange = { readonly from: string; readonly to: string };

/** Ids behind one of its hour; null: it is of another hour, so nothing is late. */
function idsBehind(countedTo: string, hourMs: number): IdRange | null {
  const owner = countedTo.slice(0, countedTo.lastIndexOf('/') + 1);
  const to = owner + timeText(hourMs + HOUR_MS);
  return owner === '' || countedTo < owner + timeText(hourMs) || countedTo >= to
    ? null
    : { from: countedTo, to };
}

type BlobRow = {
  readonly blobId: BlobId;
  readonly atMs: number | null;
  readonly sizeBytes: number | null;
};

function readBlobs(sql: Sql, bucket: number, { from, to }: IdRange, limit: number): BlobRow[] {
  return sql.all<BlobRow>(
    `SELECT blob_id AS blobId, late_at_ms AS atMs, late_bytes AS sizeBytes FROM blobs
     WHERE blob_id > ? AND blob_id < ? AND bucket = ? ORDER BY blob_id LIMIT ${PLAN_ONCE} ?`,
    from,
    to,
    bucket,
    limit,
  );
}

const marksOf = (rows: readonly BlobRow[]): LateMark[] =>
  rows.flatMap(({ atMs, sizeBytes }) =>
    atMs === null || sizeBytes === null ? [] : [{ atMs, sizeBytes }],
  );

/**
 * How a PUT is counted; null: like any other change. `isNew`: it replaces nothing. What
 * is there and its blob's id decide, so a commit that is repeated decides as before.
 * Cost: up to 49 rows.
 */
export function countingOfPut(
  sql: Sql,
  bucket: number,
  object: ObjectVersion,
  newReferences: readonly NewBlobReference[],
  isNew: boolean,
): PutCounting | null {
  const blobId = blobOfPut(object, newReferences);
  if (blobId === null) return null;
  return { countedTo: blobId, mark: isNew ? markOf(sql, bucket, object, blobId) : null };
}

/** The new blob that is all of an object, and nobody's but this bucket's. */
function blobOfPut(
  { storageClass, segments }: ObjectVersion,
  newReferences: readonly NewBlobReference[],
): BlobId | null {
  const [segment, ...otherSegments] = segments;
  const [reference, ...otherReferences] = newReferences;
  if (segment === undefined || reference === undefined || storageClass !== LATE_CLASS) return null;
  if (otherSegments.length > 0 || otherReferences.length > 0) return null;
  const { blobId, digest, ownerBucket } = reference;
  const isPlain =
    segment.blobId === blobId &&
    segment.packing === undefined &&
    digest === undefined &&
    ownerBucket === null;
  return isPlain ? blobId : null;
}

function markOf(sql: Sql, bucket: number, object: ObjectVersion, blobId: BlobId): LateMark | null {
  const [totals] = sql.all<{ hourMs: number; asOfMs: number; countedTo: string }>(
    `SELECT hour_ms AS hourMs, as_of_ms AS asOfMs, counted_to AS countedTo
     FROM storage_totals WHERE bucket = ? AND storage_class = '${LATE_CLASS}'
       AND current_bytes + noncurrent_bytes + part_bytes > 0`,
    bucket,
  );
  if (totals === undefined) return null;

  // Like every change it counts no earlier than the one before it.
  const atMs = Math.max(usageTime(sql, object.lastModifiedMs), totals.asOfMs);
  if (startOfHour(atMs) !== totals.hourMs) return null;

  const ids = idsBehind(totals.countedTo, totals.hourMs);
  if (ids === null || blobId <= ids.from || blobId >= ids.to) return null;

  const rows = readBlobs(sql, bucket, ids, LATE_MAX);
  const isFull = rows.length === LATE_MAX;
  return isFull || rows.some((row) => row.blobId === blobId)
    ? null
    : { atMs, sizeBytes: object.sizeBytes };
}

/** What a change of totals counts besides, and up to which id all are counted then. */
export type LateObjects = { readonly came: readonly LateMark[]; readonly countedTo: string };

/**
 * What a change that writes the totals in their hour counts besides. `takesAll`: it may
 * concern a late object; else some go when there are too many. Cost: nothing while
 * nothing is late, else each blob that was committed since it was read last.
 */
export function takeLateObjects(
  sql: Sql,
  bucket: number,
  { countedTo, hourMs }: { readonly countedTo: string; readonly hourMs: number },
  takesAll: boolean,
): LateObjects {
  const ids = idsBehind(countedTo, hourMs);
  if (ids === null) return { came: [], countedTo };
  const rows = readBlobs(sql, bucket, ids, UNLIMITED);
  if (!takesAll && rows.length < LATE_MAX) return { came: [], countedTo };
  const taken = takesAll ? rows : rows.slice(0, -LATE_STAYING);
  return { came: marksOf(taken), countedTo: taken.at(-1)?.blobId ?? countedTo };
}

/** What is not counted yet of a bucket. Cost: two rows, and some 48 where something is. */
export function readLateObjects(sql: Sql, bucket: number): readonly LateMark[] {
  const [totals] = sql.all<{ hourMs: number; countedTo: string }>(
    `SELECT hour_ms AS hourMs, counted_to AS countedTo
     FROM storage_totals WHERE bucket = ? AND storage_class = '${LATE_CLASS}'`,
    bucket,
  );
  const ids = totals === undefined ? null : idsBehind(totals.countedTo, totals.hourMs);
  return ids === null ? [] : marksOf(readBlobs(sql, bucket, ids, UNLIMITED));
}

/** Where the totals begin to count late, unless they do so in their hour already. */
export function countedFrom(countedTo: string, opensAt: string, hourMs: number): string {
  const opens = idsBehind(opensAt, hourMs) !== null;
  const isOpen = idsBehind(countedTo, hourMs) !== null;
  // Never back: rows behind it that are counted have marks still.
  return opens && !isOpen && opensAt > countedTo ? opensAt : countedTo;
}
