// Passkeys of members: registered while signed in, shown to sign in (POST
// /sessions), listed and removed.
import { z } from '@hono/zod-openapi';
import { addPasskey, removePasskey } from '../../../core/accounts/passkeys.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { Passkey } from '../../../domain/passkeys.ts';
import { type Api, type ApiContext, callOf } from '../../routing/api-call.ts';
import { apiRoute, deleteRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { requireFound } from '../../routing/require-found.ts';
import { nameSchema } from '../../schemas/fields.ts';
import { isoTime, isoTimeOrNull, timeSchema } from '../../schemas/time.ts';
import {
  authenticationOptions,
  optionsSchema,
  registrationOptions,
  registrationSchema,
  verifyRegistration,
} from './webauthn.ts';

const TAGS = ['Passkeys'];
const idSchema = z.string().regex(/^[\w-]{1,2048}$/);
const passkeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: timeSchema,
    lastUsedAt: timeSchema.nullable(),
  })
  .openapi('Passkey');

function show({ id, name, createdAtMs, lastUsedMs }: Passkey) {
  return { id, name, createdAt: isoTime(createdAtMs), lastUsedAt: isoTimeOrNull(lastUsedMs) };
}

/**
 * The caller as a member. NoSuchMember for an access key that signed in: passkeys
 * are people's.
 */
function memberOf(c: ApiContext) {
  const call = callOf(c);
  const { accountId, memberId } = call.caller;
  if (memberId === null)
    throw new StorageError('NoSuchMember', { detail: 'You signed in with an access key.' });
  return { call, owner: { accountId, memberId } };
}

export function addPasskeyRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/passkeys/registration-options',
      operationId: 'beginPasskeyRegistration',
      summary: 'Options for navigator.credentials.create',
      tags: TAGS,
      access: 'recent-proof',
      responses: { 200: jsonResponse(optionsSchema, 'Good for five minutes, once') },
    }),
    async (c) => {
      const { call, owner } = memberOf(c);
      const { directory } = call.core.ports;
      const { accountId, memberId: id } = owner;
      const record = await directory.call('getMember', { accountId, id });
      const member = requireFound(record, 'NoSuchMember');
      const passkeys = await directory.call('listPasskeys', owner);
      return c.json(await registrationOptions(call, member, passkeys), 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'post',
      path: '/passkeys',
      operationId: 'createPasskey',
      summary: 'Register a passkey',
      tags: TAGS,
      access: 'recent-proof',
      request: {
        body: jsonBody(z.strictObject({ name: nameSchema, passkey: registrationSchema })),
      },
      responses: { 201: jsonResponse(passkeySchema, 'Registered') },
    }),
    async (c) => {
      const { call, owner } = memberOf(c);
      const { name, passkey } = c.req.valid('json');
      const proved = await verifyRegistration(call, owner.memberId, passkey);
      if (proved === null)
        throw new StorageError('InvalidInput', {
          detail: 'This is no answer to an open challenge.',
        });
      return c.json(show(await addPasskey(call.core, owner, { ...proved, name })), 201);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/passkeys',
      operationId: 'listPasskeys',
      summary: 'Your passkeys',
      tags: TAGS,
      access: 'signed-in',
      responses: { 200: jsonResponse(z.object({ items: z.array(passkeySchema) }), 'All of them') },
    }),
    async (c) => {
      const { call, owner } = memberOf(c);
      const items = await call.core.ports.directory.call('listPasskeys', owner);
      return c.json({ items: items.map(show) }, 200);
    },
  );

  api.openapi(
    deleteRoute({
      path: '/passkeys/{passkeyId}',
      operationId: 'deletePasskey',
      summary: 'Remove one of your passkeys, with the other sessions and the tokens that it began',
      tags: TAGS,
      access: 'recent-proof',
      request: { params: z.strictObject({ passkeyId: idSchema }) },
      outcome: 'Removed',
    }),
    async (c) => {
      const { call, owner } = memberOf(c);
      await removePasskey(call.core, owner, c.req.valid('param').passkeyId, call.caller.by.id);
      return c.body(null, 204);
    },
  );

  api.openapi(
    apiRoute({
      method: 'post',
      path: '/passkeys/authentication-options',
      operationId: 'beginPasskeySignIn',
      summary: 'Options for navigator.credentials.get; its response goes to POST /sessions',
      tags: TAGS,
      access: 'everybody',
      responses: { 200: jsonResponse(optionsSchema, 'Good for five minutes, once') },
    }),
    async (c) => c.json(await authenticationOptions(c.env.call), 200),
  );
}
