// What a handler of the JSON API gets, and how a route is written. Every file of routes/ imports
// from here; the recipe is at the head of app.ts.
import { createRoute, type OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { requireCaller } from '../core/accounts/find-caller.ts';
import { type ApiCaller, isRoot, mayDo, type Scope } from '../core/accounts/permissions.ts';
import {
  requireRecentOfSession,
  requireRecentProof,
  requireSession,
} from '../core/accounts/recent-proof.ts';
import type { FindAccessKey } from '../core/accounts/sign-in.ts';
import type { Decide } from '../core/auth/decide.ts';
import type { FindAccounts } from '../core/auth/find-accounts.ts';
import { type BucketHandle, openBucket } from '../core/buckets/bucket-handle.ts';
import type { Core } from '../core/core.ts';
import { isBucketName } from '../core/parse-names.ts';
import { StorageError } from '../domain/errors.ts';
import type { EventOrigin } from '../domain/notifications.ts';
import type { AccountId, BucketName, BucketRecord } from '../domain/nouns.ts';
import { ANONYMOUS_ID } from '../domain/pointer.ts';
import { FRESH_BY_HEADER, freshByAnswer, noteChange } from '../http/fresh-by.ts';
import type { HttpRequest } from '../http/request.ts';
import type { OfAccount } from '../ports/directory-calls/sign-in-calls.ts';
import type { ApiSecrets } from './api-secrets.ts';
import { withAudit } from './audit.ts';

/** What the API works with, the same for every request. */
export type ApiServices = {
  readonly core: Core;
  readonly findAccessKey: FindAccessKey;
  readonly findAccounts: FindAccounts;
  readonly decide: Decide;
  readonly secrets: ApiSecrets;
  /** The region that URLs are signed for, and that events name. */
  readonly region: string;
  /** Domains whose sub-domains are buckets, and their websites; null: there is none. */
  readonly baseDomain: string | null;
  readonly websiteDomain: string | null;
};

/** One request. */
export type ApiCall = ApiServices & {
  readonly request: HttpRequest;
  readonly requestId: string;
  /** Who asks; null: nobody that we know. */
  readonly caller: ApiCaller | null;
  /** What was sent, if anything; routes take it checked, from `c.req.valid`. */
  readonly body: Uint8Array | null;
  /** What the audit log says of the request, where it is not about the caller's own account. */
  readonly audit: { accountId: AccountId | null };
};

export type ApiEnv = { Bindings: { readonly call: ApiCall } };
export type Api = OpenAPIHono<ApiEnv>;
export type ApiContext = Context<ApiEnv>;

/**
 * Who may call a route: whoever has the scope; whoever is signed in, which is for what changes
 * nothing; a session, which has all rights of its holder; a session that was proved lately, which
 * is for credentials; or everybody.
 */
export type Access = Scope | 'signed-in' | 'session' | 'recent-proof' | 'everybody';

/** The call of a request that a route has let in: its caller is known. */
export type SignedInCall = ApiCall & { readonly caller: ApiCaller };

/** For a handler behind any access but `everybody`. */
export function callOf(c: ApiContext): SignedInCall {
  const { call } = c.env;
  return { ...call, caller: requireCaller(call.caller) };
}

type GivenRoute = RouteConfig & {
  readonly access: Access;
  readonly operationId: string;
  /** A POST that asks: nothing is changed by it, and the audit log has nothing to say of it. */
  readonly isQuestion?: true;
};

/**
 * Describes a route: as zod-openapi's `createRoute`, with who may call it. Refusals and wrong input
 * need not be listed: every route has them, as RFC 9457 problems.
 */
export function apiRoute<const Route extends GivenRoute>(route: Route) {
  const { access, isQuestion } = route;
  const middleware: MiddlewareHandler<ApiEnv> = async (c, next) => {
    c.env.call.request.notes.operation = toOperationName(route.operationId);
    if (access === 'everybody') return next();
    // app.ts has asked it before it read the body; here it stands before the handler, whatever
    // comes to it.
    requireAccess(c.env.call, access);
    const call = callOf(c);
    if (route.method === 'get' || isQuestion) return next();
    await withAudit(call, route.operationId, async () => {
      await next();
      return c.res;
    });
    reportFreshBy(c);
  };
  const security = securityOf(access);
  const described = { ...route, security, 'x-quayside-access': access };
  return createRoute({ ...described, middleware } as Route & {
    middleware: MiddlewareHandler<ApiEnv>;
  });
}

/** What is accepted, not done yet, can't say by when it will be seen. */
const ACCEPTED = 202;

/** To a change of a bucket, or of what is in it, that asked for it. */
function reportFreshBy(c: ApiContext): void {
  const { core, request } = c.env.call;
  const { bucket } = request.notes;
  if (bucket === null || c.res.status === ACCEPTED) return;
  const freshBy = freshByAnswer(core, request, bucket);
  if (freshBy !== null) c.res.headers.set(FRESH_BY_HEADER, freshBy);
}

/** Metrics name operations as S3's are named. */
export function toOperationName(operationId: string): string {
  return operationId.charAt(0).toUpperCase() + operationId.slice(1);
}

/** Which credentials a route takes, for the document. */
function securityOf(access: Access): object[] {
  if (access === 'everybody') return [];
  const isForSessions = access === 'session' || access === 'recent-proof';
  return isForSessions ? [{ session: [] }] : [{ bearer: [] }, { session: [] }];
}

/**
 * Unauthenticated, AccessDenied, RecentProofRequired. Nothing of the request is looked at but who
 * sent it.
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
 * For whatever gives somebody a new credential, or an old one more rights: a session must have been
 * proved lately. A token passes, as it can give no more than it has. RecentProofRequired.
 */
export function requireProofForCredentials({ caller, core }: SignedInCall): void {
  requireRecentOfSession(caller, core.ports.clock.nowMs());
}

/**
 * The account that a request is about: the one it names, else the caller's. NoSuchAccount for one
 * that the caller has nothing to do with, whether there is one or not.
 */
export function accountOf(
  { caller, audit }: SignedInCall,
  accountId: string | undefined,
): AccountId {
  if (accountId === undefined || accountId === caller.accountId) return caller.accountId;
  if (!isRoot(caller)) throw new StorageError('NoSuchAccount');
  audit.accountId = accountId as AccountId;
  return accountId as AccountId;
}

/** The same of an account that there is: for what is made in it. NoSuchAccount. */
export async function existingAccountOf(
  call: SignedInCall,
  accountId: string | undefined,
): Promise<AccountId> {
  const id = accountOf(call, accountId);
  if (id === ANONYMOUS_ID || !(await call.findAccounts([id])).has(id))
    throw new StorageError('NoSuchAccount');
  return id;
}

/** AccessDenied for everybody but the operator of the server. */
export function requireOperator({ caller }: SignedInCall): void {
  if (isRoot(caller)) return;
  throw new StorageError('AccessDenied', {
    detail: 'Only the operator of the server may do this.',
  });
}

/**
 * What of the account a list or a removal is about: an owner's or admin's all of it, anybody else's
 * own.
 */
export function ownOnly({ accountId, role, memberId, accessKeyId }: ApiCaller): OfAccount {
  return {
    accountId,
    holder: role === 'owner' || role === 'admin' ? null : { memberId, accessKeyId },
  };
}

/**
 * Opens a bucket for a caller who may do that with the buckets of its owner. NoSuchBucket also for
 * the buckets of others: nobody learns of them here. `alsoCheck` runs whenever the bucket is
 * opened, again when it changed meanwhile.
 */
export async function openBucketOf(
  call: SignedInCall,
  name: string,
  scope: Scope,
  alsoCheck: (record: BucketRecord) => void = () => {},
): Promise<BucketHandle> {
  if (!isBucketName(name)) throw new StorageError('NoSuchBucket');
  return await openBucket(
    call.core,
    name as BucketName,
    (record) => {
      const { ownerId } = record;
      if (!mayDo(call.caller, scope, ownerId)) {
        throw new StorageError(ownerId === call.caller.accountId ? 'AccessDenied' : 'NoSuchBucket');
      }
      if (ownerId !== call.caller.accountId) call.audit.accountId = ownerId;
      call.request.notes.bucket = record.name;
      alsoCheck(record);
    },
    {
      originOf: () => originOf(call),
      note: (bucket, change) => noteChange(call.request, bucket, change),
    },
  );
}

/** Who makes a change, for the events of its bucket. */
function originOf({ caller, region, request, requestId }: SignedInCall): EventOrigin {
  const operation = request.notes.operation ?? '';
  return {
    operation,
    principalId: caller.accountId,
    sourceIp: request.remoteAddress ?? '',
    requestId,
    region,
  };
}

/** An answer of a route: what it is, and its JSON. */
export function jsonAnswer<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

/** The body of a request: it must be there, and JSON. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } } as const;
}

/** A 204. */
export const noContent = (description: string) => ({ description });

/** A time as the API writes it: ISO 8601, UTC. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
export const timeSchema = z.iso
  .datetime({ error: 'Must be a time in UTC, like 2026-11-21T07:35:00Z.' })
  .openapi({ example: '2026-11-21T07:35:00.000Z' });

/** The same of a time that may be never. */
export function isoTimeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : isoTime(timeMs);
}
