// Completing a multipart upload: one commit that makes an object of the listed
// parts, frees the others, and stores the outcome so that a client that missed the
// response can repeat the request.
import { sha256Hex } from '../../crypto/hash.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BlobId, ObjectKey, ObjectVersion, UploadId } from '../../domain/nouns.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { Upload } from '../../ports/index-calls/upload-calls.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import {
  type BlobReferences,
  changeReferences,
  referencesOf,
  type SavedBytes,
} from '../objects/blob-references.ts';
import { checkCondition } from '../objects/commit-object.ts';
import { factsOf, recordEvent } from '../objects/object-events.ts';
import { decodeVersion, encodeDetail, type VersionRow } from '../objects/object-rows.ts';
import { readCurrent } from '../objects/stored-versions.ts';
import { putVersion, versioningOf, withDefaultLock } from '../objects/version-rows.ts';
import { requireBucket } from '../require-bucket.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import {
  deleteUpload,
  findUpload,
  noSuchUpload,
  readStoredParts,
  reportPartsGone,
  type StoredPart,
} from './upload-rows.ts';

type CompleteInput = Parameters<IndexApi['completeUpload']>[0];
type ListedPart = { readonly partNumber: number; readonly md5: string };

/**
 * How long the outcome of a finished upload is stored: as long as any client
 * repeats its request. Milliseconds.
 */
const FINISHED_STORED_MS = 7 * DAY_MS;
/**
 * How many outcomes a database stores at most, the newest; a row is about 1 KiB for
 * an object of few parts.
 */
const FINISHED_STORED_ROWS = 10_000;
/**
 * How many old outcomes a completion removes at most: more than it adds, and little
 * work.
 */
const FINISHED_REMOVED_ROWS = 10;

/**
 * Turns the listed parts into the current version of the key. Contract:
 * `IndexCommands.completeUpload`. InvalidPartOrder, too, when the list does not ascend.
 * `toKey`: the object's key, where that is not the upload's.
 */
export function completeUpload(
  sql: Sql,
  input: CompleteInput,
  toKey: ObjectKey = input.key,
): ObjectVersion {
  const { key, uploadId } = input;
  const n = requireBucket(sql, input.bucket);
  const open = findUpload(sql, n, key, uploadId);
  if (open === null) return findFinished(sql, n, input);

  const { upload } = open;
  const stored = readStoredParts(sql, n, open);
  const listed = pickListed(stored, input.parts, uploadId);
  const current = readCurrent(sql, n, toKey);
  checkCondition(input.condition, toKey, current);

  const made = { ...toVersion(upload, input.object, listed), key: toKey };
  const version = withDefaultLock(input.bucket, made);
  const deduplicatedAway = moveReferences(sql, n, stored.values(), version);
  const saved = { deduplicatedAway };
  const written = {
    ...version,
    ...putVersion(sql, n, versioningOf(input.bucket), version, current, saved),
  };
  deleteUpload(sql, n, key, uploadId);
  reportPartsGone(sql, n, upload, stored, 0, version.lastModifiedMs);
  rememberFinished(sql, n, input, written);
  recordEvent(sql, input.bucket, {
    ...factsOf(written),
    name: 'ObjectCreated:CompleteMultipartUpload',
    version: written,
  });
  return written;
}

function pickListed(
  stored: ReadonlyMap<number, StoredPart>,
  parts: readonly ListedPart[],
  uploadId: UploadId,
): StoredPart[] {
  let lastNumber = 0;
  return parts.map(({ partNumber, md5 }) => {
    if (partNumber <= lastNumber)
      throw new StorageError('InvalidPartOrder', { fields: { UploadId: uploadId } });
    lastNumber = partNumber;
    const part = stored.get(partNumber);
    if (part === undefined || part.md5 !== md5) {
      throw new StorageError('InvalidPart', {
        fields: { UploadId: uploadId, PartNumber: `${partNumber}`, ETag: md5 },
      });
    }
    return part;
  });
}

