// Reference counts of blobs: one reference for each object version and each part,
// however often it uses the blob. For shared blobs the bytes that rows of each
// storage class refer to are counted too, and so what deduplication saves. Called
// by the object and upload families inside their commits, which report the saved
// bytes to row-changes.ts. Removing blobs is blobs.ts's.

import { StorageError } from '../../domain/errors.ts';
import type { BlobId, Segment } from '../../domain/nouns.ts';
import { rowIdOf } from '../../domain/uploads/upload-rows.ts';
import type { NewBlobReference } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import type { LateMark } from '../usage/late-objects.ts';

/**
 * The blobs that a row references, and how many bytes of each, counted as often as
 * they stand in it.
 */
export type BlobReferences = ReadonlyMap<BlobId, number>;

/** The blobs of a body, with the bytes that its segments take of each. */
export function referencesOf(segments: readonly Segment[]): BlobReferences {
  const references = new Map<BlobId, number>();
  for (const { blobId, lengthBytes } of segments)
    references.set(blobId, (references.get(blobId) ?? 0) + lengthBytes);
  return references;
}

/**
 * Change of the bytes that deduplication saves in a storage class: what a commit
 * reports with its row.
 */
export type SavedBytes = number;

/**
 * `?3`: the path of a storage class in `shares`; `?4`: by how much what its rows
 * refer to changes, bytes.
 */
const SHARES =
  'CASE WHEN sha256 IS NOT NULL THEN json_set(shares, ?3, coalesce(shares ->> ?3, 0) + ?4) END';
/**
 * A blob is stored once for each class: what the class refers to beyond the blob's
 * size is saved. Null: not shared.
 */
const SAVED = `max(0, (shares ->> ?3) - size_bytes)
  - max(0, (shares ->> ?3) - ?4 - size_bytes) AS saved`;
type Saved = { readonly saved: number | null };

const pathOf = (storageClass: string): string => `$."${storageClass}"`;

/** A new reference, with what its row says if its object is counted later. */
type MarkedReference = NewBlobReference & { readonly late?: LateMark | null };

/**
 * Adds one reference to each blob; one that nothing referenced any more is revived
 * by it. Blobs of `newReferences` are made known, the others must be. NoSuchBlob
 * when a blob is unknown or condemned. Cost: one statement per blob.
 */
export function addReferences(
  sql: Sql,
  bucket: number,
  storageClass: string,
  references: BlobReferences,
  newReferences: readonly MarkedReference[],
): SavedBytes {
  const newReferenceOf = new Map(
    newReferences.map((newReference) => [newReference.blobId, newReference]),
  );
  let saved = 0;
  for (const [blobId, bytes] of references) {
    const newReference = newReferenceOf.get(blobId);
    const [row] =
      newReference === undefined
        ? addKnown(sql, bucket, storageClass, blobId, bytes)
        : addNewReference(sql, bucket, storageClass, newReference, bytes);
    if (row === undefined) throw new StorageError('NoSuchBlob');
    saved += row.saved ?? 0;
  }
  return saved;
}

function addKnown(
  sql: Sql,
  bucket: number,
  storageClass: string,
  blobId: BlobId,
  bytes: number,
): Saved[] {
  return sql.all(
    `UPDATE blobs SET refs = refs + 1, unreferenced_since_ms = NULL, shares = ${SHARES}
     WHERE blob_id = ?1 AND bucket = ?2 AND is_condemned = 0 RETURNING ${SAVED}`,
    rowIdOf(blobId),
    bucket,
    pathOf(storageClass),
    bytes,
  );
}

/**
 * The row may exist: a second copy of a blob of another bucket, or a commit that is
 * repeated.
 */
function addNewReference(
  sql: Sql,
  bucket: number,
  storageClass: string,
  newReference: MarkedReference,
  bytes: number,
): Saved[] {
  const { sizeBytes, ownerBucket, digest, late = null } = newReference;
  const blobId = rowIdOf(newReference.blobId);
  if (digest === undefined) {
    return sql.all(
      `INSERT INTO blobs (blob_id, bucket, size_bytes, refs, home_bucket_id, home_name,
         late_at_ms, late_bytes)
       VALUES (?, ?, ?, 1, ?, ?, ?, ?)
       ON CONFLICT (blob_id, bucket) DO UPDATE SET refs = refs + 1, unreferenced_since_ms = NULL
         WHERE is_condemned = 0
       RETURNING NULL AS saved`,
      blobId,
      bucket,
      sizeBytes,
      ownerBucket?.id ?? null,
      ownerBucket?.name ?? null,
      late?.atMs ?? null,
      late?.sizeBytes ?? null,
    );
  }
  return sql.all(
    `INSERT INTO blobs (blob_id, bucket, size_bytes, refs, sha256, storage_class, shares)
     VALUES (?1, ?2, ?5, 1, ?6, ?7, json_set('{}', ?3, ?4))
     ON CONFLICT (blob_id, bucket) DO UPDATE
       SET refs = refs + 1, unreferenced_since_ms = NULL, shares = ${SHARES}
       WHERE is_condemned = 0
     RETURNING ${SAVED}`,
    blobId,
    bucket,
    pathOf(storageClass),
    bytes,
    sizeBytes,
    digest.sha256Hex,
    storageClass,
  );
}

/**
 * Takes one reference from each blob; one that has none left is unreferenced since
 * `nowMs`. A blob that the index does not know is skipped: a damaged index must not
 * make an object undeletable. Gives how much less is saved.
 */
export function dropReferences(
  sql: Sql,
  bucket: number,
  storageClass: string,
  references: BlobReferences,
  nowMs: number,
): SavedBytes {
  let lost = 0;
  for (const [blobId, bytes] of references) {
    lost -= changeReferences(sql, bucket, storageClass, blobId, { refs: -1, bytes: -bytes }, nowMs);
  }
  return lost;
}

/** Moves the counts of a known blob, of which none may become negative. */
export function changeReferences(
  sql: Sql,
  bucket: number,
  storageClass: string,
  blobId: BlobId,
  change: { readonly refs: number; readonly bytes: number },
  nowMs: number,
): SavedBytes {
  const [row] = sql.all<Saved>(
    `UPDATE blobs SET refs = refs + ?5, shares = ${SHARES},
       unreferenced_since_ms = CASE WHEN refs + ?5 = 0 THEN ?6 END
     WHERE blob_id = ?1 AND bucket = ?2 RETURNING ${SAVED}`,
    rowIdOf(blobId),
    bucket,
    pathOf(storageClass),
    change.bytes,
    change.refs,
    nowMs,
  );
  return row?.saved ?? 0;
}

/**
 * A row goes to another class with its references. Gives what it saved before and
 * what it saves now.
 */
export function moveShares(
  sql: Sql,
  bucket: number,
  references: BlobReferences,
  from: string,
  to: string,
): { readonly before: SavedBytes; readonly after: SavedBytes } {
  const rows = sql.all<{ blob_id: BlobId }>(
    `SELECT blob_id FROM blobs
     WHERE blob_id IN (SELECT value FROM json_each(?)) AND bucket = ? AND sha256 IS NOT NULL`,
    JSON.stringify([...references.keys()].map(rowIdOf)),
    bucket,
  );
  let [before, after] = [0, 0];
  for (const { blob_id: rowId } of rows) {
    const blobId = rowIdOf(rowId);
    const bytes = references.get(blobId) ?? 0;
    before -= changeReferences(sql, bucket, from, blobId, { refs: 0, bytes: -bytes }, 0);
    after += changeReferences(sql, bucket, to, blobId, { refs: 0, bytes }, 0);
  }
  return { before, after };
}
