// The calls of the bucket index about multipart uploads, and what an upload and its
// parts are. Part of the vocabulary in metadata-index.ts, which says what all calls
// have in common.
import type {
  AccountId,
  BucketRef,
  Checksum,
  ChecksumAlgorithm,
  ObjectAttributes,
  ObjectKey,
  ObjectPart,
  ObjectVersion,
  Segment,
  UploadId,
  VersionId,
  WriteCondition,
} from '../../domain/nouns.ts';
import type { ObjectFacts } from '../../domain/object-facts.ts';
import type { NewBlobReference, StoredAs } from '../metadata-index.ts';

/** A multipart upload in progress. */
export type Upload = ObjectAttributes &
  ObjectFacts & {
    readonly uploadId: UploadId;
    readonly key: ObjectKey;
    readonly createdAtMs: number;
    readonly checksumAlgorithm: ChecksumAlgorithm | null;
    readonly checksumType: Checksum['type'] | null;
    /**
     * Who began it; null means the owner of the bucket. `ownerId` is who will own
     * the object.
     */
    readonly initiatorId: AccountId | null;
  };

/**
 * A part that has arrived. Small parts are blobs too. `md5` is the entity tag, hex:
 * of encrypted parts it may be another digest. `segments` are whole or cut from
 * other blobs.
 */
export type UploadedPart = {
  readonly partNumber: number;
  readonly sizeBytes: number;
  readonly md5: string;
  readonly lastModifiedMs: number;
  readonly checksum: { readonly algorithm: ChecksumAlgorithm; readonly value: string } | null;
  readonly segments: readonly Segment[];
};

export type ListUploadsInput = {
  readonly bucket: BucketRef;
  readonly prefix: string;
  readonly delimiter: string;
  readonly afterKey: string;
  /**
   * With `afterKey`: uploads of that very key with greater ids come too; '' skips
   * the key.
   */
  readonly afterUploadId: string;
  readonly maxUploads: number;
};
/** A cursor through the uploads of a bucket by their last known activity. */
export type UploadCursor = {
  readonly activeAtMs: number;
  readonly key: string;
  readonly uploadId: string;
};

export type ListUploadsPage = {
  readonly uploads: readonly Upload[];
  readonly commonPrefixes: readonly string[];
  readonly isTruncated: boolean;
  readonly last: { readonly key: string; readonly uploadId: string } | null;
};

export type UploadQueries = {
  /** NoSuchUpload, BucketChanged. */
  getUpload(input: { bucket: BucketRef; key: ObjectKey; uploadId: UploadId }): Upload;
  /**
   * Parts with numbers above `afterPartNumber`, ascending. NoSuchUpload,
   * BucketChanged.
   */
  listParts(input: {
    bucket: BucketRef;
    key: ObjectKey;
    uploadId: UploadId;
    afterPartNumber: number;
    maxParts: number;
  }): { upload: Upload; parts: readonly UploadedPart[]; isTruncated: boolean };
  /** Uploads in order of key, then upload id. BucketChanged. */
  listUploads(input: ListUploadsInput): ListUploadsPage;
};

export type UploadCommands = {
  /**
   * BucketChanged. Idempotent: ids are random, so an upload that is there is this
   * very one. `isLate`: its first parts may be counted in the bucket's totals when it
   * ends, or the hour does, if they come as joined rows (domain/uploads/upload-rows.ts).
   */
  createUpload(input: { bucket: BucketRef; upload: Upload; isLate?: boolean }): void;
  /**
   * Adds or replaces a part; the last commit of a number wins. NoSuchUpload,
   * NoSuchBlob, BucketChanged.
   */
  commitPart(input: {
    bucket: BucketRef;
    key: ObjectKey;
    uploadId: UploadId;
    part: UploadedPart;
    newReferences: readonly NewBlobReference[];
  }): StoredAs;
  /**
   * Turns the listed parts into the current version of the key in one commit.
   * `etag`s are the caller's expectation, checked again here. Repeating it with the
   * same list after it succeeded returns the same version. NoSuchUpload,
   * InvalidPart, PreconditionFailed, NoSuchKey, BucketChanged.
   */
  completeUpload(input: {
    bucket: BucketRef;
    key: ObjectKey;
    uploadId: UploadId;
    parts: readonly { partNumber: number; md5: string }[];
    object: {
      versionId: VersionId;
      etag: string;
      lastModifiedMs: number;
      checksum: Checksum | null;
      parts: readonly ObjectPart[];
    };
    condition: WriteCondition | null;
  }): ObjectVersion;
  /** NoSuchUpload, BucketChanged. */
  abortUpload(input: {
    bucket: BucketRef;
    key: ObjectKey;
    uploadId: UploadId;
    nowMs: number;
  }): void;
  /**
   * Gives up uploads of which nothing has come since `idleSinceMs`, but for keys
   * with one of the prefixes; a bounded number at a time, go on with `next` as
   * `after` until it is null. BucketChanged. Idempotent. Cost: the uploads that may
   * be stale.
   */
  abortStaleUploads(input: {
    bucket: BucketRef;
    idleSinceMs: number;
    exceptPrefixes: readonly string[];
    after: UploadCursor | null;
    nowMs: number;
  }): { aborted: number; freedBytes: number; next: UploadCursor | null };
};
