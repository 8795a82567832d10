// The vocabulary of the bucket index: one entry per query or command, plain data in
// and out. index/bucket-index.ts implements it synchronously over SQL; the adapters
// carry the calls to where that SQL lives (a writer thread, a Durable Object) and
// give them back as promises. Failures are StorageErrors with the codes named here.

import type { StorageHours, StorageTotals } from '../domain/billing/stored.ts';
import type { BucketAccess } from '../domain/bucket-access.ts';
import type { BucketSettings } from '../domain/bucket-settings.ts';
import type { CurrentObject } from '../domain/current-object.ts';
import type {
  LifecycleAction,
  LifecycleBounds,
  LifecycleCounts,
  LifecycleCursor,
  LifecycleRun,
  LifecycleSubject,
} from '../domain/lifecycle.ts';
import type {
  AccountId,
  BlobId,
  BucketAddress,
  BucketName,
  BucketRecord,
  BucketRef,
  DeleteCondition,
  DeleteMarker,
  ObjectKey,
  ObjectSummary,
  ObjectVersion,
  VersionId,
  VersionName,
  VersionSummary,
  WriteCondition,
} from '../domain/nouns.ts';
import type { Grant, VersionChange } from '../domain/object-facts.ts';
import type { PurgeScope } from '../domain/purge.ts';
import type { CompressionCommands, CompressionQueries } from './index-calls/compression-calls.ts';
import type { DropLinkCommands, DropLinkQueries } from './index-calls/drop-link-calls.ts';
import type { KeyCommands, KeyQueries } from './index-calls/key-job-calls.ts';
import type { LevelCommands, LevelQueries } from './index-calls/level-calls.ts';
import type { PackCommands, PackQueries } from './index-calls/pack-calls.ts';
import type { QuotaCommands, QuotaQueries } from './index-calls/quota-calls.ts';
import type { SelectionCommands, SelectionQueries } from './index-calls/selection-calls.ts';
import type { ShardCommands, ShardQueries } from './index-calls/shard-calls.ts';
import type { ShareLinkCommands, ShareLinkQueries } from './index-calls/share-link-calls.ts';
import type { SweepCommands, SweepQueries } from './index-calls/sweep-calls.ts';
import type { UploadCommands, UploadQueries } from './index-calls/upload-calls.ts';
import type { UrlUseCommands } from './index-calls/url-use-calls.ts';
import type { OutboxApi } from './outbox.ts';
import type { DatabaseRoom } from './sql.ts';

/**
 * A blob that a commit brings into the index: fresh from the store, or of another
 * owner bucket.
 */
export type NewBlobReference = {
  readonly blobId: BlobId;
  readonly sizeBytes: number;
  /**
   * The owner bucket, when that is not the committing bucket. The remote reference
   * must exist already.
   */
  readonly ownerBucket: BucketAddress | null;
  /**
   * Present where the bucket stores equal bytes once (deduplication): of the bytes
   * as clients see them. When the bucket has a blob of that digest, size and
   * storage class, the commit refers to that one, and the new blob is not made
   * known.
   */
  readonly digest?: { readonly sha256Hex: string };
};

/**
 * Which blob a commit refers to instead of the new one, whose bytes are not needed;
 * null: it refers to the new one.
 */
export type StoredAs = { readonly storedAs: BlobId | null };

export type ListObjectsInput = {
  readonly bucket: BucketRef;
  readonly prefix: string;
  /** '' means no delimiter. */
  readonly delimiter: string;
  /**
   * Only names after this one, in byte order. With a delimiter, a name that ends a
   * rolled-up prefix skips all of it.
   */
  readonly after: string;
  /** Rows wanted, objects and common prefixes together; 0 to 1,000. */
  readonly maxKeys: number;
};
export type ListObjectsPage = {
  readonly objects: readonly ObjectSummary[];
  readonly commonPrefixes: readonly string[];
  readonly isTruncated: boolean;
  /**
   * The last key or common prefix of the page; null on an empty one. Give it as
   * `after` to go on.
   */
  readonly lastName: string | null;
};

/** The grants of an object that has an ACL of its own. */
export type ObjectAcl = { readonly key: ObjectKey; readonly acl: readonly Grant[] };

export type ListVersionsInput = {
  readonly bucket: BucketRef;
  readonly prefix: string;
  readonly delimiter: string;
  readonly afterKey: string;
  /**
   * With `afterKey`: older versions of that very key come too; '' skips the key.
   */
  readonly afterVersionId: VersionName | '';
  readonly maxKeys: number;
};
export type ListVersionsPage = {
  /** By key, and of one key the latest first. */
  readonly versions: readonly VersionSummary[];
  readonly commonPrefixes: readonly string[];
  readonly isTruncated: boolean;
  readonly last: { readonly key: string; readonly versionId: VersionId | '' } | null;
};

/** The calls that stand in files of their own. */
type FurtherQueries = KeyQueries &
  LevelQueries &
  CompressionQueries &
  DropLinkQueries &
  PackQueries &
  QuotaQueries &
  SelectionQueries &
  ShardQueries &
  ShareLinkQueries &
  SweepQueries &
  UploadQueries;
