// Who may use the JSON API, as the directory keeps it: tokens, sessions, how often somebody failed to sign in, and the
// answers that are kept for repeated requests. Secrets come digested or sealed; nothing here can be used to sign in.
import type { AccessKeyId, AccountId } from './domain.ts';

/** What a member of an account may do; core/accounts/permissions.ts says it in scopes. */
export type Role = 'owner' | 'admin' | 'member' | 'billing' | 'reader';

/** Who is behind a token or a session: a member of the account, or whoever holds one of its access keys. */
export type Holder = {
  readonly accountId: AccountId;
  readonly role: Role;
  /** Null: no member. */
  readonly memberId: string | null;
  /** The access key that signed in; null: none did. */
  readonly accessKeyId: AccessKeyId | null;
};

/**
 * What the ids of the keys begin with that members have without anybody making them (core/auth/member-key.ts): no other
 * id has a hyphen.
 */
export const MEMBER_KEY_PREFIX = 'QS-member-';

/** A bearer token. `scopes` null: all that its holder's role has. Times in milliseconds since 1970. */
export type Token = Holder & {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[] | null;
  readonly createdAtMs: number;
  /** Null: never. */
  readonly expiresAtMs: number | null;
};

/** A browser that signed in. `label` is what it said of itself, for its owner to tell it from others. */
export type Session = Holder & {
  readonly id: string;
  readonly label: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
};

/** An answer that is kept for a repeated request; `sealed` is its body, encrypted, for it may show a secret. */
export type KeptAnswer = { readonly status: number; readonly headers: string; readonly sealed: string };

/** What is known of a request with an idempotency key: nothing, so it may run; under way; of another request; answered. */
export type IdempotencyState =
  | { readonly kind: 'new' | 'busy' | 'other' }
  | { readonly kind: 'answered'; readonly answer: KeptAnswer };

/** Those of an account; `holder`: of that member or access key alone, null for all. */
export type OfAccount = {
  readonly accountId: AccountId;
  readonly holder: Pick<Holder, 'memberId' | 'accessKeyId'> | null;
};

/** Calls of the directory for signing in. All commands may be repeated. */
export type SignInApi = {
  /** By the SHA-256 digest of the token or cookie, in hex; null for none, and for one that expired before `nowMs`. */
  getToken(input: { digest: string; nowMs: number }): Token | null;
  getSession(input: { digest: string; nowMs: number }): Session | null;
  addToken(input: { digest: string; token: Token }): void;
  addSession(input: { digest: string; session: Session }): void;
  /** Newest first; `before` is the id of the last one seen, '' for the first page. */
  listTokens(input: OfAccount & { before: string; limit: number }): readonly Token[];
  listSessions(input: OfAccount & { before: string; limit: number; nowMs: number }): readonly Session[];
  /** Whether there was one. */
  removeToken(input: OfAccount & { id: string }): boolean;
  removeSession(input: OfAccount & { id: string }): boolean;
  /** Signs out everywhere: every session of the same member or access key, but for `exceptId`. How many there were. */
  removeSessions(input: { holder: Holder; exceptId: string | null }): number;
  /**
   * Counts an attempt to sign in on each subject, a name first and then sources, unless one of them must wait: then the
   * milliseconds until it may try again, and nothing is counted.
   */
  beginSignIn(input: { subjects: readonly string[]; nowMs: number }): { readonly waitMs: number };
  /** The attempt was right: the first subject is forgotten, the others have one failure less. */
  endSignIn(input: { subjects: readonly string[] }): void;
  /** Notes that the request begins, if nothing is known of it. `attemptId` repeats with a repeated call. */
  beginIdempotent(
    input: IdempotentRequest & { fingerprint: string; attemptId: string; nowMs: number },
  ): IdempotencyState;
  /** Keeps its answer; null forgets the request. */
  endIdempotent(input: IdempotentRequest & { answer: KeptAnswer | null }): void;
};

/** `caller` is who asked, so that nobody meets another's key. */
export type IdempotentRequest = { readonly caller: string; readonly key: string };
