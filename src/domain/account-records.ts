// Accounts, their members, their access keys and what was changed, as the directory keeps them.
// Secrets come sealed or hashed, and no call gives one back but `getAccessKey`, which signatures
// are checked with.
import type { Role } from './accounts.ts';
import type { AccessKeyId, Account, AccountId } from './nouns.ts';

/**
 * What a key may do at most; null: no limit of that kind. core/auth/key-scope.ts says what each
 * means.
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
 * A key as signatures are checked with it. `secret` is sealed by a master key, or plain when an old
 * program wrote it.
 */
export type StoredAccessKey = {
  readonly id: AccessKeyId;
  readonly secret: string;
  readonly isSealed: boolean;
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
   * What whoever signs in to the JSON API with it may do: no more than who made it. Null: it is for
   * S3 alone.
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

/** `login` is the name to sign in with, in lower case, of one member on the whole server. */
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
 * What a list of changes is narrowed to; null: not by that. Times in milliseconds, the first
 * included, the last not.
 */
export type AuditFilter = {
  readonly action: string | null;
  readonly memberId: string | null;
  readonly accessKeyId: string | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
};

/** The state that a change was decided on: PreconditionFailed when it is another one. */
export type IfRevision = { readonly revision: number };

type Page<Place> = { readonly limit: number } & Place;

/** Calls of the directory about accounts. All commands may be repeated. */
export type AccountsApi = {
  /** The key with its account, or null. */
  getAccessKey(input: { id: AccessKeyId }): StoredAccessKey | null;
  listAccounts(input: Page<{ after: string }>): readonly AccountRecord[];
  getAccount(input: { id: AccountId }): AccountRecord | null;
  addAccount(input: { account: AccountRecord }): void;
  /** NoSuchAccount, PreconditionFailed. A disabled account has no sessions. */
  updateAccount(
    input: IfRevision & { id: AccountId; displayName: string; isEnabled: boolean },
  ): AccountRecord;
  /**
   * With its keys, members, tokens, sessions, and webhooks, of which `endWebhooks` has left little.
   * NoSuchAccount, AccountNotEmpty (it has buckets).
   */
  removeAccount(input: { id: AccountId }): void;

  listAccessKeys(input: Page<{ accountId: AccountId; after: string }>): readonly AccessKeyRecord[];
  findAccessKeyRecord(input: { accountId: AccountId; id: AccessKeyId }): AccessKeyRecord | null;
  addAccessKey(input: { key: AccessKeyRecord; sealedSecret: string }): void;
  /** NoSuchAccessKey, PreconditionFailed. A disabled key has no sessions. */
  updateAccessKey(
    input: IfRevision &
      Pick<AccessKeyRecord, 'accountId' | 'id' | 'name' | 'scope' | 'expiresAtMs' | 'isEnabled'>,
  ): AccessKeyRecord;
  /** With what signed in by it. Whether there was one. */
  removeAccessKey(input: { accountId: AccountId; id: AccessKeyId }): boolean;
  /** Puts the sealed secret in place of the plain one, if that is still it. */
  sealAccessKey(input: { id: AccessKeyId; plain: string; sealed: string }): void;
  noteKeyUsed(input: { id: AccessKeyId; atMs: number }): void;

  listMembers(input: Page<{ accountId: AccountId; after: string }>): readonly MemberRecord[];
  getMember(input: { accountId: AccountId; id: string }): MemberRecord | null;
  /** By login, with the hash of the password, of an account that is in use; null for none. */
  findLogin(input: {
    login: string;
  }): (MemberRecord & { readonly passwordHash: string | null }) | null;
  /** LoginTaken. */
  addMember(input: { member: MemberRecord; passwordHash: string | null }): void;
  /**
   * `passwordHash` null: it stays. A disabled member, or one of another password, has no sessions;
   * with `endTokens`, one of another password has no tokens either. NoSuchMember,
   * PreconditionFailed.
   */
  updateMember(
    input: IfRevision &
      Pick<MemberRecord, 'accountId' | 'id' | 'displayName' | 'role' | 'isEnabled'> & {
        readonly passwordHash: string | null;
        readonly endTokens: boolean;
      },
  ): { readonly member: MemberRecord; readonly ended: EndedCredentials };
  /**
   * The member's own change, whatever else was changed: also another revision. Ends all its
   * sessions, but for `exceptId`, and with `endTokens` all its tokens. NoSuchMember.
   */
  setPassword(input: {
    accountId: AccountId;
    id: string;
    passwordHash: string;
    exceptId: string | null;
    endTokens: boolean;
  }): EndedCredentials;
  /** With tokens, sessions and passkeys. Whether there was one. */
  removeMember(input: { accountId: AccountId; id: string }): boolean;

  /**
   * Keeps an entry, and forgets those before `keepFromMs`. Where the account has more than
   * `keepMax`, the oldest go of the key or member that made most of them. Cost: the same however
   * many there are; it forgets a few at a time.
   */
  addAudit(input: { entry: AuditEntry; keepFromMs: number; keepMax: number }): void;
  /**
   * How it ended; null: nothing was changed, and nothing is kept. `detail`: what was sent, where it
   * was not known before.
   */
  endAudit(input: {
    id: string;
    accountId: AccountId;
    status: number | null;
    detail?: string;
  }): void;
  /**
   * With the failures to sign in. Newest first; `before` is the id of the last one seen, '' for the
   * first page.
   */
  listAudit(
    input: Page<{ accountId: AccountId; before: string; filter: AuditFilter }>,
  ): readonly AuditEntry[];
};