type FurtherCommands = KeyCommands &
  LevelCommands &
  CompressionCommands &
  DropLinkCommands &
  PackCommands &
  QuotaCommands &
  SelectionCommands &
  ShardCommands &
  ShareLinkCommands &
  SweepCommands &
  UploadCommands &
  UrlUseCommands;

/** Rows of the index that read; never change anything. */
export type IndexQueries = FurtherQueries & {
  /**
   * The live bucket of that name, or null. `mayBeStale`: for a stranger, that there is
   * none may be seconds old.
   */
  getBucket(input: { name: BucketName; mayBeStale?: boolean }): BucketRecord | null;
  /**
   * The version of that name, or with null what the key stands for now: an object,
   * a delete marker, nothing. BucketChanged.
   */
  getVersion(input: {
    bucket: BucketRef;
    key: ObjectKey;
    versionId: VersionName | null;
    /**
     * A state as old as the platform's bound for public reads will do. A platform
     * that is always exact ignores it.
     */
    mayBeStale?: boolean;
  }): ResolvedVersion | null;
  /**
   * What some keys stand for now, in their order, null for none: at most 100, and
   * few MB of inline bytes. BucketChanged.
   */
  getObjects(input: {
    bucket: BucketRef;
    keys: readonly ObjectKey[];
  }): readonly (ObjectVersion | null)[];
  /**
   * The grants of those of some keys whose current object has an ACL: at most 1,000
   * keys, in any order. BucketChanged. Cost: a row for each key.
   */
  listAcls(input: { bucket: BucketRef; keys: readonly ObjectKey[] }): readonly ObjectAcl[];
  /**
   * Bucket and current version in one call, for public reads. `isInvited`: the reader
   * was let in by a link, so that tiers may keep what nobody else may read.
   */
  resolve(input: { name: BucketName; key: ObjectKey; isInvited?: boolean }): {
    bucket: BucketRecord | null;
    object: ObjectVersion | null;
  };
  /**
   * Bucket and current versions of several keys, in their order; for a visit that
   * depends on which of them there are.
   */
  resolveAll(input: { name: BucketName; keys: readonly ObjectKey[] }): {
    bucket: BucketRecord | null;
    objects: readonly (ObjectVersion | null)[];
  };
  /**
   * One page of current objects in byte order of the key. Cost: rows returned plus
   * a constant. BucketChanged.
   */
  listObjects(input: ListObjectsInput): ListObjectsPage;
  /**
   * One page of all versions and delete markers, latest of a key first. Cost: at
   * most twice the rows returned.
   */
  listVersions(input: ListVersionsInput): ListVersionsPage;
  /**
   * What the bucket stores now; a class that it never had is missing.
   * BucketChanged. Cost: one row per class.
   */
  getStorageTotals(input: { bucket: BucketRef }): readonly StorageTotals[];
  /**
   * How much of its room the bucket's index uses; null: it has no bound of its own.
   * BucketChanged.
   */
  getIndexRoom(input: { bucket: BucketRef }): DatabaseRoom | null;
  /**
   * How far the last run of the bucket's rules came; null before the first.
   * BucketChanged.
   */
  getLifecycleRun(input: { bucket: BucketRef }): LifecycleRun | null;
  /**
   * What rules may be about from the cursor `place` on, within its prefix and
   * phase: some 2,000 rows are scanned, at most 250 returned. `next` null: there is
   * no more. BucketChanged. Cost: the rows scanned, and the details of those
   * returned.
   */
  scanLifecycle(input: { bucket: BucketRef; cursor: LifecycleCursor; bounds: LifecycleBounds }): {
    subjects: readonly LifecycleSubject[];
    next: LifecycleCursor | null;
  };
};

export type CommitObjectInput = {
  readonly bucket: BucketRef;
  readonly object: ObjectVersion;
  readonly condition: WriteCondition | null;
  readonly newReferences: readonly NewBlobReference[];
  /**
   * A fresh id for the pack that an inline body will move to, should one begin with
   * it; absent: it begins none.
   */
  readonly packId?: BlobId;
  /** Whether the totals may count it with a later change (ADR 57); absent: at once. */
  readonly mayCountLate?: boolean;
};

/**
 * A pack that is full with this commit: the caller is to write it. `packOwner`: the shard
 * that has it; absent: the bucket itself.
 */
export type FilledPack = { readonly fullPack?: BlobId; readonly packOwner?: BucketAddress };

/** What a key or a version id stands for. */
export type ResolvedVersion =
  | { readonly kind: 'object'; readonly object: ObjectVersion; readonly isLatest: boolean }
  | { readonly kind: 'marker'; readonly marker: DeleteMarker; readonly isLatest: boolean };

/**
 * One thing to delete. Without a version id the current version goes, or is hidden
 * by a marker of that id.
 */
export type DeleteTarget = {
  readonly key: ObjectKey;
  readonly versionId: VersionName | null;
  readonly condition: DeleteCondition | null;
  /** The id that a delete marker gets, should one be made. */
  readonly markerId: VersionId;
};

