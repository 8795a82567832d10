// The uploads family of the index: multipart uploads in progress and their parts.
// Turning one into an object is complete-upload.ts's.
import type { BucketAddress, BucketRef, ObjectKey, Segment, UploadId } from '../../domain/nouns.ts';
import type {
  ListUploadsInput,
  ListUploadsPage,
  Upload,
  UploadedPart,
} from '../../ports/index-calls/upload-calls.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { justAfter } from '../keys/key-order.ts';
import { type Cursor, readNamePage, startKey } from '../keys/key-pages.ts';
import {
  addReferences,
  dropReferences,
  referencesOf,
  type SavedBytes,
} from '../objects/blob-references.ts';
import { savedByCompression } from '../objects/compression-savings.ts';
import { shareEqualBlob } from '../objects/deduplicate.ts';
import { decodeSegments, encodeSegments } from '../objects/object-rows.ts';
import { rowChanged } from '../objects/row-changes.ts';
import { requireBucket } from '../require-bucket.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { oneRow } from '../usage/row-state.ts';
import { completeUpload } from './complete-upload.ts';
import {
  decodePart,
  decodeUpload,
  deleteUpload,
  encodeAttributes,
  findUpload,
  noSuchUpload,
  type PartRow,
  readStoredParts,
  reportPartsGone,
  type StoredPart,
  type UploadRow,
} from './upload-rows.ts';

type UploadCalls = Pick<
  IndexApi,
  | 'getUpload'
  | 'listParts'
  | 'listUploads'
  | 'createUpload'
  | 'commitPart'
  | 'completeUpload'
  | 'abortUpload'
  | 'dropUploadsOfIncarnation'
>;
/**
 * Uploads of a deleted bucket that one call drops at most, and the parts after
 * which it stops.
 */
const DROPPED_UPLOADS = 100;
const DROPPED_PARTS = 10_000;

type UploadAddress = {
  readonly bucket: BucketRef;
  readonly key: ObjectKey;
  readonly uploadId: UploadId;
};

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createUploadCalls(sql: Sql): UploadCalls {
  /** The bucket's number and the upload. BucketChanged, NoSuchUpload. */
  function open(address: UploadAddress): { n: number; upload: Upload } {
    const n = requireBucket(sql, address.bucket);
    const upload = findUpload(sql, n, address.key, address.uploadId);
    if (upload === null) throw noSuchUpload(address.uploadId);
    return { n, upload };
  }

  return {
    getUpload: (address) => open(address).upload,
    listUploads: (input) => listUploads(sql, input),
    completeUpload: (input) => completeUpload(sql, input),

    listParts(input) {
      const { n, upload } = open(input);
      return { upload, ...listParts(sql, n, input) };
    },

    createUpload({ bucket, upload }) {
      // Upload ids are random, so a row that exists is this very call, repeated.
      sql.all(
        `INSERT INTO uploads (bucket, key, upload_id, created_at_ms, active_at_ms, attributes)
         VALUES (?1, ?2, ?3, ?4, ?4, ?5)
         ON CONFLICT (bucket, key, upload_id) DO NOTHING`,
        requireBucket(sql, bucket),
        upload.key,
        upload.uploadId,
        upload.createdAtMs,
        encodeAttributes(upload),
      );
    },

    commitPart(input) {
      const { n, upload } = open(input);
      const { storageClass } = upload;
      const { storedAs, ...shared } = shareEqualBlob(
        sql,
        n,
        storageClass,
        input.part.segments,
        input.newReferences,
      );
      const part = { ...input.part, segments: shared.segments };
      const saved = addReferences(
        sql,
        n,
        storageClass,
        referencesOf(part.segments),
        shared.newReferences,
      );
      replacePart(sql, n, upload, part, saved);
      return { storedAs };
    },

    abortUpload(input) {
      const { n, upload } = open(input);
      dropUpload(sql, n, upload, input.nowMs);
    },

    dropUploadsOfIncarnation: (input) => ({ isDone: dropUploadsOfIncarnation(sql, input) }),
  };
}

/**
 * Removes an upload with its parts and their references. Gives the bytes of the
 * parts.
 */
export function dropUpload(sql: Sql, bucket: number, upload: Upload, nowMs: number): number {
  const { parts, lost } = dropParts(sql, bucket, upload, nowMs);
  reportPartsGone(sql, bucket, upload, parts, lost, nowMs);
  return parts.values().reduce((sum, part) => sum + part.sizeBytes, 0);
}

/**
 * Removes an upload without a report of the change. Gives its parts, and what
 * deduplication saved of them.
 */
function dropParts(
  sql: Sql,
  bucket: number,
  { key, uploadId, storageClass }: Pick<Upload, 'key' | 'uploadId' | 'storageClass'>,
  nowMs: number,
): { readonly parts: ReadonlyMap<number, StoredPart>; readonly lost: SavedBytes } {
  const parts = readStoredParts(sql, bucket, uploadId);
  let lost = 0;
  for (const part of parts.values())
    lost += dropReferences(sql, bucket, storageClass, part.references, nowMs);
  deleteUpload(sql, bucket, key, uploadId);
  return { parts, lost };
}

/**
 * Whether none is left. One call does about as much as aborting the largest upload.
 */
