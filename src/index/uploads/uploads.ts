// The uploads family of the index: multipart uploads in progress and their parts.
// Turning one into an object is complete-upload.ts's.
import type { BucketAddress, BucketRef, ObjectKey, UploadId } from '../../domain/nouns.ts';
import type {
  ListUploadsInput,
  ListUploadsPage,
  UploadedPart,
} from '../../ports/index-calls/upload-calls.ts';
import type { IndexApi, NewBlobReference } from '../../ports/metadata-index.ts';
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
import { decodeSegments } from '../objects/object-rows.ts';
import { rowChanged } from '../objects/row-changes.ts';
import {
  dropJoinedPart,
  type JoinedPart,
  joinableReference,
  NUMBER_MAX,
  putJoinedPart,
  readJoinedPart,
  readJoinedParts,
} from '../parts/joined-parts.ts';
import { hasRoomForLate, isCountedLate } from '../parts/late-parts.ts';
import { requireBucket } from '../require-bucket.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { oneRow, type RowState } from '../usage/row-state.ts';
import { countLateUploads } from '../usage/storage-totals.ts';
import { usageTime } from '../usage/usage-time.ts';
import { completeUpload } from './complete-upload.ts';
import {
  decodePart,
  decodeUpload,
  deleteUpload,
  findUpload,
  noSuchUpload,
  type OpenUpload,
  type PartRow,
  readStoredParts,
  reportPartsGone,
  type StoredPart,
  type UploadRow,
  writePart,
  writeUpload,
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
  function open(address: UploadAddress): { n: number } & OpenUpload {
    const n = requireBucket(sql, address.bucket);
    const upload = findUpload(sql, n, address.key, address.uploadId);
    if (upload === null) throw noSuchUpload(address.uploadId);
    return { n, ...upload };
  }

  return {
    getUpload: (address) => open(address).upload,
    listUploads: (input) => listUploads(sql, input),
    completeUpload: (input) => completeUpload(sql, input),

    listParts(input) {
      const { n, upload } = open(input);
      return { upload, ...listParts(sql, n, input) };
    },

    createUpload({ bucket, upload, isLate = false }) {
      const n = requireBucket(sql, bucket);
      // Where there are quotas totals are exact all the time.
      const mayBeLate = isLate && bucket.quotas === undefined && upload.createdAtMs > 0;
      const sign = mayBeLate && hasRoomForLate(sql, n) ? -1 : 1;
      writeUpload(sql, n, upload, sign * upload.createdAtMs);
    },

    commitPart(input) {
      const { n, ...openUpload } = open(input);
      const reference = joinableReference(
        input.bucket.id,
        input.uploadId,
        input.part,
        input.newReferences,
      );
      if (reference !== null) {
        commitJoinedPart(sql, n, openUpload, input.part, reference);
        return { storedAs: null };
      }
      const { storageClass } = openUpload.upload;
      const { storedAs, ...deduplicated } = shareEqualBlob(
        sql,
        n,
        storageClass,
        input.part.segments,
        input.newReferences,
      );
      const part = { ...input.part, segments: deduplicated.segments };
      const saved = addReferences(
        sql,
        n,
        storageClass,
        referencesOf(part.segments),
        deduplicated.newReferences,
      );
      replacePart(sql, n, openUpload, part, saved);
      return { storedAs };
    },

    abortUpload(input) {
      const { n, ...openUpload } = open(input);
      dropUpload(sql, n, openUpload, input.nowMs);
    },

    dropUploadsOfIncarnation: (input) => ({ isDone: dropUploadsOfIncarnation(sql, input) }),
  };
}

/**
 * Removes an upload with its parts and their references. Gives the bytes of the
 * parts.
 */
export function dropUpload(sql: Sql, bucket: number, open: OpenUpload, nowMs: number): number {
  const { parts, lost } = dropParts(sql, bucket, open, nowMs);
  reportPartsGone(sql, bucket, open.upload, parts, lost, nowMs);
  return parts.values().reduce((sum, part) => sum + part.sizeBytes, 0);
}

/**
 * Removes an upload without a report of the change. Gives its parts, and what
 * deduplication saved of them.
 */
function dropParts(
  sql: Sql,
  bucket: number,
  open: OpenUpload,
  nowMs: number,
): { readonly parts: ReadonlyMap<number, StoredPart>; readonly lost: SavedBytes } {
  const { key, uploadId, storageClass } = open.upload;
  const parts = readStoredParts(sql, bucket, open);
  let lost = 0;
  for (const part of parts.values())
    lost += dropReferences(sql, bucket, storageClass, part.references, nowMs);
  deleteUpload(sql, bucket, key, uploadId);
  return { parts, lost };
}

