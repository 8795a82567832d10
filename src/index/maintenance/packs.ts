// The packs family of the index: which packs are to be written, what belongs into
// one, and the commit that lets its bodies lie in it. Until that commit the bodies
// stand inline, and the blob, if it is there, has no reader; the sweeper leaves it
// alone, for the table says that it is to come. Places are given by open-packs.ts.
//
// Two write the same pack; one adopts it; the other's write lands later. Guard: a
// closed pack gets no body more, a body keeps its slot, and the size is settled, so
// the later bytes are equal wherever a version still refers to them.
import type { BlobId, BucketId } from '../../domain/nouns.ts';
import { isOfBucket } from '../../domain/owner-bucket.ts';
import { goneUntilSparse } from '../../domain/packs/sparse-packs.ts';
import type { WaitingPack } from '../../ports/index-calls/pack-calls.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { CLAIM_MS, PACK_WAIT_MS } from '../objects/open-packs.ts';
import { closePack, type PackRow, waitingBodies, waitingRows } from '../objects/pack-rows.ts';
import { findIncarnation } from '../require-bucket.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

type PackCalls = Pick<IndexApi, 'readPack' | 'claimPacks' | 'adoptPack'>;

/**
 * Least bytes for which a pack that is not full is written. Below, a write of R2
 * ($4.50 a million) would take half a week to save what it costs.
 */
export const PACK_MIN_BYTES = 256 * 1024;

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createPackCalls(sql: Sql): PackCalls {
  return {
    readPack(input) {
      const pack = findClosed(sql, input);
      if (pack === null) return null;
      const { end_bytes: endBytes, size_bytes: sizeBytes } = pack;
      return { bodies: waitingBodies(sql, pack), endBytes, sizeBytes };
    },

    claimPacks({ name, nowMs, limit }) {
      const rows = sql.all<PackRow & { id: BucketId }>(
        `SELECT p.*, b.id FROM buckets AS b JOIN packs AS p ON p.bucket = b.n
         WHERE b.name = ? AND p.due_at_ms <= ? LIMIT ${PLAN_ONCE} ?`,
        name,
        nowMs,
        limit,
      );
      return rows.flatMap((row) => {
        const isWorthIt = row.is_closed === 1 || waitingBytes(sql, row) >= PACK_MIN_BYTES;
        const dueAtMs = nowMs + (isWorthIt ? CLAIM_MS : PACK_WAIT_MS);
        if (isWorthIt && row.is_closed === 0) closePack(sql, row, dueAtMs);
        else sql.all('UPDATE packs SET due_at_ms = ? WHERE n = ?', dueAtMs, row.n);
        return isWorthIt ? [{ bucket: { id: row.id, name }, blobId: row.blob_id }] : [];
      });
    },

    adoptPack({ bucket, blobId, bodyIds, nowMs }) {
      const pack = findClosed(sql, { bucket, blobId });
      if (pack === null) return null;
      const written = new Set(bodyIds);
      const rows = waitingRows(sql, pack);
      const ids = rows.map(({ id }) => id);
      if (ids.some((id) => !written.has(id))) return null;

      for (const id of ids) sql.all('DELETE FROM object_bodies WHERE id = ?', id);
      const sizes = rows.map(({ lengthBytes, textBytes }) => lengthBytes + textBytes);
      sql.all(
        `INSERT INTO blobs (blob_id, bucket, size_bytes, refs, unreferenced_since_ms,
           pack_end_bytes, sparse_refs)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        blobId,
        pack.bucket,
        pack.size_bytes,
        ids.length,
        ids.length === 0 ? nowMs : null,
        pack.end_bytes,
        ids.length - goneUntilSparse(sizes, pack.size_bytes),
      );
      sql.all('DELETE FROM packs WHERE n = ?', pack.n);
      return ids.length;
    },
  };
}

/** The pack, if it waits in that incarnation and gets no body more. */
function findClosed(
  sql: Sql,
  { bucket: address, blobId }: WaitingPack,
): (PackRow & { readonly bucket: number }) | null {
  const bucket = findIncarnation(sql, address);
  if (bucket === null || !isOfBucket(blobId, address.id)) return null;
  const [row] = sql.all<PackRow>('SELECT * FROM packs WHERE blob_id = ? AND is_closed = 1', blobId);
  return row === undefined ? null : { ...row, bucket };
}

function waitingBytes(sql: Sql, pack: { readonly n: number; readonly blob_id: BlobId }): number {
  return waitingRows(sql, pack).reduce((sum, { lengthBytes }) => sum + lengthBytes, 0);
}

/**
 * Ends the packs of a deleted incarnation, whose bodies are all gone: what may be of
 * them in the store is swept like any blob without a reference.
 */
export function dropPacks(sql: Sql, bucket: number): void {
  sql.all(
    `INSERT INTO blobs (blob_id, bucket, size_bytes, refs, unreferenced_since_ms)
     SELECT blob_id, bucket, size_bytes, 0, 0 FROM packs WHERE bucket = ?`,
    bucket,
  );
  sql.all('DELETE FROM packs WHERE bucket = ?', bucket);
}