function dropUploadsOfIncarnation(
  sql: Sql,
  { bucket, nowMs }: { bucket: BucketAddress; nowMs: number },
): boolean {
  const rows = sql.all<{ n: number } & UploadRow>(
    `SELECT n, key, upload_id, uploads.created_at_ms, attributes
     FROM buckets JOIN uploads ON uploads.bucket = n
     WHERE id = ? AND name = ? AND deleted_at_ms IS NOT NULL LIMIT ${PLAN_ONCE} ?`,
    bucket.id,
    bucket.name,
    DROPPED_UPLOADS + 1,
  );
  let parts = 0;
  for (const { n, ...row } of rows.slice(0, DROPPED_UPLOADS)) {
    if (parts >= DROPPED_PARTS) return false;
    // No report: totals and sums of the bucket ended with it.
    parts += dropParts(sql, n, decodeUpload(row), nowMs).parts.size;
  }
  return rows.length <= DROPPED_UPLOADS;
}

function listParts(
  sql: Sql,
  bucket: number,
  input: { uploadId: UploadId; afterPartNumber: number; maxParts: number },
): { parts: readonly UploadedPart[]; isTruncated: boolean } {
  if (input.maxParts === 0) return { parts: [], isTruncated: false };
  const rows = sql.all<PartRow>(
    `SELECT part_number, size_bytes, md5, last_modified_ms, checksum_algorithm, checksum_value,
       segments
     FROM parts WHERE bucket = ? AND upload_id = ? AND part_number > ?
     ORDER BY part_number LIMIT ${PLAN_ONCE} ?`,
    bucket,
    input.uploadId,
    input.afterPartNumber,
    input.maxParts + 1,
  );
  return {
    parts: rows.slice(0, input.maxParts).map(decodePart),
    isTruncated: rows.length > input.maxParts,
  };
}

/**
 * Puts a part in place of the one of its number, if any, whose references it drops.
 */
function replacePart(
  sql: Sql,
  bucket: number,
  upload: Upload,
  part: UploadedPart,
  saved: SavedBytes,
): void {
  const { key, uploadId, storageClass } = upload;
  const [replaced] = sql.all<{ segments: string; size_bytes: number }>(
    'SELECT segments, size_bytes FROM parts WHERE bucket = ? AND upload_id = ? AND part_number = ?',
    bucket,
    uploadId,
    part.partNumber,
  );
  const oldSegments = replaced === undefined ? [] : decodeSegments(replaced.segments);
  const lost = dropReferences(
    sql,
    bucket,
    storageClass,
    referencesOf(oldSegments),
    part.lastModifiedMs,
  );
  sql.all(
    `INSERT OR REPLACE INTO parts (bucket, upload_id, part_number, size_bytes, md5,
       last_modified_ms, checksum_algorithm, checksum_value, segments)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    bucket,
    uploadId,
    part.partNumber,
    part.sizeBytes,
    part.md5,
    part.lastModifiedMs,
    part.checksum?.algorithm ?? null,
    part.checksum?.value ?? null,
    encodeSegments(part.segments),
  );
  const stateOf = (sizeBytes: number, segments: readonly Segment[], deduplicatedAway: SavedBytes) =>
    oneRow(
      'part',
      { sizeBytes, storageClass, compressedAway: savedByCompression(segments) },
      deduplicatedAway,
    );
  const from = replaced === undefined ? null : stateOf(replaced.size_bytes, oldSegments, lost);
  const to = stateOf(part.sizeBytes, part.segments, saved);
  rowChanged(sql, { bucket, key, from, to, atMs: part.lastModifiedMs });
}

function listUploads(sql: Sql, input: ListUploadsInput): ListUploadsPage {
  const n = requireBucket(sql, input.bucket);
  const page = readNamePage<UploadRow>({
    prefix: input.prefix,
    delimiter: input.delimiter,
    maxNames: input.maxUploads,
    start: firstUpload(input),
    first: '',
    read: (from, endKey, limit) =>
      sql.all<UploadRow>(
        `SELECT key, upload_id, created_at_ms, attributes FROM uploads
         WHERE bucket = ? AND (key, upload_id) >= (?, ?) AND key < ?
         ORDER BY key, upload_id LIMIT ${PLAN_ONCE} ?`,
        n,
        from.key,
        from.within,
        endKey,
        limit,
      ),
    after: (row) => ({ key: row.key, within: justAfter(row.upload_id) }),
  });
  return {
    uploads: page.rows.map(decodeUpload),
    commonPrefixes: page.commonPrefixes,
    isTruncated: page.isTruncated,
    last:
      typeof page.last === 'string'
        ? { key: page.last, uploadId: '' }
        : page.last && addressOf(page.last),
  };
}

function addressOf(row: UploadRow): { key: string; uploadId: string } {
  return { key: row.key, uploadId: row.upload_id };
}

/**
 * Where the page starts. `afterUploadId` counts only when `afterKey` is a key that
 * the page lists by itself.
 */
function firstUpload({ prefix, delimiter, afterKey, afterUploadId }: ListUploadsInput): Cursor {
  const key = startKey(prefix, delimiter, afterKey);
  const isInsideKey =
    afterUploadId !== '' && afterKey.startsWith(prefix) && key === justAfter(afterKey);
  return isInsideKey ? { key: afterKey, within: justAfter(afterUploadId) } : { key, within: '' };
}
