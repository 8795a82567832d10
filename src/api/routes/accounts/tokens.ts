// Bearer tokens: made, listed and withdrawn. The text of one is in the response
// that makes it, and nowhere else.
import { z } from '@hono/zod-openapi';
import { createToken } from '../../../core/accounts/tokens.ts';
import type { Token } from '../../../domain/accounts.ts';
import { StorageError } from '../../../domain/errors.ts';
import { ownOnly } from '../../routing/account-of.ts';
import { type Api, callOf, requireProofForCredentials } from '../../routing/api-call.ts';
import { deleteRoute, listRoute, makingRoute } from '../../routing/api-route.ts';
import { readPage } from '../../routing/paging.ts';
import { idSchema, nameSchema, roleSchema, scopeSchema } from '../../schemas/fields.ts';
import { futureMsOrNull, isoTime, isoTimeOrNull, timeSchema } from '../../schemas/time.ts';

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

function show(token: Token) {
  const { id, name, role, memberId, accessKeyId, scopes } = token;
  return {
    id,
    name,
    role,
    memberId,
    accessKeyId,
    scopes: scopes === null ? null : [...scopes],
    createdAt: isoTime(token.createdAtMs),
    expiresAt: isoTimeOrNull(token.expiresAtMs),
  };
}

export function addTokenRoutes(api: Api): void {
  api.openapi(
    makingRoute({
      path: '/tokens',
      operationId: 'createToken',
      summary: 'Make a bearer token with all or some of your rights',
      description:
        'A token that makes one gives it no more than it has, and no longer. ' +
        'A session must have been proved lately.',
      tags: TAGS,
      access: 'tokens:write',
      request: {},
      input: newTokenSchema,
      made: madeTokenSchema,
      outcome: 'Made; the token is shown here and never again',
    }),
    async (c) => {
      const call = callOf(c);
      requireProofForCredentials(call);
      const { name, scopes, expiresAt } = c.req.valid('json');
      const expiresAtMs = futureMsOrNull(expiresAt, call.core.ports.clock.nowMs());
      const requested = { name, scopes, expiresAtMs };
      const { token, text } = await createToken(call.core, call.caller, requested);
      return c.json({ ...show(token), token: text }, 201);
    },
  );

  api.openapi(
    listRoute({
      path: '/tokens',
      operationId: 'listTokens',
      summary: 'List tokens: your own, as owner or admin those of the account',
      tags: TAGS,
      access: 'tokens:read',
      item: tokenSchema,
      order: 'Newest first',
    }),
    async (c) => {
      const call = callOf(c);
      const holder = ownOnly(call.caller);
      const { directory } = call.core.ports;
      const page = await readPage(call, c.req.valid('query'), {
        list: `tokens ${holder.accountId}`,
        read: (before, limit) => directory.call('listTokens', { ...holder, before, limit }),
        positionOf: ({ id }) => id,
        show,
      });
      return c.json(page, 200);
    },
  );

  api.openapi(
    deleteRoute({
      path: '/tokens/{tokenId}',
      operationId: 'deleteToken',
      summary: 'Withdraw a token; it is refused from now on',
      tags: TAGS,
      access: 'tokens:write',
      request: { params: z.strictObject({ tokenId: idSchema }) },
      outcome: 'Withdrawn',
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
