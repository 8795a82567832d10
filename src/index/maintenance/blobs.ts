// The blobs family of the index: remote references of other buckets to a blob, and
// the sweeper's steps: condemn, (the store deletes,) forget. A condemned blob can
// never be referenced again, so what the sweeper gets is safe to delete. References
// themselves are counted by blob-references.ts.

import { StorageError } from '../../domain/errors.ts';
import type { BlobId, BucketAddress, BucketId, BucketName } from '../../domain/nouns.ts';
import { rowIdOf } from '../../domain/uploads/upload-rows.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { findIncarnation } from '../require-bucket.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

type BlobCalls = Pick<
  IndexApi,
  | 'findUnknownBlobs'
  | 'findReferencedBlobs'
  | 'addRemoteReferences'
  | 'releaseRemoteReferences'
  | 'condemnBlobs'
  | 'forgetBlobs'
>;
/** A mention of a blob by another bucket, `referrer`. */
type RemoteReference = { readonly blobId: BlobId; readonly referrer: BucketAddress };
/** A mention of a blob by the id of its row. */
type RemoteRow = { readonly rowId: BlobId; readonly referrer: BucketAddress };

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createBlobCalls(sql: Sql): BlobCalls {
  return {
    findUnknownBlobs({ blobIds }) {
      const rows = sql.all<{ blob_id: string }>(
        `SELECT value AS blob_id FROM json_each(?)
         WHERE NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.blob_id = value)
           AND NOT EXISTS (SELECT 1 FROM packs WHERE packs.blob_id = value)`,
        JSON.stringify(blobIds.map(rowIdOf)),
      );
      return rows.map((row) => rowIdOf(row.blob_id as BlobId));
    },

    findReferencedBlobs({ referrer, blobIds }) {
      const rows = sql.all<{ blob_id: BlobId }>(
        `SELECT blobs.blob_id FROM buckets JOIN blobs ON blobs.bucket = buckets.n
         WHERE buckets.id = ? AND buckets.name = ?
           AND blobs.blob_id IN (SELECT value FROM json_each(?))`,
        referrer.id,
        referrer.name,
        JSON.stringify(blobIds.map(rowIdOf)),
      );
      return rows.map((row) => rowIdOf(row.blob_id));
    },

    addRemoteReferences({ ownerBucket, blobIds, referrer, nowMs }) {
      const bucket = findIncarnation(sql, ownerBucket);
      if (bucket === null) throw new StorageError('NoSuchBlob');
      for (const blobId of blobIds)
        addRemoteReference(sql, bucket, { rowId: rowIdOf(blobId), referrer }, nowMs);
    },

    releaseRemoteReferences({ ownerBucket, blobIds, referrer, takenUpToMs }) {
      const bucket = findIncarnation(sql, ownerBucket);
      if (bucket === null) return;
      for (const blobId of blobIds)
        releaseRemoteReference(sql, bucket, { rowId: rowIdOf(blobId), referrer }, takenUpToMs);
    },

    condemnBlobs({ bucket: address, olderThanMs, limit }) {
      const bucket = findIncarnation(sql, address);
      if (bucket === null) return { blobs: [], oldRemoteReferences: [] };
      return {
        blobs: condemnUnreferenced(sql, bucket, olderThanMs, limit),
        oldRemoteReferences: takeOldRemoteReferences(sql, bucket, olderThanMs, limit),
      };
    },

    forgetBlobs({ bucket: address, blobIds }) {
      const bucket = findIncarnation(sql, address);
      if (bucket === null) return;
      for (const blobId of blobIds) {
        sql.all(
          'DELETE FROM blobs WHERE blob_id = ? AND bucket = ? AND is_condemned = 1',
          rowIdOf(blobId),
          bucket,
        );
      }
    },
  };
}

/**
 * Adds a remote reference, or moves the time of one on: a copy under way relies on
 * that (see `releaseRemoteReference`).
 */
function addRemoteReference(
  sql: Sql,
  bucket: number,
  { rowId, referrer }: RemoteRow,
  nowMs: number,
): void {
  const [row] = sql.all<{ is_held: number }>(
    `UPDATE blobs
     SET is_held = 1, holds_checked_ms = CASE WHEN is_held = 1 THEN holds_checked_ms ELSE ? END
     WHERE blob_id = ? AND bucket = ? AND is_condemned = 0 RETURNING is_held`,
    nowMs,
    rowId,
    bucket,
  );
  if (row === undefined) throw new StorageError('NoSuchBlob');
  sql.all(
    `INSERT INTO blob_holds (bucket, blob_id, holder_id, holder_name, held_at_ms)
     VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (bucket, blob_id, holder_id) DO UPDATE
       SET held_at_ms = max(held_at_ms, excluded.held_at_ms)`,
    bucket,
    rowId,
    referrer.id,
    referrer.name,
    nowMs,
  );
}

