// The calls of the directory for signing in: tokens, sessions, attempts, and
// idempotency records. index/directory implements them; ports/directory.ts puts
// them together with the others.
import type {
  FailedSignIn,
  Holder,
  IdempotencyRecord,
  IdempotencyState,
  Session,
  SignInSubjects,
  Token,
} from '../../domain/accounts.ts';
import type { AccountId } from '../../domain/nouns.ts';

/**
 * Limits a call to the tokens or sessions of an account. `holder`: to those of one
 * member or access key; null: all.
 */
export type OfAccount = {
  readonly accountId: AccountId;
  readonly holder: Pick<Holder, 'memberId' | 'accessKeyId'> | null;
};

/** Calls of the directory for signing in. All commands may be repeated. */
export type SignInApi = {
  /**
   * By the SHA-256 digest of the token or cookie, in hex; null for none, and for
   * one that expired before `nowMs`.
   */
  getToken(input: { digest: string; nowMs: number }): Token | null;
  getSession(input: { digest: string; nowMs: number }): Session | null;
  addToken(input: { digest: string; token: Token }): void;
  addSession(input: { digest: string; session: Session }): void;
  /**
   * Newest first; `before` is the id of the last one seen, '' for the first page.
   */
  listTokens(input: OfAccount & { before: string; limit: number }): readonly Token[];
  listSessions(
    input: OfAccount & { before: string; limit: number; nowMs: number },
  ): readonly Session[];
  /** Whether there was one. */
  removeToken(input: OfAccount & { id: string }): boolean;
  removeSession(input: OfAccount & { id: string }): boolean;
  /**
   * Signs out everywhere: every session of the same member or access key, but for
   * `exceptId`. How many there were.
   */
  removeSessions(input: { holder: Holder; exceptId: string | null }): number;
  /** The session was used. Nothing where a use at or after `atMs` is noted. */
  noteSessionUsed(input: { accountId: AccountId; id: string; atMs: number }): void;
  /** The holder of a session showed a secret again. */
  noteProof(input: { accountId: AccountId; id: string; atMs: number }): void;
  /**
   * Counts an attempt to sign in, unless it must wait: then the milliseconds until
   * it may be tried again. `isGuessable`: the secret may be a person's, so that
   * guesses from many sources are counted together too.
   */
  beginSignIn(input: SignInSubjects & { isGuessable: boolean; nowMs: number }): {
    readonly waitMs: number;
  };
  /**
   * The attempt was right: it is no failure, and from that source the name is let
   * through from now on.
   */
  endSignIn(input: SignInSubjects & { nowMs: number }): void;
  /**
   * Keeps a failure in the audit log of its account. Failures of one credential and
   * source in a day are one entry with a count; beyond `perDay` such entries all
   * others of the day are one more. A repeated call counts twice.
   */
  noteFailedSignIn(input: { failure: FailedSignIn; perDay: number; keepFromMs: number }): void;
  /**
   * Counts on a subject what it may do `free` times an hour, then with longer and
   * longer waits, in milliseconds.
   */
  countAttempt(input: { subject: string; free: number; nowMs: number }): {
    readonly waitMs: number;
  };
  /** Takes one attempt back. */
  uncountAttempt(input: { subject: string }): void;
  /**
   * Notes that the request begins, if nothing is known of it. `attemptId` repeats
   * with a repeated call.
   */
  beginIdempotent(
    input: IdempotentRequest & { fingerprint: string; attemptId: string; nowMs: number },
  ): IdempotencyState;
  /** Stores the response; null forgets the request. */
  endIdempotent(input: IdempotentRequest & { record: IdempotencyRecord | null }): void;
};

/** `caller` is who sent the request, so that nobody meets another's key. */
export type IdempotentRequest = { readonly caller: string; readonly key: string };
