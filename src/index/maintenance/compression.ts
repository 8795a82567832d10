// The compression family of the index: which versions may be compressed, the
// exchange of a body's plain blobs for the compressed one, and how far a run came.
// An exchange changes nothing that clients see; it happens only where the version
// still lies in the blobs that were read, and nobody else does.
import type { BlobId, ObjectKey, VersionId } from '../../domain/nouns.ts';
import { rowIdOf } from '../../domain/uploads/upload-rows.ts';
import type {
  CompressionBounds,
  CompressionCandidate,
  CompressionCursor,
  CompressionRun,
} from '../../ports/index-calls/compression-calls.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { addReferences, dropReferences, referencesOf } from '../objects/blob-references.ts';
import { savedByCompression } from '../objects/compression-savings.ts';
import { compressionFactsOf, detailOfRow } from '../objects/object-rows.ts';
import { rowChanged } from '../objects/row-changes.ts';
import { rewriteDetail } from '../objects/version-details.ts';
import { requireBucket } from '../require-bucket.ts';
import { oneRow } from '../usage/row-state.ts';
import { pageOf, readObjectRows, readOtherRows } from './lifecycle-scan.ts';
import { findBody, isSameBody } from './stored-bodies.ts';

type CompressionCalls = Pick<
  IndexApi,
  'getCompressionRun' | 'scanForCompression' | 'setCompressionRun' | 'exchangeBody'
>;

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createCompressionCalls(sql: Sql): CompressionCalls {
  return {
    getCompressionRun({ bucket }) {
      const [row] = sql.all<{ run: string }>(
        'SELECT run FROM packing_runs WHERE bucket = ?',
        requireBucket(sql, bucket),
      );
      return row === undefined ? null : (JSON.parse(row.run) as CompressionRun);
    },

    setCompressionRun({ bucket, run }) {
      const n = requireBucket(sql, bucket);
      sql.all(
        'INSERT OR REPLACE INTO packing_runs (bucket, run) VALUES (?, ?)',
        n,
        JSON.stringify(run),
      );
    },

    scanForCompression: ({ bucket, cursor, bounds }) =>
      scanForCompression(sql, requireBucket(sql, bucket), cursor, bounds),

    exchangeBody({ bucket, key, versionId, from, to, newReference, nowMs }) {
      const n = requireBucket(sql, bucket);
      const version = findBody(sql, n, key, versionId);
      if (version === null) return { isExchanged: false };
      const { object, stored, kind } = version;
      // A repeated exchange: its outcome was not known.
      if (isSameBody(object.segments, [to])) return { isExchanged: true };
      if (!isSameBody(object.segments, from) || !isOnlyReference(sql, n, stored.references.keys()))
        return { isExchanged: false };
      // Without a digest: no later upload is deduplicated with compressed bytes.
      addReferences(sql, n, stored.storageClass, referencesOf([to]), [newReference]);
      const lost = dropReferences(sql, n, stored.storageClass, stored.references, nowMs);
      const next = { ...object, segments: [to], inlineBytes: null };
      rewriteDetail(sql, n, kind === 'current' ? 'objects' : 'versions', next, stored.bodyId);
      const state = oneRow(kind, { ...stored, compressedAway: savedByCompression(next.segments) });
      rowChanged(sql, { bucket: n, key, from: oneRow(kind, stored, lost), to: state, atMs: nowMs });
      return { isExchanged: true };
    },
  };
}

/** Whether each blob was written here, and one row alone references it. */
function isOnlyReference(sql: Sql, bucket: number, blobIds: Iterable<BlobId>): boolean {
  for (const blobId of blobIds) {
    const [row] = sql.all<{ is_own: number }>(
      `SELECT refs = 1 AND is_held = 0 AND is_condemned = 0 AND home_bucket_id IS NULL AS is_own
       FROM blobs WHERE blob_id = ? AND bucket = ?`,
      rowIdOf(blobId),
      bucket,
    );
    if (row?.is_own !== 1) return false;
  }
  return true;
}

type Row = {
  readonly key: string;
  readonly version_id: string;
  readonly size_bytes: number;
  readonly last_modified_ms: number;
};

/** Finds what may be compressed. Contract: `IndexQueries.scanForCompression`. */
function scanForCompression(
  sql: Sql,
  bucket: number,
  cursor: CompressionCursor,
  bounds: CompressionBounds,
) {
  const table = cursor.phase;
  const toCandidate = (row: Row): CompressionCandidate | null => {
    const { size_bytes: sizeBytes, last_modified_ms: lastModifiedMs } = row;
    if (sizeBytes < bounds.minBytes || sizeBytes > bounds.maxBytes) return null;
    if (lastModifiedMs <= bounds.writtenAfterMs || lastModifiedMs > bounds.writtenUpToMs)
      return null;
    const facts = compressionFactsOf(detailOfRow(sql, table, bucket, row));
    if (facts === null || !isOnlyReference(sql, bucket, referencesOf(facts.segments).keys()))
      return null;
    const { headers } = facts;
    return {
      key: row.key as ObjectKey,
      versionId: row.version_id as VersionId,
      sizeBytes,
      lastModifiedMs,
      headers,
    };
  };
  const { subjects, next } =
    table === 'objects'
      ? pageOf(readObjectRows(sql, bucket, cursor), toCandidate, (row) => ({
          ...cursor,
          afterKey: row.key,
        }))
      : pageOf(
          readOtherRows(sql, bucket, cursor),
          (row) => (row.is_marker === 1 ? null : toCandidate(row)),
          (row) => ({ ...cursor, afterKey: row.key, afterId: row.version_id }),
        );
  return { candidates: subjects, next: next as CompressionCursor | null };
}
