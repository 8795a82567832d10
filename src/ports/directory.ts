// Who there is: accounts, their access keys, and which account owns which bucket names. The bucket itself is
// the index's; a name here without a bucket there is the trace of an interrupted create or delete, and harmless.
import type { AccessKey, AccessKeyId, Account, AccountId, BucketName } from './domain.ts';

export type OwnedBucket = { readonly name: BucketName; readonly createdAtMs: number };

export type DirectoryApi = {
  /** The key with its account, or null. */
  getAccessKey(input: { id: AccessKeyId }): AccessKey | null;
  /** Makes or replaces an account and its keys. Idempotent. */
  putAccount(input: { account: Account; keys: readonly { id: AccessKeyId; secret: string }[] }): void;
  /** Buckets of an account after a name, in byte order. */
  listBuckets(input: { ownerId: AccountId; prefix: string; after: string; limit: number }): readonly OwnedBucket[];
  /** Every bucket name after one, removed ones that may have blobs left included. For the sweeper. */
  listBucketNames(input: { after: string; limit: number }): readonly BucketName[];
  /** Notes that the account has that bucket. Idempotent. */
  addBucket(input: { ownerId: AccountId; name: BucketName; createdAtMs: number }): void;
  /** Takes that note back; the name stays known to `listBucketNames` until it is forgotten. Idempotent. */
  removeBucket(input: { ownerId: AccountId; name: BucketName }): void;
  /** Forgets a name for good, unless it was added at or after `addedBeforeMs`. The sweeper saw that no bucket has it. */
  forgetBucketName(input: { name: BucketName; addedBeforeMs: number }): void;
};

/** The directory as a port: the same calls as promises. */
export type Directory = {
  call<Name extends keyof DirectoryApi>(
    name: Name,
    input: Parameters<DirectoryApi[Name]>[0],
  ): Promise<ReturnType<DirectoryApi[Name]>>;
};
