// Who there is: accounts, their access keys, which account owns which bucket names, and which host
// names show which buckets. The bucket itself is the index's; a name here without a bucket there is
// the trace of an interrupted create or delete, and harmless.

import type { StoredAccessKey } from '../domain/account-records.ts';
import type { HostedDomain } from '../domain/hosting.ts';
import type {
  AccessKeyId,
  Account,
  AccountId,
  BucketAddress,
  BucketId,
  BucketName,
} from '../domain/nouns.ts';
import type { AccountsApi } from './directory-calls/account-calls.ts';
import type { BillingApi } from './directory-calls/billing-calls.ts';
import type { PasskeysApi } from './directory-calls/passkey-calls.ts';
import type { SignInApi } from './directory-calls/sign-in-calls.ts';
import type { WebhookApi } from './directory-calls/webhook-calls.ts';
import type { OutboxApi } from './outbox.ts';

export type OwnedBucket = { readonly name: BucketName; readonly createdAtMs: number };

/**
 * A host name that shows a bucket. It counts for that life of the bucket alone, not for a later one
 * of the name.
 */
export type HostBinding = HostedDomain & {
  readonly bucket: BucketName;
  readonly bucketId: BucketId;
};

/**
 * A key that the server holds under a name, to protect objects with; `wrappedKey` is the key,
 * wrapped by the master key.
 */
export type KmsKey = {
  readonly id: string;
  readonly wrappedKey: string;
  readonly isEnabled: boolean;
  /** Whose buckets it may protect, besides the operator's; null: those of every account. */
  readonly accountIds: readonly AccountId[] | null;
  readonly createdAtMs: number;
};

/**
 * How far the sweeper came through all buckets: `after` null, it was through; else it goes on
 * behind that name.
 */
export type SweepTurn = { readonly startedAtMs: number; readonly after: string | null };

/** What is absent stays. */
export type KmsKeyChange = Partial<Pick<KmsKey, 'isEnabled' | 'accountIds'>>;

type OwnCalls = {
  /** Those of the accounts that there are, in any order. */
  getAccounts(input: { ids: readonly AccountId[] }): readonly Account[];
  /** Makes or replaces an account and its keys. Idempotent. */
  putAccount(input: {
    account: Account;
    keys: readonly { id: AccessKeyId; secret: string }[];
  }): void;
  /** Buckets of an account after a name, in byte order. */
  listBuckets(input: {
    ownerId: AccountId;
    prefix: string;
    after: string;
    limit: number;
  }): readonly OwnedBucket[];
  /**
   * Every bucket name after one, removed ones that may have blobs left included. For the sweeper.
   */
  listBucketNames(input: { after: string; limit: number }): readonly BucketName[];
  /** Notes that the account has that bucket. Idempotent. */
  addBucket(input: { ownerId: AccountId; name: BucketName; createdAtMs: number }): void;
  /**
   * Takes that note back, unless it is of a bucket that was made after `createdAtMs`; the name
   * stays known to `listBucketNames` until it is forgotten. Idempotent.
   */
  removeBucket(input: { ownerId: AccountId; name: BucketName; createdAtMs: number }): void;
  /**
   * Forgets a name for good, unless it was added at or after `addedBeforeMs`. The sweeper saw that
   * no bucket has it.
   */
  forgetBucketName(input: { name: BucketName; addedBeforeMs: number }): void;
  /** Null: it never began, or never had to stop. */
  getSweepTurn(input: Readonly<Record<string, never>>): SweepTurn | null;
  /** Idempotent. */
  setSweepTurn(input: SweepTurn): void;
  /** What a host name, in lower case and without a port, shows; null when nobody has bound it. */
  getHost(input: { host: string }): HostBinding | null;
  /**
   * Makes these the host names of the bucket, and no others. DomainAlreadyBound (with the field
   * Domain) when one is another bucket's, unless `mayTake` names it with just that life.
   * Idempotent.
   */
  bindHosts(input: {
    bucket: BucketAddress;
    domains: readonly HostedDomain[];
    mayTake: readonly Pick<HostBinding, 'host' | 'bucketId'>[];
  }): void;
  /** A named key, or null. On Cloudflare it may be seconds old. */
  getKmsKey(input: { id: string }): KmsKey | null;
  /** Named keys after an id, in byte order. */
  listNamedKeys(input: { after: string; limit: number }): readonly KmsKey[];
  /** Keeps the key, unless there is one of that id; gives the one that is kept. Idempotent. */
  addKmsKey(input: { key: KmsKey }): KmsKey;
  /** The key as changed, null when there is none. Idempotent. */
  changeKmsKey(input: { id: string; change: KmsKeyChange }): KmsKey | null;
};

export type DirectoryApi = OwnCalls &
  AccountsApi &
  SignInApi &
  PasskeysApi &
  BillingApi &
  OutboxApi &
  WebhookApi;

/** The directory as a port: the same calls as promises. */
export type Directory = {
  /**
   * As `getHost`, near the reader: at once when memory knows, and without I/O. On Node it is exact,
   * on Cloudflare as old as the configured bound of pointers. Rejects with what `getHost` rejects
   * with, if memory knows nothing at all.
   */
  findHost(host: string): HostBinding | null | Promise<HostBinding | null>;

  /**
   * As `findHost`, where that answers at once; undefined where it would have to ask, which this
   * does not.
   */
  peekHost(host: string): HostBinding | null | undefined;

  /**
   * As `getAccessKey`, at once, where memory knows the key exactly: the same row until it changes.
   * Null: ask. A home whose memory is not exact has none.
   */
  peekAccessKey?(id: AccessKeyId): StoredAccessKey | null;

  call<Name extends keyof DirectoryApi>(
    name: Name,
    input: Parameters<DirectoryApi[Name]>[0],
  ): Promise<ReturnType<DirectoryApi[Name]>>;
};