/**
 * Drops uploads of a deleted bucket, and says whether none is left. One call does
 * about as much as aborting the largest upload.
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
    const open = { upload: decodeUpload(row), isLate: false };
    parts += dropParts(sql, n, open, nowMs).parts.size;
  }
  return rows.length <= DROPPED_UPLOADS;
}

/** Parts of an upload behind a number, at most so many. */
export function listParts(
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
  const joined = readJoinedParts(sql, bucket, input.uploadId, {
    first: input.afterPartNumber + 1,
    last: NUMBER_MAX,
    limit: input.maxParts + 1,
  });
  const parts = [...rows.map(decodePart), ...joined.map(withoutRow)].sort(
    (a, b) => a.partNumber - b.partNumber,
  );
  return { parts: parts.slice(0, input.maxParts), isTruncated: parts.length > input.maxParts };
}

function withoutRow({ blobId: _blobId, sinceMs: _sinceMs, ...part }: JoinedPart): UploadedPart {
  return part;
}

/**
 * Commits a part into the row of its blob. The first parts of a late upload are not
 * counted yet.
 */
function commitJoinedPart(
  sql: Sql,
  bucket: number,
  open: OpenUpload,
  part: UploadedPart,
  reference: NewBlobReference,
): void {
  const { key, uploadId, storageClass } = open.upload;
  const replaced = readJoinedPart(sql, bucket, uploadId, part.partNumber);
  // A client repeats a commit whose response it missed: the part is there already.
  if (replaced?.blobId === reference.blobId) return;
  const from = takeReplaced(sql, bucket, open, part, replaced);
  if (from !== null && replaced === null) {
    sql.all(
      'DELETE FROM parts WHERE bucket = ? AND upload_id = ? AND part_number = ?',
      bucket,
      uploadId,
      part.partNumber,
    );
  }
  putJoinedPart(sql, bucket, reference, part, usageTime(sql, part.lastModifiedMs));
  if (from === null && open.isLate && isCountedLate(part.partNumber)) return;
  const to = oneRow('part', { sizeBytes: part.sizeBytes, storageClass });
  rowChanged(sql, { bucket, key, from, to, atMs: part.lastModifiedMs });
}

/**
 * Takes the references of the part that another one is to replace, in whichever format;
 * a row of its own stays. Gives what the totals count of it, once the upload's late
 * parts are counted too; null: there is no such part.
 */
function takeReplaced(
  sql: Sql,
  bucket: number,
  open: OpenUpload,
  { partNumber, lastModifiedMs }: UploadedPart,
  joined: JoinedPart | null,
): RowState | null {
  const { uploadId, storageClass } = open.upload;
  const [separate] = sql.all<{ segments: string; size_bytes: number }>(
    'SELECT segments, size_bytes FROM parts WHERE bucket = ? AND upload_id = ? AND part_number = ?',
    bucket,
    uploadId,
    partNumber,
  );
  if (joined === null && separate === undefined) return null;
  if (open.isLate) countLateUploads(sql, bucket, uploadId);
  if (joined !== null) {
    dropJoinedPart(sql, bucket, joined.blobId, lastModifiedMs);
    return oneRow('part', { sizeBytes: joined.sizeBytes, storageClass });
  }
  const segments = decodeSegments(separate?.segments ?? '[]');
  const lost = dropReferences(sql, bucket, storageClass, referencesOf(segments), lastModifiedMs);
  const sizeBytes = separate?.size_bytes ?? 0;
  const compressedAway = savedByCompression(segments);
  return oneRow('part', { sizeBytes, storageClass, compressedAway }, lost);
}

/**
 * Puts a part in a row of its own, in place of the one of its number, if any, whose
 * references it drops.
 */
function replacePart(
  sql: Sql,
  bucket: number,
  open: OpenUpload,
  part: UploadedPart,
  saved: SavedBytes,
): void {
  const { key, uploadId, storageClass } = open.upload;
  const joined = readJoinedPart(sql, bucket, uploadId, part.partNumber);
  const from = takeReplaced(sql, bucket, open, part, joined);
  writePart(sql, bucket, uploadId, part);
  const compressedAway = savedByCompression(part.segments);
  const to = oneRow('part', { sizeBytes: part.sizeBytes, storageClass, compressedAway }, saved);
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
