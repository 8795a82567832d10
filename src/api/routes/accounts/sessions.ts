// Sessions: signing in and out, and who one is. The only routes that anybody may
// call.
import { z } from '@hono/zod-openapi';
import { proveByPassword } from '../../../core/accounts/members.ts';
import { proveByPasskey } from '../../../core/accounts/passkeys.ts';
import type { SessionKind } from '../../../core/accounts/secrets.ts';
import { beginSession, proveByAccessKey, SESSION_MS } from '../../../core/accounts/sign-in.ts';
import { type Scope, scopesOf } from '../../../core/auth/permissions.ts';
import type { Holder, Session } from '../../../domain/accounts.ts';
import { StorageError } from '../../../domain/errors.ts';
import { networkOf } from '../../../domain/ip-range.ts';
import { noSessionCookie, sessionCookie, sessionKindOf } from '../../requests/credentials.ts';
import { describeUserAgent } from '../../requests/describe-user-agent.ts';
import { transportOf } from '../../requests/transport.ts';
import { ownOnly } from '../../routing/account-of.ts';
import { type Api, type ApiCall, type ApiContext, callOf } from '../../routing/api-call.ts';
import {
  apiRoute,
  deleteRoute,
  jsonBody,
  jsonResponse,
  listRoute,
} from '../../routing/api-route.ts';
import { auditSignIn } from '../../routing/audit.ts';
import { readPage } from '../../routing/paging.ts';
import {
  idSchema,
  loginSchema,
  passwordSchema,
  roleSchema,
  scopeSchema,
  transportSchema,
} from '../../schemas/fields.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';
import { authenticationSchema, verifyAuthentication } from './webauthn.ts';

const TAGS = ['Sessions'];

const signInSchema = z.union(
  [
    z.strictObject({
      accessKeyId: z.string().min(1).max(128),
      secretAccessKey: z.string().min(1).max(256),
    }),
    z.strictObject({ login: loginSchema, password: passwordSchema }),
    z.strictObject({ passkey: authenticationSchema }),
  ],
  {
    error:
      'Send accessKeyId and secretAccessKey, or login and password, or passkey, and nothing else.',
  },
);

const provenAtSchema = timeSchema.openapi({
  description:
    'When its holder last showed a secret. Credentials are changed for ten minutes from then on.',
});

export const sessionSchema = z
  .object({
    id: idSchema,
    label: z.string().openapi({
      description:
        'Browser and system, or tool and version: `Firefox on Windows`, `curl 8.5`. ' +
        'An unknown program is listed by its `User-Agent`, cut to 200 characters.',
    }),
    network: z.string().openapi({
      description: 'The network that it was begun from: an address, or /64 of IPv6.',
    }),
    lastUsedAt: timeSchema.nullable().openapi({ description: 'To the hour.' }),
    memberId: z.string().nullable(),
    accessKeyId: z.string().nullable(),
    createdAt: timeSchema,
    expiresAt: timeSchema,
    provenAt: provenAtSchema,
    isCurrent: z.boolean(),
  })
  .openapi('Session');

export const newSessionSchema = sessionSchema
  .extend({ transport: transportSchema })
  .openapi('NewSession');

const meSchema = z
  .object({
    account: z.object({ id: z.string(), displayName: z.string() }),
    role: roleSchema,
    memberId: z.string().nullable(),
    accessKeyId: z.string().nullable(),
    by: z.enum(['token', 'session']),
    scopes: z.array(scopeSchema),
    transport: transportSchema,
  })
  .openapi('Me');

const labelOf = ({ request }: ApiCall) => describeUserAgent(request.header('user-agent') ?? '');

/** A session as the API shows it. */
export function showSession(session: Session, currentId: string) {
  const { id, label, memberId, accessKeyId, source: network } = session;
  const times = {
    createdAt: isoTime(session.createdAtMs),
    expiresAt: isoTime(session.expiresAtMs),
    provenAt: isoTime(session.provenAtMs),
    lastUsedAt: session.lastUsedMs === 0 ? null : isoTime(session.lastUsedMs),
  };
  return { id, label, network, memberId, accessKeyId, ...times, isCurrent: id === currentId };
}

/**
 * The holder of the secret that was shown. InvalidCredentials, TooManyRequests,
 * AccessDenied.
 */
function proveBy(call: ApiCall, secret: z.infer<typeof signInSchema>): Promise<Holder> {
  const from = { source: networkOf(call.request.remoteAddress), requestId: call.requestId };
  if ('login' in secret) return proveByPassword(call.core, secret, from);
  if ('accessKeyId' in secret) return proveByAccessKey(call.core, call.findAccessKey, secret, from);

  const { passkey } = secret;
  return proveByPasskey(call.core, passkey.id, from, (stored) =>
    verifyAuthentication(call, stored, passkey),
  );
}

/** Refuses to take a secret where whoever is on the way reads along. InsecureTransport. */
export const requireSafeTransport = ({ request }: ApiCall): SessionKind =>
  sessionKindOf(transportOf(request));

/**
 * Begins a session of a proved holder, and responds with its cookie.
 * InsecureTransport.
 */
