// The calls of the ledger about quotas of accounts. index/ledger implements them;
// ports/ledger.ts puts them together with the others.
import type { StorageAmount, StorageGrant, StorageQuota } from '../../domain/billing/quotas.ts';
import type { AccountId, BucketId } from '../../domain/nouns.ts';

export type LedgerQuotaQueries = {
  /** Null: the account has none. */
  getQuota(input: { accountId: AccountId }): StorageQuota | null;
  /**
   * Grants that were settled before a time, the longest ago first: as many as the
   * limit has room for beside those that were settled since.
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
   * Grants a bucket at least `needed`, and a little more if there is enough. Null:
   * so much is not left beside what other buckets are granted. A grant that nobody
   * takes is given again.
   */
  raiseGrant(input: {
    accountId: AccountId;
    bucketId: BucketId;
    needed: StorageAmount;
  }): StorageGrant | null;
  /**
   * Notes what `settleStorageGrant` gave; null: the bucket is gone. One whose grant
   * was raised meanwhile keeps it. Idempotent.
   */
  settleGrant(input: {
    accountId: AccountId;
    bucketId: BucketId;
    settled: StorageGrant | null;
    nowMs: number;
  }): void;
};