/**
 * Releases a remote reference that was taken at `takenUpToMs` or before. The sweeper
 * finds an old reference that its bucket does not use; a copy renews it; the sweeper
 * releases it. Guard: the bound is that of the sweeper's grace, so the renewed
 * reference stays.
 */
function releaseRemoteReference(
  sql: Sql,
  bucket: number,
  { rowId, referrer }: RemoteRow,
  takenUpToMs: number,
): void {
  sql.all(
    'DELETE FROM blob_holds WHERE bucket = ? AND blob_id = ? AND holder_id = ? AND held_at_ms <= ?',
    bucket,
    rowId,
    referrer.id,
    takenUpToMs,
  );
  sql.all(
    `UPDATE blobs SET is_held = 0,
       unreferenced_since_ms = CASE WHEN refs = 0 THEN max(unreferenced_since_ms, ?3) END
     WHERE blob_id = ?1 AND bucket = ?2 AND is_held = 1
       AND NOT EXISTS (
         SELECT 1 FROM blob_holds WHERE blob_holds.bucket = ?2 AND blob_holds.blob_id = ?1)`,
    rowId,
    bucket,
    takenUpToMs,
  );
}

/**
 * Condemns blobs that nothing references. Those condemned before and not yet
 * forgotten come again, so that a sweep that was cut off is continued.
 */
function condemnUnreferenced(
  sql: Sql,
  bucket: number,
  olderThanMs: number,
  limit: number,
): { blobId: BlobId; ownerBucket: BucketAddress | null }[] {
  const rows = sql.all<{
    blob_id: string;
    home_bucket_id: string | null;
    home_name: string | null;
  }>(
    `SELECT blob_id, home_bucket_id, home_name FROM blobs
     WHERE bucket = ? AND unreferenced_since_ms < ? AND is_held = 0
     ORDER BY unreferenced_since_ms LIMIT ${PLAN_ONCE} ?`,
    bucket,
    olderThanMs,
    limit,
  );
  for (const row of rows) {
    sql.all(
      'UPDATE blobs SET is_condemned = 1 WHERE blob_id = ? AND bucket = ?',
      row.blob_id,
      bucket,
    );
  }
  return rows.map((row) => ({
    blobId: rowIdOf(row.blob_id as BlobId),
    ownerBucket:
      row.home_bucket_id === null || row.home_name === null
        ? null
        : { id: row.home_bucket_id as BucketId, name: row.home_name as BucketName },
  }));
}

/**
 * At most `limit` old remote references to blobs without another reference. A blob
 * that was checked goes to the end of the queue, so that none starves. Further
 * referrers of a blob are checked once these have released it: as long as one of
 * them has a copy, it stays anyway.
 */
function takeOldRemoteReferences(
  sql: Sql,
  bucket: number,
  olderThanMs: number,
  limit: number,
): RemoteReference[] {
  const blobs = sql.all<{ blob_id: string }>(
    `SELECT blob_id FROM blobs
     WHERE bucket = ? AND refs = 0 AND is_held = 1 AND holds_checked_ms < ?
     ORDER BY holds_checked_ms LIMIT ${PLAN_ONCE} ?`,
    bucket,
    olderThanMs,
    limit,
  );
  const references: RemoteReference[] = [];
  for (const { blob_id } of blobs) {
    if (references.length >= limit) break;
    const rows = sql.all<{ holder_id: string; holder_name: string }>(
      `SELECT holder_id, holder_name FROM blob_holds
       WHERE bucket = ? AND blob_id = ? AND held_at_ms < ? LIMIT ${PLAN_ONCE} ?`,
      bucket,
      blob_id,
      olderThanMs,
      limit - references.length,
    );
    for (const row of rows) {
      const referrer = { id: row.holder_id as BucketId, name: row.holder_name as BucketName };
      references.push({ blobId: rowIdOf(blob_id as BlobId), referrer });
    }
    sql.all(
      'UPDATE blobs SET holds_checked_ms = ? WHERE blob_id = ? AND bucket = ?',
      olderThanMs,
      blob_id,
      bucket,
    );
  }
  return references;
}
