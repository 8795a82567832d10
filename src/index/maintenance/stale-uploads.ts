// Aborts multipart uploads that nobody goes on with, for the sweep and lifecycle
// rules. An upload is stale when nothing of it has come for some time: since it was
// begun, or since its last part. `active_at_ms` of its row is a lower bound of
// that. Parts do not touch it; it is corrected here when it seems too old. So an
// upload that goes on for days costs one look at its parts in each such time, and a
// part costs nothing.
import type { UploadId } from '../../domain/nouns.ts';
import type { UploadCursor } from '../../ports/index-calls/upload-calls.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { readJoinedParts } from '../parts/joined-parts.ts';
import { isLateRow } from '../parts/late-parts.ts';
import { requireBucket } from '../require-bucket.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { decodeUpload, type OpenUpload, type UploadRow } from '../uploads/upload-rows.ts';
import { dropUpload } from '../uploads/uploads.ts';
import { addCommitUsage } from '../usage/commit-usage.ts';
import { countLateUploads } from '../usage/storage-totals.ts';

type AbortInput = Parameters<IndexApi['abortStaleUploads']>[0];
type CandidateRow = UploadRow & { readonly active_at_ms: number };

/**
 * Uploads that one call scans, and parts of them: about as much work as aborting
 * the largest upload.
 */
const UPLOADS_PER_CALL = 100;
const PARTS_PER_CALL = 10_000;

const START: UploadCursor = { activeAtMs: Number.MIN_SAFE_INTEGER, key: '', uploadId: '' };

/** Gives up uploads that rest too long. Contract: `IndexCommands.abortStaleUploads`. */
export function abortStaleUploads(
  sql: Sql,
  input: AbortInput,
): ReturnType<IndexApi['abortStaleUploads']> {
  const n = requireBucket(sql, input.bucket);
  // Then the time of each upload's activity stands in its row.
  countLateUploads(sql, n);
  const from = input.after ?? START;
  const rows = sql.all<CandidateRow>(
    `SELECT key, upload_id, created_at_ms, attributes, active_at_ms FROM uploads
     WHERE bucket = ?1 AND active_at_ms <= ?2 AND (active_at_ms, key, upload_id) > (?3, ?4, ?5)
     ORDER BY active_at_ms, key, upload_id LIMIT ${PLAN_ONCE} ?6`,
    n,
    input.idleSinceMs,
    from.activeAtMs,
    from.key,
    from.uploadId,
    UPLOADS_PER_CALL,
  );
  let aborted = 0;
  let freedBytes = 0;
  let parts = 0;
  let last: CandidateRow | null = null;
  for (const row of rows) {
    if (parts >= PARTS_PER_CALL) break;
    last = row;
    if (input.exceptPrefixes.some((prefix) => row.key.startsWith(prefix))) continue;
    const summary = summarizeParts(sql, n, row.upload_id as UploadId);
    parts += summary.count;
    if (summary.newestMs > input.idleSinceMs) {
      noteActivity(sql, n, row, summary.newestMs);
    } else {
      const open = { upload: decodeUpload(row), isLate: isLateRow(row.active_at_ms) };
      freedBytes += giveUpUpload(sql, n, open, input.nowMs);
      aborted += 1;
    }
  }
  const isDone = rows.length < UPLOADS_PER_CALL && last === rows.at(-1);
  const next = last === null || isDone ? null : cursorOf(last);
  return { aborted, freedBytes, next };
}

/**
 * Removes an upload that its owner left unfinished, and counts what that frees, for
 * the bill to show. Gives the bytes.
 */
export function giveUpUpload(sql: Sql, bucket: number, open: OpenUpload, nowMs: number): number {
  const freedBytes = dropUpload(sql, bucket, open, nowMs);
  addCommitUsage(sql, bucket, 'free/stale-uploads', 1n, nowMs);
  addCommitUsage(sql, bucket, 'free/stale-upload-bytes', BigInt(freedBytes), nowMs);
  return freedBytes;
}

function summarizeParts(
  sql: Sql,
  bucket: number,
  uploadId: UploadId,
): { count: number; newestMs: number } {
  const [row] = sql.all<{ count: number; newest_ms: number }>(
    `SELECT count(*) AS count, coalesce(max(last_modified_ms), 0) AS newest_ms FROM parts
     WHERE bucket = ? AND upload_id = ?`,
    bucket,
    uploadId,
  );
  const joined = readJoinedParts(sql, bucket, uploadId);
  const times = joined.map((part) => part.lastModifiedMs);
  return {
    count: (row?.count ?? 0) + joined.length,
    newestMs: times.reduce((newest, ms) => Math.max(newest, ms), row?.newest_ms ?? 0),
  };
}

function noteActivity(sql: Sql, bucket: number, row: CandidateRow, activeAtMs: number): void {
  sql.all(
    'UPDATE uploads SET active_at_ms = ? WHERE bucket = ? AND key = ? AND upload_id = ?',
    activeAtMs,
    bucket,
    row.key,
    row.upload_id,
  );
}

const cursorOf = (row: CandidateRow): UploadCursor => ({
  activeAtMs: row.active_at_ms,
  key: row.key,
  uploadId: row.upload_id,
});
