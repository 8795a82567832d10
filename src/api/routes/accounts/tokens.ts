// Bearer tokens: made, listed and withdrawn. The text of one is in the answer that makes it, and
// nowhere else.
import { z } from '@hono/zod-openapi';
import type { Scope } from '../../../core/accounts/permissions.ts';
import { createToken } from '../../../core/accounts/tokens.ts';
import type { Token } from '../../../domain/accounts.ts';
import { StorageError } from '../../../domain/errors.ts';
import { requireProofForCredentials } from '../../routing/access.ts';
import { ownOnly } from '../../routing/account-of.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse, noContent } from '../../routing/api-route.ts';
import { pageOf, pageQuery, readCursor, toPage } from '../../routing/paging.ts';
import { idSchema, nameSchema, roleSchema, scopeSchema } from '../../schemas/fields.ts';
import { isoTime, isoTimeOrNull, timeSchema } from '../../schemas/time.ts';

const TAGS = ['Tokens'];

const tokenSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    role: roleSchema,
    memberId: z.string().nullable(),
    accessKeyId: z.string().nullable(),
    scopes: z
      .array(z.string())
      .nullable()
      .openapi({ description: 'null: everything that its holder may do.' }),
    createdAt: timeSchema,
    expiresAt: timeSchema.nullable(),
  })
  .openapi('Token');

const newTokenSchema = z.strictObject({
  name: nameSchema,
  scopes: z.array(scopeSchema).min(1).max(64).nullable().default(null),
  expiresAt: timeSchema.nullable().default(null),
});

const madeTokenSchema = tokenSchema
  .extend({ token: z.string().openapi({ description: 'Shown once.' }) })
  .openapi('NewToken');

function show({ id, name, role, memberId, accessKeyId, scopes, createdAtMs, expiresAtMs }: Token) {
  const times = { createdAt: isoTime(createdAtMs), expiresAt: isoTimeOrNull(expiresAtMs) };
  return {
    id,
    name,
    role,
    memberId,
    accessKeyId,
    scopes: scopes === null ? null : [...scopes],
    ...times,
  };
}

export function addTokenRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/tokens',
      operationId: 'createToken',
      summary: 'Make a bearer token with all or some of your rights',
      description:
        'A token that makes one gives it no more than it has, and no longer. A session must have been proved lately.',
      tags: TAGS,
      access: 'tokens:write',
      request: { body: jsonBody(newTokenSchema) },
      responses: {
        201: jsonResponse(madeTokenSchema, 'Made; the token is shown here and never again'),
      },
    }),
    async (c) => {
      const call = callOf(c);
      requireProofForCredentials(call);
      const { core, caller } = call;
      const { name, scopes, expiresAt } = c.req.valid('json');
      const expiresAtMs = expiresAt === null ? null : Date.parse(expiresAt);
      if (expiresAtMs !== null && expiresAtMs <= core.ports.clock.nowMs()) {
        throw new StorageError('InvalidInput', { detail: 'expiresAt must be in the future.' });
      }
      const wanted: { name: string; scopes: readonly Scope[] | null; expiresAtMs: number | null } =
        {
          ...{ name, scopes, expiresAtMs },
        };
      const { token, text } = await createToken(core, caller, wanted);
      return c.json({ ...show(token), token: text }, 201);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/tokens',
      operationId: 'listTokens',
      summary: 'List tokens: your own, as owner or admin those of the account',
      tags: TAGS,
      access: 'tokens:read',
      request: { query: z.strictObject(pageQuery) },
      responses: { 200: jsonResponse(pageOf(tokenSchema), 'Newest first') },
    }),
    async (c) => {
      const { core, caller, secrets } = callOf(c);
      const { limit, cursor } = c.req.valid('query');
      const list = `tokens ${caller.accountId}`;
      const before = readCursor(secrets, list, cursor);
      const found = await core.ports.directory.call('listTokens', {
        ...ownOnly(caller),
        before,
        limit: limit + 1,
      });
      return c.json(
        toPage(found, { limit, list, secrets }, ({ id }) => id, show),
        200,
      );
    },
  );

  api.openapi(
    apiRoute({
      method: 'delete',
      path: '/tokens/{tokenId}',
      operationId: 'deleteToken',
      summary: 'Withdraw a token; it is refused from now on',
      tags: TAGS,
      access: 'tokens:write',
      request: { params: z.strictObject({ tokenId: idSchema }) },
      responses: { 204: noContent('Withdrawn') },
    }),
    async (c) => {
      const { core, caller } = callOf(c);
      const id = c.req.valid('param').tokenId;
      const wasThere = await core.ports.directory.call('removeToken', { ...ownOnly(caller), id });
      if (!wasThere) throw new StorageError('NoSuchToken');
      return c.body(null, 204);
    },
  );
}
