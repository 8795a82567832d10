// Counted references from rows to blobs: one for each object version and each part that mentions a blob, however
// often it does. Called by the object and upload families inside their commits. Removing blobs is blobs.ts's.
import type { BlobId, Segment } from '../ports/domain.ts';
import { StorageError } from '../ports/errors.ts';
import type { BlobArrival } from '../ports/metadata-index.ts';
import type { Sql } from '../ports/sql.ts';

/** The blobs that segments mention, each once. */
export function blobIdsOf(segments: readonly Segment[]): ReadonlySet<BlobId> {
  return new Set(segments.map((segment) => segment.blobId));
}

/**
 * Adds one reference to each blob; one that nothing referenced any more is revived by it. Blobs in `arrivals` are
 * made known, the others must be. NoSuchBlob when a blob is unknown or condemned. Cost: one statement per blob.
 */
export function addReferences(
  sql: Sql,
  bucket: number,
  blobIds: Iterable<BlobId>,
  arrivals: readonly BlobArrival[],
): void {
  const arrivalOf = new Map(arrivals.map((arrival) => [arrival.blobId, arrival]));
  for (const blobId of blobIds) {
    const arrival = arrivalOf.get(blobId);
    const [row] = arrival === undefined ? addKnown(sql, bucket, blobId) : addArrival(sql, bucket, arrival);
    if (row === undefined) throw new StorageError('NoSuchBlob');
  }
}

function addKnown(sql: Sql, bucket: number, blobId: BlobId): { refs: number }[] {
  return sql.all(
    `UPDATE blobs SET refs = refs + 1, unreferenced_since_ms = NULL
     WHERE blob_id = ? AND bucket = ? AND is_condemned = 0 RETURNING refs`,
    blobId,
    bucket,
  );
}

/** The row may exist: a second copy of a blob of another bucket, or a commit that is repeated. */
function addArrival(sql: Sql, bucket: number, arrival: BlobArrival): { refs: number }[] {
  return sql.all(
    `INSERT INTO blobs (blob_id, bucket, size_bytes, refs, home_bucket_id, home_name) VALUES (?, ?, ?, 1, ?, ?)
     ON CONFLICT (blob_id, bucket) DO UPDATE SET refs = refs + 1, unreferenced_since_ms = NULL
       WHERE is_condemned = 0
     RETURNING refs`,
    arrival.blobId,
    bucket,
    arrival.sizeBytes,
    arrival.home?.id ?? null,
    arrival.home?.name ?? null,
  );
}

/**
 * Takes one reference from each blob; one that has none left is unreferenced since `nowMs`. A blob that the index
 * does not know is passed over: a damaged index must not make an object undeletable.
 */
export function dropReferences(sql: Sql, bucket: number, blobIds: Iterable<BlobId>, nowMs: number): void {
  for (const blobId of blobIds) changeReferences(sql, bucket, blobId, -1, nowMs);
}

/** Moves the count of a known blob by `change`, which may not make it negative. */
export function changeReferences(sql: Sql, bucket: number, blobId: BlobId, change: number, nowMs: number): void {
  sql.all(
    `UPDATE blobs SET refs = refs + ?3, unreferenced_since_ms = CASE WHEN refs + ?3 = 0 THEN ?4 END
     WHERE blob_id = ?1 AND bucket = ?2`,
    blobId,
    bucket,
    change,
    nowMs,
  );
}
