// Parts of uploads in progress, page by page, for check and scrub: those in rows of
// their own, then those in the rows of their blobs. See inventory.ts.
import type { BucketName, Segment, UploadId } from '../../domain/nouns.ts';
import type { Upload } from '../../ports/index-calls/upload-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { NUMBER_MAX, readJoinedParts } from '../parts/joined-parts.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { decodePart, decodeUpload, type PartRow, type UploadRow } from '../uploads/upload-rows.ts';

/**
 * A part of an upload in progress. `upload` null: nobody can complete it. `etag`:
 * as `md5` of its row.
 */
export type InventoryPart = PartCursor & {
  readonly bucketName: BucketName;
  readonly uploadId: UploadId;
  readonly upload: Upload | null;
  readonly sizeBytes: number;
  readonly etag: string;
  readonly segments: readonly Segment[];
};
/**
 * `joinedKey`: the upload's key, among the parts in rows of their blobs, which come
 * behind all others.
 */
export type PartCursor = {
  readonly bucket: number;
  readonly uploadId: string;
  readonly partNumber: number;
  readonly joinedKey?: string;
};
export const FIRST_PART: PartCursor = { bucket: 0, uploadId: '', partNumber: 0 };

type InventoryPartRow = PartRow & {
  readonly bucket: number;
  readonly name: string;
  readonly upload_id: string;
  readonly key: string | null;
  readonly created_at_ms: number;
  readonly attributes: string;
};

/** Parts of uploads in progress behind a cursor. */
export function listStoredParts(
  sql: Sql,
  page: { after: PartCursor; limit: number },
): InventoryPart[] {
  const { after, limit } = page;
  const separate = after.joinedKey === undefined ? listSeparateParts(sql, page) : [];
  if (separate.length === limit) return separate;
  const from = after.joinedKey === undefined ? FIRST_PART : after;
  return [...separate, ...listJoinedParts(sql, from, limit - separate.length)];
}

type JoinedUploadRow = UploadRow & { readonly bucket: number; readonly name: string };

/** Parts in the rows of their blobs, upload by upload, each with its key as a cursor. */
function listJoinedParts(sql: Sql, after: PartCursor, limit: number): InventoryPart[] {
  const found: InventoryPart[] = [];
  let { bucket, joinedKey = '', uploadId, partNumber } = after;
  for (;;) {
    const [row] = sql.all<JoinedUploadRow>(
      `SELECT u.bucket, b.name, u.key, u.upload_id, u.created_at_ms, u.attributes
       FROM uploads AS u JOIN buckets AS b ON b.n = u.bucket
       WHERE (u.bucket, u.key, u.upload_id) >= (?, ?, ?)
       ORDER BY u.bucket, u.key, u.upload_id LIMIT 1`,
      bucket,
      joinedKey,
      uploadId,
    );
    if (row === undefined) return found;
    const upload = decodeUpload(row);
    const isSame = row.bucket === bucket && row.key === joinedKey && row.upload_id === uploadId;
    const first = isSame ? partNumber + 1 : 0;
    const parts = readJoinedParts(sql, row.bucket, upload.uploadId, {
      first,
      last: NUMBER_MAX,
      limit: limit - found.length,
    });
    for (const part of parts) {
      found.push({
        bucket: row.bucket,
        bucketName: row.name as BucketName,
        uploadId: upload.uploadId,
        upload,
        joinedKey: row.key,
        partNumber: part.partNumber,
        sizeBytes: part.sizeBytes,
        etag: part.md5,
        segments: part.segments,
      });
    }
    if (found.length === limit) return found;
    // Behind all parts of this upload.
    ({ bucket, key: joinedKey } = row);
    uploadId = `${row.upload_id}\0`;
    partNumber = 0;
  }
}

function listSeparateParts(
  sql: Sql,
  { after, limit }: { after: PartCursor; limit: number },
): InventoryPart[] {
  const rows = sql.all<InventoryPartRow>(
    `SELECT p.*, b.name, u.key, u.created_at_ms, u.attributes
     FROM parts AS p JOIN buckets AS b ON b.n = p.bucket
     LEFT JOIN uploads AS u ON u.bucket = p.bucket AND u.upload_id = p.upload_id
     WHERE (p.bucket, p.upload_id, p.part_number) > (?, ?, ?)
     ORDER BY p.bucket, p.upload_id, p.part_number LIMIT ${PLAN_ONCE} ?`,
    after.bucket,
    after.uploadId,
    after.partNumber,
    limit,
  );
  return rows.map((row) => {
    const { partNumber, sizeBytes, md5, segments } = decodePart(row);
    return {
      bucket: row.bucket,
      bucketName: row.name as BucketName,
      uploadId: row.upload_id as UploadId,
      upload: row.key === null ? null : decodeUpload({ ...row, key: row.key }),
      partNumber,
      sizeBytes,
      etag: md5,
      segments,
    };
  });
}
