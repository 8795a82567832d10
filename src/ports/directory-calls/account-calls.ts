// The calls of the directory about accounts, their access keys and members, and the
// audit log. index/directory implements them; ports/directory.ts puts them together
// with the others.
import type {
  AccessKeyRecord,
  AccountRecord,
  AuditEntry,
  AuditFilter,
  EndedCredentials,
  MemberRecord,
  StoredAccessKey,
} from '../../domain/account-records.ts';
import type { AccessKeyId, AccountId } from '../../domain/nouns.ts';

/**
 * The state that a change was decided on: PreconditionFailed when it is another
 * one.
 */
export type IfRevision = { readonly revision: number };

type Page<Place> = { readonly limit: number } & Place;

/** Calls of the directory about accounts. All commands may be repeated. */
export type AccountsApi = {
  /**
   * The key with its account, or null. `isProven`: nobody made the id up, so the
   * look-up is never put off.
   */
  getAccessKey(input: { id: AccessKeyId; isProven?: boolean }): StoredAccessKey | null;
  listAccounts(input: Page<{ after: string }>): readonly AccountRecord[];
  getAccount(input: { id: AccountId }): AccountRecord | null;
  addAccount(input: { account: AccountRecord }): void;
  /** NoSuchAccount, PreconditionFailed. A disabled account has no sessions. */
  updateAccount(
    input: IfRevision & { id: AccountId; displayName: string; isEnabled: boolean },
  ): AccountRecord;
  /**
   * With its keys, members, tokens, sessions, and webhooks, of which `endWebhooks`
   * has left little. NoSuchAccount, AccountNotEmpty (it has buckets).
   */
  removeAccount(input: { id: AccountId }): void;

  listAccessKeys(input: Page<{ accountId: AccountId; after: string }>): readonly AccessKeyRecord[];
  findAccessKeyRecord(input: { accountId: AccountId; id: AccessKeyId }): AccessKeyRecord | null;
  addAccessKey(input: { key: AccessKeyRecord; encryptedSecret: string }): void;
  /** NoSuchAccessKey, PreconditionFailed. A disabled key has no sessions. */
  updateAccessKey(
    input: IfRevision &
      Pick<AccessKeyRecord, 'accountId' | 'id' | 'name' | 'scope' | 'expiresAtMs' | 'isEnabled'>,
  ): AccessKeyRecord;
  /** With what signed in by it. Whether there was one. */
  removeAccessKey(input: { accountId: AccountId; id: AccessKeyId }): boolean;
  /** Puts the encrypted secret in place of the plain one, if that is still it. */
  encryptAccessKey(input: { id: AccessKeyId; plain: string; encrypted: string }): void;
  noteKeyUsed(input: { id: AccessKeyId; atMs: number }): void;

  listMembers(input: Page<{ accountId: AccountId; after: string }>): readonly MemberRecord[];
  getMember(input: { accountId: AccountId; id: string }): MemberRecord | null;
  /**
   * By login, with the hash of the password, of an account that is in use; null for
   * none.
   */
  findLogin(input: {
    login: string;
  }): (MemberRecord & { readonly passwordHash: string | null }) | null;
  /** LoginTaken. */
  addMember(input: { member: MemberRecord; passwordHash: string | null }): void;
  /**
   * `passwordHash` null: it stays. A disabled member, or one of another password,
   * has no sessions; with `endTokens`, one of another password has no tokens
   * either. NoSuchMember, PreconditionFailed.
   */
  updateMember(
    input: IfRevision &
      Pick<MemberRecord, 'accountId' | 'id' | 'displayName' | 'role' | 'isEnabled'> & {
        readonly passwordHash: string | null;
        readonly endTokens: boolean;
      },
  ): { readonly member: MemberRecord; readonly ended: EndedCredentials };
  /**
   * The member's own change, whatever else was changed: also another revision. Ends
   * all its sessions, but for `exceptId`, and with `endTokens` all its tokens.
   * NoSuchMember.
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
   * Keeps an entry, and forgets those before `keepFromMs`. Where the account has
   * more than `keepMax`, the oldest go of the key or member that made most of them.
   * Cost: the same however many there are; it forgets a few at a time.
   */
  addAudit(input: { entry: AuditEntry; keepFromMs: number; keepMax: number }): void;
  /**
   * How it ended; null: nothing was changed, and nothing is kept. `detail`: what
   * was sent, where it was not known before.
   */
  endAudit(input: {
    id: string;
    accountId: AccountId;
    status: number | null;
    detail?: string;
  }): void;
  /**
   * With the failures to sign in. Newest first; `before` is the id of the last one
   * seen, '' for the first page.
   */
  listAudit(
    input: Page<{ accountId: AccountId; before: string; filter: AuditFilter }>,
  ): readonly AuditEntry[];
};
