// Quotas of stored bytes and objects, as plain data: what a bucket or an account may store at most,
// and the grants by which the buckets of an account share its quota. index/objects/quotas.ts keeps
// them in the commit, the ledger gives grants out, core/quotas brings them from there to the
// buckets.
import type {
  AccountId,
  BucketAddress,
  BucketId,
  BucketRef,
  ObjectKey,
  UploadId,
} from '../nouns.ts';

/**
 * Bytes as clients see them, of current objects, older versions and parts of uploads; objects are
 * current ones and older versions. Compression and deduplication change neither.
 */
export type StorageAmount = { readonly bytes: number; readonly objects: number };

/** Null: no limit. */
export type StorageQuota = { readonly bytes: number | null; readonly objects: number | null };

/** What a bucket may store of its account's quota. Grants of a bucket have ascending sequences. */
export type StorageGrant = StorageAmount & { readonly sequence: number };

/** What keeps a bucket's commits: its own quota, and whether its account has one too. */
export type BucketQuotas = { readonly own: StorageQuota | null; readonly isShared: boolean };

export type QuotaQueries = {
  /**
   * Whether a body of that size has room, before it is read: QuotaExceeded or StorageGrantNeeded,
   * as its commit would say now. `part`: it is one of an upload. BucketChanged.
   */
  requireRoom(input: {
    bucket: BucketRef;
    key: ObjectKey;
    sizeBytes: number;
    part: { readonly uploadId: UploadId; readonly partNumber: number } | null;
  }): void;
};

export type QuotaCommands = {
  /** Takes a grant in, unless a newer one is there, or the bucket is gone. Idempotent. */
  setStorageGrant(input: { bucket: BucketAddress; grant: StorageGrant }): void;
  /**
   * Lowers the bucket's grant to what it stores now, which it gives with the sequence of that
   * grant, 0 for none. Null: the bucket is gone. Idempotent.
   */
  settleStorageGrant(input: { bucket: BucketAddress }): StorageGrant | null;
};

export type LedgerQuotaQueries = {
  /** Null: the account has none. */
  getQuota(input: { accountId: AccountId }): StorageQuota | null;
  /**
   * Grants that were settled before a time, the longest ago first: as many as the limit has room
   * for beside those that were settled since.
   */
  listGrants(input: {
    accountId: AccountId;
    settledBeforeMs: number;
    limit: number;
  }): readonly BucketId[];
};

export type LedgerQuotaCommands = {
  /** PreconditionFailed: it is not `known` any more. Idempotent. */
  putQuota(input: {
    accountId: AccountId;
    quota: StorageQuota | null;
    known: StorageQuota | null;
  }): void;
  /**
   * Grants a bucket at least `needed`, and a little more if there is enough. Null: so much is not
   * left beside what other buckets are granted. A grant that nobody takes is given again.
   */
  raiseGrant(input: {
    accountId: AccountId;
    bucketId: BucketId;
    needed: StorageAmount;
  }): StorageGrant | null;
  /**
   * Notes what `settleStorageGrant` gave; null: the bucket is gone. One whose grant was raised
   * meanwhile keeps it. Idempotent.
   */
  settleGrant(input: {
    accountId: AccountId;
    bucketId: BucketId;
    settled: StorageGrant | null;
    nowMs: number;
  }): void;
};
