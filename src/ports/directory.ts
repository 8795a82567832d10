// Who there is: accounts, their access keys, which account owns which bucket names,
// and which host names show which buckets. The bucket itself is the index's; a name
// here without a bucket there is the trace of an interrupted create or delete, and
// harmless.

import type { StoredAccessKey } from '../domain/account-records.ts';
import type { HostedDomain } from '../domain/hosting.ts';
import type { LinkEntry, LinkId } from '../domain/links/link-ids.ts';
import type { BucketLocation } from '../domain/locations/bucket-locations.ts';
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
import type { InvitationsApi } from './directory-calls/invitation-calls.ts';
import type { AccountJobsApi } from './directory-calls/job-calls.ts';
import type { LinkIdsApi } from './directory-calls/link-calls.ts';
import type { PasskeysApi } from './directory-calls/passkey-calls.ts';
import type { SignInApi } from './directory-calls/sign-in-calls.ts';
import type { WebhookApi } from './directory-calls/webhook-calls.ts';
import type { OutboxApi } from './outbox.ts';

export type OwnedBucket = { readonly name: BucketName; readonly createdAtMs: number };

/** `location`: where its index lives, as it was chosen; null: nobody chose. */
export type NotedBucketName = { readonly location: BucketLocation | null };

/**
 * A host name that shows a bucket. It counts for that incarnation of the bucket
 * alone, not for a later one of the name.
 */
export type HostBinding = HostedDomain & {
  readonly bucket: BucketName;
  readonly bucketId: BucketId;
};

/**
 * A KMS key: a key of the server under a name, which wraps data keys of objects.
 * `wrappedKey` is the key itself, wrapped by the master key.
 */
export type KmsKey = {
  readonly id: string;
  readonly wrappedKey: string;
  readonly isEnabled: boolean;
  /**
   * Whose buckets it may protect, besides the operator's; null: those of every
   * account.
   */
  readonly accountIds: readonly AccountId[] | null;
  readonly createdAtMs: number;
};

/**
 * The sweeper's cursor through all buckets: it goes on behind the name `after`;
 * null: it was through.
 */
export type SweepCursor = { readonly startedAtMs: number; readonly after: string | null };

/** What is absent stays. */
export type KmsKeyChange = Partial<Pick<KmsKey, 'isEnabled' | 'accountIds'>>;

type OwnCalls = {
  /** Gives the accounts that exist of these ids, in any order. */
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
   * Every bucket name after one, removed ones that may have blobs left included.
   * For the sweeper.
   */
  listBucketNames(input: { after: string; limit: number }): readonly BucketName[];
  /**
   * What is noted of a bucket name; null: no bucket has it, nor any blob that is left
   * of one.
   */
  getBucketName(input: { name: BucketName }): NotedBucketName | null;
  /**
   * Notes that the account has that bucket. The location of a name that is noted
   * already stays as it is. Idempotent.
   */
  addBucket(input: {
    ownerId: AccountId;
    name: BucketName;
    createdAtMs: number;
    location?: BucketLocation | null;
  }): void;
  /**
   * Takes that note back, unless it is of a bucket that was made after
   * `createdAtMs`; the name stays known to `listBucketNames` until it is forgotten.
   * Idempotent.
   */
  removeBucket(input: { ownerId: AccountId; name: BucketName; createdAtMs: number }): void;
  /**
   * Forgets a name for good, unless it was added at or after `addedBeforeMs`. The
   * sweeper saw that no bucket has it.
   */
  forgetBucketName(input: { name: BucketName; addedBeforeMs: number }): void;
  /** Null: it never began, or never had to stop. */
  getSweepCursor(input: Readonly<Record<string, never>>): SweepCursor | null;
  /** Idempotent. */
  setSweepCursor(input: SweepCursor): void;
  /**
   * What a host name, in lower case and without a port, shows; null when nobody has
   * bound it.
   */
  getHost(input: { host: string }): HostBinding | null;
  /**
   * Makes these the host names of the bucket, and no others. DomainAlreadyBound
   * (with the field Domain) when one is another bucket's, unless `mayTake` names it
   * with just that incarnation. Idempotent.
   */
  bindHosts(input: {
    bucket: BucketAddress;
    domains: readonly HostedDomain[];
    mayTake: readonly Pick<HostBinding, 'host' | 'bucketId'>[];
  }): void;
  /** A KMS key, or null. On Cloudflare it may be seconds old. */
  getKmsKey(input: { id: string }): KmsKey | null;
  /** KMS keys after an id, in byte order. */
  listKmsKeys(input: { after: string; limit: number }): readonly KmsKey[];
  /**
   * Stores the key, unless there is one of that id; gives the stored one.
   * Idempotent.
   */
  addKmsKey(input: { key: KmsKey }): KmsKey;
  /** The key as changed, null when there is none. Idempotent. */
  changeKmsKey(input: { id: string; change: KmsKeyChange }): KmsKey | null;
};

export type DirectoryApi = OwnCalls &
  AccountsApi &
  AccountJobsApi &
  SignInApi &
  PasskeysApi &
  InvitationsApi &
  BillingApi &
  LinkIdsApi &
  OutboxApi &
  WebhookApi;

/** The directory as a port: the same calls as promises. */
export type Directory = {
  /**
   * Finds a host binding near the reader: at once and without I/O when memory knows
   * it. On Node it is exact, on Cloudflare as old as the configured bound of
   * pointers. Rejects with what `getHost` rejects with, if memory knows nothing at
   * all.
   */
  findHost(host: string): HostBinding | null | Promise<HostBinding | null>;

  /**
   * The host binding that memory knows; undefined where `findHost` would need I/O.
   * Null: nobody has bound the host.
   */
  peekHost(host: string): HostBinding | null | undefined;

  /**
   * Finds the entry of a link near the reader: at once and without I/O when memory
   * knows it. An entry never changes; that there is none is exact on Node, and on
   * Cloudflare seconds old. Rejects with what `getLinkId` rejects with.
   */
  findLink(id: LinkId): LinkEntry | null | Promise<LinkEntry | null>;

  /** The entry that memory knows; undefined where `findLink` would need I/O. */
  peekLink(id: LinkId): LinkEntry | null | undefined;

  /**
   * The access key, at once, where memory knows it exactly: the same object until
   * the key changes. Null: call `getAccessKey`. A platform whose memory is not
   * exact lacks this.
   */
  peekAccessKey?(id: AccessKeyId): StoredAccessKey | null;

  call<Name extends keyof DirectoryApi>(
    name: Name,
    input: Parameters<DirectoryApi[Name]>[0],
  ): Promise<ReturnType<DirectoryApi[Name]>>;
};