export async function respondSignedIn(c: ApiContext, holder: Holder, action: string) {
  const { call } = c.env;
  const transport = transportOf(call.request);
  const kind = sessionKindOf(transport);
  const from = { label: labelOf(call), source: networkOf(call.request.remoteAddress), kind };
  const { session, cookieText } = await beginSession(call.core, holder, from);
  await auditSignIn(call, session, action);
  c.header('set-cookie', sessionCookie(kind, cookieText, SESSION_MS / 1000));
  return c.json({ ...showSession(session, session.id), transport }, 201);
}

export function addSessionRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/sessions',
      operationId: 'signIn',
      summary: 'Sign in with an access key, or as a member with a password or a passkey',
      description:
        'Sets the cookie of a session of 12 hours. ' +
        'Wrong attempts are slowed, by source and name together and each alone. ' +
        'Over plain http it is taken at localhost, and at IP addresses of a private network ' +
        'from within it; elsewhere it is refused with `InsecureTransport`.',
      tags: TAGS,
      access: 'everybody',
      request: { body: jsonBody(signInSchema) },
      responses: { 201: jsonResponse(newSessionSchema, 'Signed in') },
    }),
    async (c) => {
      const { call } = c.env;
      requireSafeTransport(call);
      const holder = await proveBy(call, c.req.valid('json'));
      return respondSignedIn(c, holder, 'signIn');
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/me',
      operationId: 'getMe',
      summary: 'Who you are and what you may do',
      tags: TAGS,
      access: 'signed-in',
      responses: { 200: jsonResponse(meSchema, 'You') },
    }),
    async (c) => {
      const { caller, findAccounts, request } = callOf(c);
      const { accountId, role, memberId, accessKeyId, by } = caller;
      const namedAccount = (await findAccounts([accountId])).get(accountId);
      const account = namedAccount ?? { id: accountId, displayName: '' };
      const scopes: Scope[] = [...scopesOf(caller)];
      const transport = transportOf(request);
      return c.json({ account, role, memberId, accessKeyId, by: by.kind, scopes, transport }, 200);
    },
  );

  addProof(api);
  addListAndEnds(api);
}

function addProof(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/sessions/current/proof',
      operationId: 'proveSession',
      summary:
        'Show your password, passkey or access key again, to change credentials in this session',
      description:
        'What needs it answers `RecentProofRequired`: repeat that request after this one.',
      tags: TAGS,
      access: 'session',
      request: { body: jsonBody(signInSchema) },
      responses: {
        200: jsonResponse(z.object({ provenAt: provenAtSchema }), 'Proved, for ten minutes'),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const { core, caller } = call;
      const holder = await proveBy(call, c.req.valid('json'));
      const isSame =
        holder.memberId === caller.memberId && holder.accessKeyId === caller.accessKeyId;
      if (!isSame)
        throw new StorageError('InvalidCredentials', {
          detail: 'This is another one than signed in.',
        });
      const atMs = core.ports.clock.nowMs();
      await core.ports.directory.call('noteProof', {
        accountId: caller.accountId,
        id: caller.by.id,
        atMs,
      });
      return c.json({ provenAt: isoTime(atMs) }, 200);
    },
  );
}

function addListAndEnds(api: Api): void {
  api.openapi(
    listRoute({
      path: '/sessions',
      operationId: 'listSessions',
      summary: 'List sessions: your own, as owner or admin those of the account',
      tags: TAGS,
      access: 'sessions:read',
      item: sessionSchema,
      order: 'Newest first',
    }),
    async (c) => {
      const call = callOf(c);
      const holder = ownOnly(call.caller);
      const { directory, clock } = call.core.ports;
      const nowMs = clock.nowMs();
      const page = await readPage(call, c.req.valid('query'), {
        list: `sessions ${holder.accountId}`,
        read: (before, limit) =>
          directory.call('listSessions', { ...holder, before, limit, nowMs }),
        positionOf: ({ id }) => id,
        show: (session) => showSession(session, call.caller.by.id),
      });
      return c.json(page, 200);
    },
  );

  api.openapi(
    deleteRoute({
      path: '/sessions/{sessionId}',
      operationId: 'signOut',
      summary: 'End a session; `current` is the one that asks',
      tags: TAGS,
      access: 'sessions:write',
      request: { params: z.strictObject({ sessionId: idSchema }) },
      outcome: 'Ended',
    }),
    async (c) => {
      const { core, caller, request } = callOf(c);
      const { sessionId } = c.req.valid('param');
      const id = sessionId === 'current' ? caller.by.id : sessionId;
      const isCurrent = caller.by.kind === 'session' && id === caller.by.id;
      const wasThere = await core.ports.directory.call('removeSession', { ...ownOnly(caller), id });
      if (!wasThere) throw new StorageError('NoSuchSession');
      if (isCurrent) c.header('set-cookie', noSessionCookie(transportOf(request)));
      return c.body(null, 204);
    },
  );

  api.openapi(
    deleteRoute({
      path: '/sessions',
      operationId: 'signOutEverywhere',
      summary: 'End all of your sessions, this one too',
      tags: TAGS,
      access: 'sessions:write',
      request: {},
      outcome: 'Ended',
    }),
    async (c) => {
      const { core, caller, request } = callOf(c);
      await core.ports.directory.call('removeSessions', { holder: caller, exceptId: null });
      if (caller.by.kind === 'session')
        c.header('set-cookie', noSessionCookie(transportOf(request)));
      return c.body(null, 204);
    },
  );
}