/** The result of a deletion of one target. `refusal`: nothing was done to it. */
export type DeletedObject = {
  readonly key: ObjectKey;
  readonly existed: boolean;
  /** The delete marker that was made, or that was itself deleted. */
  readonly marker: Pick<DeleteMarker, 'versionId' | 'isNull'> | null;
  /**
   * AccessDenied: the version is locked. NoSuchKey, NoSuchVersion: a condition was
   * to hold of what is not there.
   */
  readonly refusal: 'PreconditionFailed' | 'NoSuchKey' | 'NoSuchVersion' | 'AccessDenied' | null;
};

/** What changes the index. Each is atomic and durable when its promise resolves. */
export type IndexCommands = FurtherCommands & {
  /** BucketAlreadyExists (owned by another), BucketAlreadyOwnedByYou. */
  createBucket(input: { bucket: BucketRecord }): BucketRecord;
  /**
   * Replaces the access settings that are present, leaves the others, moves the
   * revision on. BucketChanged.
   */
  setBucketAccess(input: { bucket: BucketRef; access: Partial<BucketAccess> }): BucketRecord;
  /**
   * Replaces the settings that are present, leaves the others, moves the revision
   * on. BucketChanged, InvalidBucketState (object lock without versioning).
   */
  setBucketSettings(input: { bucket: BucketRef; settings: Partial<BucketSettings> }): BucketRecord;
  /**
   * Moves invalidation watermarks to the revision that this call makes.
   * BucketChanged.
   */
  purgeBucket(input: { bucket: BucketRef; scopes: readonly PurgeScope[] }): BucketRecord;
  /**
   * Ends this incarnation of the bucket; its uploads can't be reached any more and
   * go with the sweep, as S3 lets them go. BucketNotEmpty (versions or delete
   * markers left), BucketChanged.
   */
  deleteBucket(input: { bucket: BucketRef; nowMs: number }): void;

  /**
   * Makes `object` the current version of its key: this commit is the write. What
   * it replaces goes, or becomes an older version, as the bucket's versioning has
   * it, which also decides `isNull`. The version id returned is greater than every
   * other of the key, so it is the caller's unless clocks disagree. A blob in
   * `object.segments` that is not in `newReferences` must be known already and
   * gains a reference. PreconditionFailed, NoSuchKey (If-Match on a missing key),
   * NoSuchBlob (a copied blob was swept meanwhile: read the source again),
   * BucketChanged.
   */
  commitObject(
    input: CommitObjectInput,
  ): Pick<ObjectVersion, 'versionId' | 'isNull'> & StoredAs & FilledPack;
  /**
   * Deletes current versions or named ones, as the bucket's versioning has it; a
   * missing key is no error without a condition. Each target succeeds or is refused
   * by itself, in order. BucketChanged.
   */
  deleteObjects(input: {
    bucket: BucketRef;
    targets: readonly DeleteTarget[];
    /** Whether the caller may, and asked to, override GOVERNANCE. */
    bypassGovernance: boolean;
    /** Who owns the markers; null is the owner of the bucket. */
    ownerId: AccountId | null;
    nowMs: number;
  }): readonly DeletedObject[];
  /**
   * Changes tags, grants or lock of a version. NoSuchKey, NoSuchVersion,
   * MethodNotAllowed (a delete marker), AccessDenied (the retention may not be
   * replaced so), BucketChanged.
   */
  updateVersion(input: {
    bucket: BucketRef;
    key: ObjectKey;
    versionId: VersionName | null;
    change: VersionChange;
    bypassGovernance: boolean;
    nowMs: number;
  }): ObjectVersion;

  /**
   * Carries rules out, and stores how far the run is. What changed since the scan,
   * or is locked, is left alone. At most 250 actions. BucketChanged.
   */
  applyLifecycle(input: {
    bucket: BucketRef;
    actions: readonly LifecycleAction[];
    run: LifecycleRun;
    nowMs: number;
  }): LifecycleCounts;

  /**
   * Closes the hours of storage that are over, and gives closed ones that are still
   * here, with what commits caused: of all incarnations of the name.
   */
  closeStorageHours(input: {
    name: BucketName;
    nowMs: number;
    limit: number;
  }): readonly StorageHours[];
  /** The ledger has these. Idempotent. */
  forgetStorageHours(input: { name: BucketName; hours: readonly StorageHours[] }): void;
};

export type IndexApi = IndexQueries & IndexCommands & OutboxApi;

/**
 * Bucket and current object of a key, at once, where memory knows both, and as
 * exactly as the index would say it; null: call that. The same pair comes again
 * until one of the two changes. A platform whose memory is not exact has none.
 */
export type PeekCurrent = (bucket: BucketName, key: ObjectKey) => CurrentObject | null;

/**
 * The bucket index as a port: each call goes to the database of the named bucket.
 */
export type MetadataIndex = {
  call<Name extends keyof IndexApi>(
    bucket: BucketName,
    name: Name,
    input: Parameters<IndexApi[Name]>[0],
  ): Promise<ReturnType<IndexApi[Name]>>;
  readonly peekCurrent?: PeekCurrent;
};
