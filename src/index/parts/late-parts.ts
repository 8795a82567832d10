// Parts of uploads that the totals of their bucket do not count yet: the first ones of
// an upload, if they stand in the rows of their blobs. So a part writes one row. They
// are counted when their upload ends, or when the hour does, with the times at which
// they came. Such an upload is late: `active_at_ms` of its row is below 0, and what it
// else were is the number without its sign. Used by storage-totals.ts, which counts.
import type { UploadId } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';
import { readJoinedParts } from './joined-parts.ts';

/** Parts with greater numbers are counted at once. Our own limit. */
const LATE_NUMBER_MAX = 32;
/** Late uploads that a bucket has at most; further ones are counted at once. Our own limit. */
const LATE_UPLOADS_MAX = 32;

/** Bytes that came at some time. */
export type CameBytes = { readonly sizeBytes: number; readonly atMs: number };
/** Bytes of one storage class that are to be counted. */
export type LateParts = { readonly storageClass: string; readonly came: readonly CameBytes[] };

/** Whether a late upload's joined part of that number is not counted at once. */
export const isCountedLate = (partNumber: number): boolean => partNumber <= LATE_NUMBER_MAX;

/** Whether the row of an upload with this `active_at_ms` is a late one's. */
export const isLateRow = (activeAtMs: number): boolean => activeAtMs < 0;

/** Whether another upload of the bucket may be late. Cost: as many index rows at most. */
export function hasRoomForLate(sql: Sql, bucket: number): boolean {
  return findLateUploads(sql, bucket).length < LATE_UPLOADS_MAX;
}

type LateRow = { readonly upload_id: UploadId; readonly storage_class: string };

function findLateUploads(sql: Sql, bucket: number): LateRow[] {
  return sql.all<LateRow>(
    `SELECT upload_id, attributes ->> '$.storageClass' AS storage_class FROM uploads
     WHERE bucket = ? AND active_at_ms < 0 ORDER BY active_at_ms, key, upload_id`,
    bucket,
  );
}

/** What is not counted yet of a bucket. Cost: up to 1,024 rows of 32 uploads. */
export function readLateParts(sql: Sql, bucket: number): LateParts[] {
  return findLateUploads(sql, bucket).map((upload) => lateOf(sql, bucket, upload));
}

function lateOf(
  sql: Sql,
  bucket: number,
  { upload_id: uploadId, storage_class: storageClass }: LateRow,
): LateParts {
  const numbers = { first: 1, last: LATE_NUMBER_MAX, limit: LATE_NUMBER_MAX };
  const came = readJoinedParts(sql, bucket, uploadId, numbers).map(({ sizeBytes, sinceMs }) => ({
    sizeBytes,
    atMs: sinceMs,
  }));
  return { storageClass, came };
}

/** Which late uploads of a bucket are meant; empty: all. */
export type LateChoice = { readonly uploadId?: UploadId; readonly storageClass?: string };

/** Makes late uploads of a bucket like others; the caller counts what it gives. */
export function takeLateParts(sql: Sql, bucket: number, only: LateChoice): LateParts[] {
  const late = findLateUploads(sql, bucket).filter(
    (row) =>
      (only.uploadId ?? row.upload_id) === row.upload_id &&
      (only.storageClass ?? row.storage_class) === row.storage_class,
  );
  for (const { upload_id: uploadId } of late) {
    sql.all(
      `UPDATE uploads SET active_at_ms = -active_at_ms
       WHERE bucket = ?1 AND active_at_ms < 0 AND upload_id = ?2`,
      bucket,
      uploadId,
    );
  }
  return late.map((row) => lateOf(sql, bucket, row));
}
