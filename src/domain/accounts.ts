// Who may use the JSON API, as the directory stores it: tokens, sessions, failures
// to sign in, and idempotency records. Secrets come digested or encrypted; nothing
// here can be used to sign in.
import type { AccessKeyId, AccountId } from './nouns.ts';

/** Every role, that which may most first. */
export const ROLES = ['owner', 'admin', 'member', 'billing', 'reader'] as const;

/**
 * What a member of an account may do; core/auth/permissions.ts says it in scopes.
 */
export type Role = (typeof ROLES)[number];

/**
 * Who is behind a token or a session: a member of the account, or whoever holds one
 * of its access keys.
 */
export type Holder = {
  readonly accountId: AccountId;
  readonly role: Role;
  /** Null: no member. */
  readonly memberId: string | null;
  /** The access key that signed in; null: none did. */
  readonly accessKeyId: AccessKeyId | null;
  /**
   * Digest of that access key with its secret, or of a passkey: what a session or
   * token is bound to. Null: a password, whose change ends them.
   */
  readonly credentialDigest: string | null;
};

/**
 * What the ids of the keys begin with that members have without anybody making them
 * (core/auth/member-key.ts): no other id has a hyphen.
 */
export const MEMBER_KEY_PREFIX = 'QS-member-';

/**
 * A bearer token. `scopes` null: all that its holder's role has. Times in
 * milliseconds since 1970.
 */
export type Token = Holder & {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[] | null;
  readonly createdAtMs: number;
  /** Null: never. */
  readonly expiresAtMs: number | null;
};

/**
 * A browser that signed in. `label` is what it said of itself, so that its owner
 * can tell it from others.
 */
export type Session = Holder & {
  readonly id: string;
  readonly label: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** When its holder last showed a password, a passkey or the secret of a key. */
  readonly provenAtMs: number;
  /** The network that it was begun from; '' where that was not noted. */
  readonly source: string;
  /** When it was used last, to the hour; 0: not since that is noted. */
  readonly lastUsedMs: number;
};

/**
 * Who tries to sign in, as digests, so that the directory has no list of names and
 * addresses.
 */
export type SignInSubjects = {
  readonly name: string;
  readonly source: string;
  /** Both together. */
  readonly pair: string;
};

/**
 * A wrong secret. `credential` says which one was tried, '' a name that nobody has.
 */
export type FailedSignIn = {
  /** Sorts by time. */
  readonly id: string;
  readonly accountId: AccountId;
  readonly atMs: number;
  readonly credential: string;
  readonly memberId: string | null;
  readonly accessKeyId: AccessKeyId | null;
  readonly source: string;
  readonly requestId: string;
};

/**
 * An idempotency record: the response that a repeated request gets again.
 * `encryptedBody` is its body, encrypted, because it may show a secret.
 */
export type IdempotencyRecord = {
  readonly status: number;
  readonly headers: string;
  readonly encryptedBody: string;
};

/**
 * What is known of a request with an idempotency key. `new`: nothing, so it may
 * run. `busy`: it is under way. `other`: the key was used for another request.
 * `answered`: here is its response.
 */
export type IdempotencyState =
  | { readonly kind: 'new' | 'busy' | 'other' }
  | { readonly kind: 'answered'; readonly record: IdempotencyRecord };
