// Deduplication: a new blob with a digest gives way to one of its bucket that has
// equal bytes. Called by the commits of objects and parts, inside their
// transaction: a condemned blob is never found, and of two equal new blobs the
// second always finds the first. References are counted by blob-references.ts.
import type { BlobId, Segment } from '../../domain/nouns.ts';
import { rowIdOf } from '../../domain/uploads/upload-rows.ts';
import type { NewBlobReference } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import type { BlobReferences } from './blob-references.ts';

/**
 * What a commit refers to: `storedAs` is the blob that was there already, null
 * where the new one stays.
 */
type SharedBody = {
  readonly segments: readonly Segment[];
  readonly newReferences: readonly NewBlobReference[];
  readonly storedAs: BlobId | null;
};

/**
 * The body with the blob that is stored of equal ones. Only a plain body that is
 * one whole new blob with a digest is looked up. Cost: one statement for such a
 * body, none for others.
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
  const rows = sql.all<{ blob_id: BlobId }>(
    `SELECT blob_id FROM blobs
     WHERE bucket = ? AND sha256 = ? AND size_bytes = ? AND storage_class = ? AND is_condemned = 0
     LIMIT 2`,
    bucket,
    newReference.digest.sha256Hex,
    newReference.sizeBytes,
    storageClass,
  );
  const equal = rows.map(({ blob_id: rowId }) => rowIdOf(rowId));
  const [first] = equal;
  // A repeated commit may find its own blob, which others may share by now: that
  // one must stay.
  if (first === undefined || equal.includes(newReference.blobId)) return unshared;
  return {
    segments: [{ ...segment, blobId: first }],
    newReferences: [],
    storedAs: first,
  };
}

/**
 * The blob that a repeated commit refers to instead of its new one; null: to the
 * new one. A new blob that the index knows was not replaced by that commit,
 * whatever its row refers to now.
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
    rowIdOf(newReference.blobId),
    bucket,
  );
  return known.length > 0 ? null : (references.keys().next().value ?? null);
}
