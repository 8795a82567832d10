// Plain data for the contracts of the metadata index: buckets, objects and parts that are valid in
// every platform. Each bucket has a name of its own, because an index need not be empty when a test
// gets it.
import { expect } from 'vitest';
import { PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import { NO_SETTINGS } from '../../../src/domain/bucket-settings.ts';
import type { ErrorCode } from '../../../src/domain/errors.ts';
import { timeText } from '../../../src/domain/ids/ordered-ids.ts';
import { type KeyJob, NO_KEY_COUNTS } from '../../../src/domain/keys/key-jobs.ts';
import type {
  AccountId,
  BlobId,
  BucketAddress,
  BucketName,
  BucketRecord,
  BucketRef,
  DeleteCondition,
  ObjectKey,
  ObjectVersion,
  Segment,
  UploadId,
  VersionId,
  VersionName,
} from '../../../src/domain/nouns.ts';
import { NO_FACTS } from '../../../src/domain/object-facts.ts';
import { makeBucketId } from '../../../src/domain/owner-bucket.ts';
import { DAY_MS, startOfDay } from '../../../src/domain/time.ts';
import { partBlobId, type UploadRows } from '../../../src/domain/uploads/upload-rows.ts';
import type { Upload, UploadedPart } from '../../../src/ports/index-calls/upload-calls.ts';
import type {
  CommitObjectInput,
  IndexApi,
  MetadataIndex,
  NewBlobReference,
  ResolvedVersion,
} from '../../../src/ports/metadata-index.ts';

/**
 * A moment ten days ago, early in its day; tests count from it, never from the clock. A fixed one
 * would make tests slower each day: by its alarm the object of a bucket brings every hour since
 * then to the ledger, beside the tests.
 */
export const START_MS = startOfDay(Date.now()) - 10 * DAY_MS + 8000_000;
export const OWNER = 'owner-1' as AccountId;
export const STRANGER = 'owner-2' as AccountId;
export const MiB = 1024 * 1024;

let made = 0;
/** Text that no other test has, also in other processes; sorts in the order of the calls. */
export function fresh(prefix: string): string {
  made += 1;
  const random = Math.floor(Math.random() * 36 ** 6).toString(36);
  return `${prefix}${made.toString(36).padStart(6, '0')}${random}`;
}

export const asKey = (text: string) => text as ObjectKey;

export function bucketRecord(changes: Partial<BucketRecord> = {}): BucketRecord {
  const name = changes.name ?? (fresh('bucket-') as BucketName);
  return {
    id: makeBucketId(name, fresh('life')),
    name,
    ownerId: OWNER,
    createdAtMs: START_MS,
    revision: 1,
    access: PRIVATE_ACCESS,
    settings: NO_SETTINGS,
    ...changes,
  };
}

/** Makes a bucket and gives its record. */
export function makeBucket(
  index: MetadataIndex,
  changes: Partial<BucketRecord> = {},
): Promise<BucketRecord> {
  const bucket = bucketRecord(changes);
  return index.call(bucket.name, 'createBucket', { bucket });
}

export const refOf = ({ id, name, revision, versioning = 'off' }: BucketRef): BucketRef => ({
  id,
  name,
  revision,
  versioning,
});
export const addressOf = ({ id, name }: BucketAddress): BucketAddress => ({ id, name });

/** An id in the form of those that a platform makes. */
const freshId = () => fresh('').padEnd(27, '0');

/** A fresh blob for a part of an upload; that of one with joined rows says which part it is. */
export function partBlobIn(bucket: BucketAddress, { uploadId }: Upload, number: number): BlobId {
  return partBlobId(`${bucket.id}/${freshId()}` as BlobId, uploadId, number);
}

export function blobIn(bucket: BucketAddress): BlobId {
  return `${bucket.id}/${fresh('blob')}` as BlobId;
}

export function newReferenceOf(
  blobId: BlobId,
  sizeBytes = 100,
  owner: BucketAddress | null = null,
): NewBlobReference {
  return { blobId, sizeBytes, ownerBucket: owner };
}

export function wholeOf(blobId: BlobId, lengthBytes = 100): Segment {
  return { blobId, offsetBytes: 0, lengthBytes };
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** An object whose body stands in its row, unless `changes` say otherwise. */
export function objectOf(key: string, changes: Partial<ObjectVersion> = {}): ObjectVersion {
  const inlineBytes = bytesOf(`body of ${key}`);
  return {
    key: asKey(key),
    ...NO_FACTS,
    versionId: fresh('version') as VersionId,
    isNull: true,
    sizeBytes: inlineBytes.length,
    etag: fresh('etag'),
    lastModifiedMs: START_MS,
    storageClass: 'STANDARD',
    headers: {},
    userMetadata: {},
    checksum: null,
    parts: null,
    segments: [],
    inlineBytes,
    ...changes,
  } as ObjectVersion;
}

/** An object whose body is these segments. */
export function segmentsObjectOf(
  key: string,
  segments: readonly Segment[],
  changes: Partial<ObjectVersion> = {},
): ObjectVersion {
  const sizeBytes = segments.reduce((sum, segment) => sum + segment.lengthBytes, 0);
  return objectOf(key, {
    sizeBytes,
    segments,
    inlineBytes: null,
    ...changes,
  } as Partial<ObjectVersion>);
}

/** Commits an object without a condition. Blobs that are not in `newReferences` must be known. */
export async function put(
  index: MetadataIndex,
  bucket: BucketRef,
  object: ObjectVersion,
  newReferences: readonly NewBlobReference[] = [],
): Promise<ObjectVersion> {
  await index.call(bucket.name, 'commitObject', {
    bucket: refOf(bucket),
    object,
    condition: null,
    newReferences,
  });
  return object;
}

/**
 * A PUT of one fresh blob that totals may count late. The blob's id says when the PUT began, as a
 * platform's does.
 */
export function latePutOf(
  bucket: BucketRef,
  key: string,
  times: { readonly atMs?: number; readonly begunMs?: number } = {},
  changes: { readonly sizeBytes?: number; readonly storageClass?: string } = {},
): CommitObjectInput {
  const { atMs = START_MS, begunMs = atMs } = times;
  const { sizeBytes = 100, storageClass = 'STANDARD' } = changes;
  const blobId = `${bucket.id}/${timeText(begunMs)}${fresh('').padEnd(18, '0')}` as BlobId;
  const segments = [wholeOf(blobId, sizeBytes)];
  const object = segmentsObjectOf(key, segments, { lastModifiedMs: atMs, storageClass });
  const newReferences = [newReferenceOf(blobId, sizeBytes)];
  return { bucket: refOf(bucket), object, condition: null, newReferences, mayCountLate: true };
}

/** Commits an object of one fresh blob and gives that blob. */
export async function putBlob(
  index: MetadataIndex,
  bucket: BucketRef,
  key: string,
  changes: Partial<ObjectVersion> = {},
): Promise<BlobId> {
  const blobId = blobIn(bucket);
  await put(index, bucket, segmentsObjectOf(key, [wholeOf(blobId)], changes), [
    newReferenceOf(blobId),
  ]);
  return blobId;
}

/** The object that a look-up found, null for nothing and for a delete marker. */
export const objectIn = (found: ResolvedVersion | null): ObjectVersion | null =>
  found?.kind === 'object' ? found.object : null;

export async function get(
  index: MetadataIndex,
  bucket: BucketRef,
  key: string,
): Promise<ObjectVersion | null> {
  return objectIn(
    await index.call(bucket.name, 'getVersion', {
      bucket: refOf(bucket),
      key: asKey(key),
      versionId: null,
    }),
  );
}

/** A deletion of current versions, without its bucket. */
export function deletionOf(
  keys: readonly string[],
  nowMs = START_MS,
  condition: DeleteCondition | null = null,
) {
  const targets = keys.map((key) => ({
    key: asKey(key),
    versionId: null,
    condition,
    markerId: fresh('version') as VersionId,
  }));
  return { targets, bypassGovernance: false, ownerId: null, nowMs };
}

/** A deletion of one version, current or not, without its bucket. */
export function versionDeletionOf(key: string, versionId: VersionName | null, nowMs = START_MS) {
  const { targets, ...rest } = deletionOf([key], nowMs);
  return { ...rest, targets: targets.map((target) => ({ ...target, versionId })) };
}

export function deleteKeys(
  index: MetadataIndex,
  bucket: BucketRef,
  keys: readonly string[],
  nowMs = START_MS,
) {
  return index.call(bucket.name, 'deleteObjects', {
    bucket: refOf(bucket),
    ...deletionOf(keys, nowMs),
  });
}

export function uploadOf(
  key: string,
  changes: Partial<Upload> = {},
  rows: UploadRows = 'separate',
): Upload {
  return {
    ...NO_FACTS,
    // The end of an id tells uploads apart, the beginning says when.
    uploadId: (rows === 'joined' ? fresh('').padStart(27, '0') : fresh('upload')) as UploadId,
    key: asKey(key),
    createdAtMs: START_MS,
    initiatorId: null,
    headers: {},
    userMetadata: {},
    storageClass: 'STANDARD',
    checksumAlgorithm: null,
    checksumType: null,
    ...changes,
  };
}

/** What an upload may say of its object. */
export const UPLOAD_ATTRIBUTES: Partial<Upload> = {
  headers: { contentType: 'video/mp4', cacheControl: 'no-store' },
  userMetadata: { title: 'ä😀' },
  storageClass: 'STANDARD_IA',
  checksumAlgorithm: 'SHA256',
  checksumType: 'COMPOSITE',
};

export async function startUpload(
  index: MetadataIndex,
  bucket: BucketRef,
  key: string,
  changes: Partial<Upload> = {},
  rows: UploadRows = 'separate',
): Promise<Upload> {
  const upload = uploadOf(key, changes, rows);
  const isLate = rows === 'joined';
  await index.call(bucket.name, 'createUpload', { bucket: refOf(bucket), upload, isLate });
  return upload;
}

export function partOf(
  partNumber: number,
  segments: readonly Segment[],
  changes: Partial<UploadedPart> = {},
) {
  const sizeBytes = segments.reduce((sum, segment) => sum + segment.lengthBytes, 0);
  return {
    partNumber,
    sizeBytes,
    md5: fresh('md5'),
    lastModifiedMs: START_MS,
    checksum: null,
    segments,
    ...changes,
  } satisfies UploadedPart;
}

/** Commits a part of one fresh blob, or of the given segments, and gives it. */
export async function putPart(
  index: MetadataIndex,
  bucket: BucketRef,
  upload: Upload,
  part: UploadedPart,
  newReferences: readonly NewBlobReference[],
): Promise<UploadedPart> {
  const { key, uploadId } = upload;
  await index.call(bucket.name, 'commitPart', {
    bucket: refOf(bucket),
    key,
    uploadId,
    part,
    newReferences,
  });
  return part;
}

/** Commits a part of one fresh blob. */
export function putBlobPart(
  index: MetadataIndex,
  bucket: BucketRef,
  upload: Upload,
  partNumber: number,
  changes: Partial<UploadedPart> = {},
): Promise<UploadedPart> {
  const blobId = partBlobIn(bucket, upload, partNumber);
  return putPart(index, bucket, upload, partOf(partNumber, [wholeOf(blobId)], changes), [
    newReferenceOf(blobId),
  ]);
}

/** What completing these parts takes. */
export function completionOf(
  upload: Upload,
  parts: readonly UploadedPart[],
  lastModifiedMs = START_MS,
): Omit<Parameters<IndexApi['completeUpload']>[0], 'bucket'> {
  return {
    key: upload.key,
    uploadId: upload.uploadId,
    parts: parts.map(({ partNumber, md5 }) => ({ partNumber, md5 })),
    object: {
      versionId: fresh('version') as VersionId,
      etag: `${fresh('etag')}-${parts.length}`,
      lastModifiedMs,
      checksum: null,
      parts: parts.map(({ partNumber, sizeBytes }) => ({ partNumber, sizeBytes, checksum: null })),
    },
    condition: null,
  };
}

/** The blobs that a sweep would delete or give back: condemned by this very call. */
export async function condemn(
  index: MetadataIndex,
  bucket: BucketAddress,
  olderThanMs: number,
): Promise<BlobId[]> {
  const { blobs } = await index.call(bucket.name, 'condemnBlobs', {
    bucket: addressOf(bucket),
    olderThanMs,
    limit: 1000,
  });
  return blobs.map((blob) => blob.blobId);
}

/** Expects a promise to be rejected with a StorageError of that code. */
export async function expectCode(promise: Promise<unknown>, code: ErrorCode): Promise<void> {
  await expect(promise).rejects.toMatchObject({ name: 'StorageError', code });
}

/** A job that has just begun to move what is below `a`. */
export function keyJobOf(id: string, changes: Partial<KeyJob> = {}): KeyJob {
  const selection = { prefix: 'a', keys: null };
  return {
    id,
    task: { kind: 'move', selection, to: 'b', toBucket: null, conflict: 'refuse' },
    state: 'running',
    revision: 1,
    after: '',
    at: 0,
    counts: NO_KEY_COUNTS,
    total: null,
    startedBy: OWNER,
    startedAtMs: START_MS,
    updatedAtMs: START_MS,
    canUndo: true,
    failure: null,
    ...changes,
  };
}
