// The call of a route: what every handler of the JSON API gets of the server and of
// its request. Every file of routes/ begins with `callOf`; app.ts makes the call.
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { requireCaller } from '../../core/accounts/find-caller.ts';
import type { FindAccessKey } from '../../core/accounts/sign-in.ts';
import type { Decide } from '../../core/auth/decide.ts';
import type { FindAccounts } from '../../core/auth/find-accounts.ts';
import type { ApiCaller } from '../../core/auth/permissions.ts';
import type { CapGuard } from '../../core/caps/cap-guard.ts';
import type { Core } from '../../core/core.ts';
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