function toVersion(
  upload: Upload,
  object: CompleteInput['object'],
  listed: readonly StoredPart[],
): ObjectVersion {
  return {
    key: upload.key,
    headers: upload.headers,
    userMetadata: upload.userMetadata,
    storageClass: upload.storageClass,
    ownerId: upload.ownerId,
    acl: upload.acl,
    tags: upload.tags,
    lock: upload.lock,
    encryption: upload.encryption,
    versionId: object.versionId,
    isNull: true,
    etag: object.etag,
    lastModifiedMs: object.lastModifiedMs,
    checksum: object.checksum,
    parts: object.parts,
    sizeBytes: listed.reduce((sum, part) => sum + part.sizeBytes, 0),
    segments: listed.flatMap((part) => part.segments),
    inlineBytes: null,
  };
}

/**
 * The object gains one reference to each of its blobs, every part loses its own.
 * Where a blob is in exactly one listed part, as in any plain upload, the two
 * cancel out and its row is not touched. Gives what is saved by it all.
 */
function moveReferences(
  sql: Sql,
  bucket: number,
  parts: Iterable<StoredPart>,
  { segments, storageClass, lastModifiedMs }: ObjectVersion,
): SavedBytes {
  const changes = new Map<BlobId, { refs: number; bytes: number }>();
  const add = (references: BlobReferences, sign: 1 | -1) => {
    for (const [blobId, bytes] of references) {
      const before = changes.get(blobId) ?? { refs: 0, bytes: 0 };
      changes.set(blobId, { refs: before.refs + sign, bytes: before.bytes + sign * bytes });
    }
  };
  add(referencesOf(segments), 1);
  for (const part of parts) add(part.references, -1);
  let saved = 0;
  for (const [blobId, change] of changes) {
    if (change.refs === 0 && change.bytes === 0) continue;
    saved += changeReferences(sql, bucket, storageClass, blobId, change, lastModifiedMs);
  }
  return saved;
}

function rememberFinished(
  sql: Sql,
  bucket: number,
  input: CompleteInput,
  version: ObjectVersion,
): void {
  const [row] = sql.all<{ id: number }>(
    `INSERT INTO finished_uploads (bucket, upload_id, key, size_bytes, etag, last_modified_ms,
       storage_class, checksum_algorithm, checksum_type, version_id, is_null, owner_id, list_sha256,
       detail)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    bucket,
    input.uploadId,
    version.key,
    version.sizeBytes,
    version.etag,
    version.lastModifiedMs,
    version.storageClass,
    version.checksum?.algorithm ?? null,
    version.checksum?.type ?? null,
    version.versionId,
    version.isNull ? 1 : 0,
    version.ownerId,
    digestOf(input.parts),
    encodeDetail(version),
  );
  sql.all(
    `DELETE FROM finished_uploads
     WHERE id IN (SELECT id FROM finished_uploads ORDER BY id LIMIT ${PLAN_ONCE} ?)
       AND (id <= ? OR last_modified_ms < ?)`,
    FINISHED_REMOVED_ROWS,
    (row?.id ?? 0) - FINISHED_STORED_ROWS,
    version.lastModifiedMs - FINISHED_STORED_MS,
  );
}

/**
 * A digest of a list of parts, to recognise a repeated one: 64 characters for up to
 * 10,000 parts.
 */
function digestOf(parts: readonly ListedPart[]): string {
  return sha256Hex(parts.map(({ partNumber, md5 }) => `${partNumber}:${md5}`).join());
}

/**
 * The version that this upload became, for a client that repeats the request with
 * the same list; even when it was replaced since, in which case its bytes may be
 * gone. NoSuchUpload.
 */
function findFinished(sql: Sql, bucket: number, input: CompleteInput): ObjectVersion {
  const [row] = sql.all<Omit<VersionRow, 'inline_bytes'> & { list_sha256: string }>(
    `SELECT key, size_bytes, etag, last_modified_ms, storage_class, checksum_algorithm,
       checksum_type, version_id, is_null, owner_id AS object_owner_id, list_sha256, detail
     FROM finished_uploads WHERE bucket = ? AND upload_id = ?`,
    bucket,
    input.uploadId,
  );
  const isSame =
    row !== undefined && row.key === input.key && row.list_sha256 === digestOf(input.parts);
  if (!isSame) throw noSuchUpload(input.uploadId);
  return decodeVersion({ ...row, inline_bytes: null });
}
