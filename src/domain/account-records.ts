// Accounts, their members, their access keys and what was changed, as the directory
// stores them. Secrets come encrypted or hashed. Only `getAccessKey` gives one
// back, for checking signatures.
import type { Role } from './accounts.ts';
import type { AccessKeyId, Account, AccountId } from './nouns.ts';

/**
 * What a key may do at most; null: no limit of that kind. core/auth/key-scope.ts
 * says what each means.
 */
export type KeyScope = {
  /** Names of buckets; one that ends in `*` means all that begin so. */
  readonly buckets: readonly string[] | null;
  /** Beginnings of keys. */
  readonly prefixes: readonly string[] | null;
  /** Actions of S3; one that ends in `*` means all that begin so. */
  readonly actions: readonly string[] | null;
  /** Addresses and CIDR ranges. */
  readonly sourceIps: readonly string[] | null;
};

/**
 * A key as signatures are checked with it. `secret` is encrypted by a master key,
 * or plain where an old program wrote it.
 */
export type StoredAccessKey = {
  readonly id: AccessKeyId;
  readonly secret: string;
  readonly isEncrypted: boolean;
  readonly account: Account;
  readonly scope: KeyScope | null;
  readonly expiresAtMs: number | null;
  readonly role: Role | null;
  /** Whether it and its account are in use. */
  readonly isEnabled: boolean;
};

/** A key as its owner sees it: without the secret. */
export type AccessKeyRecord = {
  readonly id: AccessKeyId;
  readonly accountId: AccountId;
  readonly name: string;
  readonly scope: KeyScope | null;
  /**
   * What whoever signs in to the JSON API with it may do: no more than who made it.
   * Null: it is for S3 alone.
   */
  readonly role: Role | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly isEnabled: boolean;
  /** To the hour; null: never, or not since that is noted. */
  readonly lastUsedMs: number | null;
  readonly revision: number;
};

export type AccountRecord = Account & {
  readonly createdAtMs: number;
  readonly isEnabled: boolean;
  readonly revision: number;
};

/**
 * `login` is the name to sign in with, in lower case, of one member on the whole
 * server.
 */
export type MemberRecord = {
  readonly id: string;
  readonly accountId: AccountId;
  readonly login: string;
  readonly displayName: string;
  readonly role: Role;
  readonly isEnabled: boolean;
  readonly hasPassword: boolean;
  readonly createdAtMs: number;
  readonly revision: number;
};

/** How many sessions and tokens of a member a change ended. */
export type EndedCredentials = { readonly sessions: number; readonly tokens: number };

/** A change and who made it. `status` null: it is not known how it ended. */
export type AuditEntry = {
  readonly id: string;
  readonly accountId: AccountId;
  readonly atMs: number;
  /** The operation, by its name in the API's document or in S3. */
  readonly action: string;
  /** What it was done to: path and parameters. */
  readonly target: string;
  /** What was sent, without secrets, as JSON. */
  readonly detail: string;
  readonly memberId: string | null;
  readonly accessKeyId: AccessKeyId | null;
  readonly credential: string;
  readonly source: string;
  readonly requestId: string;
  readonly status: number | null;
};

/**
 * What a list of changes is narrowed to; null: not by that. Times in milliseconds,
 * the first included, the last not.
 */
export type AuditFilter = {
  readonly action: string | null;
  readonly memberId: string | null;
  readonly accessKeyId: string | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
};
