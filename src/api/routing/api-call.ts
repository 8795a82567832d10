// The call of a route: what every handler of the JSON API gets of the server and of
// its request, and who may make it. app.ts makes the call, and asks for access before
// it reads a body; every route asks once more before its handler, which begins with
// `callOf`.
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { ReadAccountTotals } from '../../core/accounts/account-totals.ts';
import { requireCaller } from '../../core/accounts/find-caller.ts';
import {
  requireRecentOfSession,
  requireRecentProof,
  requireSession,
} from '../../core/accounts/recent-proof.ts';
import type { FindAccessKey } from '../../core/accounts/sign-in.ts';
import type { Decide } from '../../core/auth/decide.ts';
import type { FindAccounts } from '../../core/auth/find-accounts.ts';
import { type ApiCaller, isRoot, mayDo, type Scope } from '../../core/auth/permissions.ts';
import type { CapGuard } from '../../core/caps/cap-guard.ts';
import type { Core } from '../../core/core.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { ApiSecrets } from './api-secrets.ts';

/** Parts of the server that the API works with: every request has the same ones. */
export type ApiServices = {
  readonly core: Core;
  readonly findAccessKey: FindAccessKey;
  readonly findAccounts: FindAccounts;
  readonly decide: Decide;
  /** Absent: there are no caps. */
  readonly caps?: CapGuard;
  readonly secrets: ApiSecrets;
  /** Totals that may be seconds old, for pages that many requests show. */
  readonly glanceAt: ReadAccountTotals;
  /** The region that URLs are signed for, and that events name. */
  readonly region: string;
  /**
   * Domains whose sub-domains are buckets, and their websites; null: there is none.
   */
  readonly baseDomain: string | null;
  readonly websiteDomain: string | null;
};

/** One request with the server that serves it. */
export type ApiCall = ApiServices & {
  readonly request: HttpRequest;
  readonly requestId: string;
  /** Who sent the request; null: nobody that we know. */
  readonly caller: ApiCaller | null;
  /** The body as it was sent; routes take it validated, from `c.req.valid`. */
  readonly body: Uint8Array | null;
  /**
   * The account that the audit log names where the request is not about the
   * caller's own.
   */
  readonly audit: { accountId: AccountId | null };
};

export type ApiEnv = { Bindings: { readonly call: ApiCall } };
export type Api = OpenAPIHono<ApiEnv>;
export type ApiContext = Context<ApiEnv>;

/** The call of a request that a route has let in: its caller is known. */
export type SignedInCall = ApiCall & { readonly caller: ApiCaller };

/** The call of a handler behind any access but `everybody`. Unauthenticated. */
export function callOf(c: ApiContext): SignedInCall {
  const { call } = c.env;
  return { ...call, caller: requireCaller(call.caller) };
}

/**
 * Who may call a route: a holder of the scope; whoever is signed in, for what
 * changes nothing; a session, which has all rights of its holder; a session that
 * was proved lately, for credentials; or everybody.
 */
export type Access = Scope | 'signed-in' | 'session' | 'recent-proof' | 'everybody';

/**
 * Refuses a caller whom the route does not let in, by who it is alone.
 * Unauthenticated, AccessDenied, RecentProofRequired.
 */
export function requireAccess(call: Pick<ApiCall, 'caller' | 'core'>, access: Access): void {
  if (access === 'everybody') return;

  const caller = requireCaller(call.caller);
  if (access === 'signed-in') return;

  if (access === 'session') requireSession(caller);
  else if (access === 'recent-proof') requireRecentProof(caller, call.core.ports.clock.nowMs());
  else if (!mayDo(caller, access)) {
    throw new StorageError('AccessDenied', { detail: `This needs the scope ${access}.` });
  }
}

/**
 * Guards whatever gives somebody a new credential, or an old one more rights: a
 * session must have been proved lately. A token passes, as it can give no more than
 * it has. RecentProofRequired.
 */
export function requireProofForCredentials({ caller, core }: SignedInCall): void {
  requireRecentOfSession(caller, core.ports.clock.nowMs());
}

/** Refuses everybody but the operator of the server. AccessDenied. */
export function requireOperator({ caller }: Pick<SignedInCall, 'caller'>): void {
  if (isRoot(caller)) return;
  throw new StorageError('AccessDenied', {
    detail: 'Only the operator of the server may do this.',
  });
}

/**
 * The call of a handler that only the operator of the server may use. AccessDenied.
 */
export function operatorCallOf(c: ApiContext): SignedInCall {
  const call = callOf(c);
  requireOperator(call);
  return call;
}
