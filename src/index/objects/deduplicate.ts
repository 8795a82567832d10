// Storing equal bytes once: a blob that arrives with its digest gives way to one of the same bucket
// that has the same bytes. Called by the commits of objects and parts, inside their transaction, so
// a blob that the sweeper was given is never found, and of two equal arrivals the second always
// finds the first. It counts nothing: blob-references.ts does.
import type { BlobId, Segment } from '../../domain/nouns.ts';
import type { NewBlobReference } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import type { BlobReferences } from './blob-references.ts';

/**
 * What a commit refers to: `storedAs` is the blob that was there already, null where the arrival
 * stays.
 */
type SharedBody = {
  readonly segments: readonly Segment[];
  readonly newReferences: readonly NewBlobReference[];
  readonly storedAs: BlobId | null;
};

/**
 * The body as it shall be referred to. Only a plain body that is one whole arrival with a digest is
 * looked up. Cost: one statement for such a body, none for others.
 */
export function shareEqualBlob(
  sql: Sql,
  bucket: number,
  storageClass: string,
  segments: readonly Segment[],
  newReferences: readonly NewBlobReference[],
): SharedBody {
  const [newReference] = newReferences;
  const [segment] = segments;
  const unshared = { segments, newReferences, storedAs: null };
  if (newReference?.digest === undefined || segment === undefined || segments.length > 1)
    return unshared;
  if (segment.packing !== undefined) return unshared;
  const equal = sql.all<{ blob_id: BlobId }>(
    `SELECT blob_id FROM blobs
     WHERE bucket = ? AND sha256 = ? AND size_bytes = ? AND storage_class = ? AND is_condemned = 0
     LIMIT 2`,
    bucket,
    newReference.digest.sha256Hex,
    newReference.sizeBytes,
    storageClass,
  );
  const [first] = equal;
  // A commit that is repeated may find its own blob, which others may have found since: that one
  // must stay.
  if (first === undefined || equal.some(({ blob_id: blobId }) => blobId === newReference.blobId))
    return unshared;
  return {
    segments: [{ ...segment, blobId: first.blob_id }],
    newReferences: [],
    storedAs: first.blob_id,
  };
}

/**
 * The same for a commit that is there already: what its row refers to in the place of the arrival.
 * An arrival that the index knows was not replaced by that commit, whatever its row refers to now:
 * others may find it.
 */
export function findSharedBlob(
  sql: Sql,
  bucket: number,
  references: BlobReferences,
  newReferences: readonly NewBlobReference[],
): BlobId | null {
  const [newReference] = newReferences;
  if (newReference?.digest === undefined || references.has(newReference.blobId)) return null;
  const known = sql.all(
    'SELECT 1 FROM blobs WHERE blob_id = ? AND bucket = ?',
    newReference.blobId,
    bucket,
  );
  return known.length > 0 ? null : (references.keys().next().value ?? null);
}
