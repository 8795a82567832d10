// Accounts: the operator makes them; their owners see and name them.
import { z } from '@hono/zod-openapi';
import { deleteAccount } from '../../../core/accounts/delete-account.ts';
import { createAccount } from '../../../core/accounts/members.ts';
import type { AccountRecord } from '../../../domain/account-records.ts';
import { StorageError } from '../../../domain/errors.ts';
import { requireOperator } from '../../routing/access.ts';
import { accountOf } from '../../routing/account-of.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse, noContent } from '../../routing/api-route.ts';
import { ifMatchHeader, requireMatch, toEtag } from '../../routing/etag.ts';
import { pageOf, pageQuery, readCursor, toPage } from '../../routing/paging.ts';
import { idSchema, nameSchema } from '../../schemas/fields.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';

const TAGS = ['Accounts'];

const accountSchema = z
  .object({
    id: z.string(),
    displayName: z.string(),
    createdAt: timeSchema.nullable().openapi({ description: 'null: an account of the settings.' }),
    isEnabled: z.boolean(),
  })
  .openapi('Account');

const newAccountSchema = z.strictObject({ displayName: nameSchema });
const changeSchema = z.strictObject({
  displayName: nameSchema.optional(),
  isEnabled: z.boolean().optional(),
});
const params = z.strictObject({ accountId: idSchema });

function show({ id, displayName, createdAtMs, isEnabled }: AccountRecord) {
  return { id: id as string, displayName, createdAt: isoTime(createdAtMs), isEnabled };
}

const etagOf = ({ revision }: AccountRecord) => toEtag(`${revision}`);

export function addAccountRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/accounts',
      operationId: 'createAccount',
      summary: 'Make an account (operator)',
      tags: TAGS,
      access: 'account:write',
      request: { body: jsonBody(newAccountSchema) },
      responses: { 201: jsonResponse(accountSchema, 'Made') },
    }),
    async (c) => {
      const call = callOf(c);
      requireOperator(call);
      const account = await createAccount(call.core, c.req.valid('json').displayName);
      c.header('etag', etagOf(account));
      return c.json(show(account), 201);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/accounts',
      operationId: 'listAccounts',
      summary: 'List accounts (operator); those of the settings are not among them',
      tags: TAGS,
      access: 'account:read',
      request: { query: z.strictObject(pageQuery) },
      responses: { 200: jsonResponse(pageOf(accountSchema), 'Some accounts, by id') },
    }),
    async (c) => {
      const call = callOf(c);
      requireOperator(call);
      const { core, secrets } = call;
      const { limit, cursor } = c.req.valid('query');
      const after = readCursor(secrets, 'accounts', cursor);
      const found = await core.ports.directory.call('listAccounts', { after, limit: limit + 1 });
      return c.json(
        toPage(found, { limit, list: 'accounts', secrets }, ({ id }) => id as string, show),
        200,
      );
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/accounts/{accountId}',
      operationId: 'getAccount',
      summary: 'An account',
      tags: TAGS,
      access: 'account:read',
      request: { params },
      responses: { 200: jsonResponse(accountSchema, 'The account') },
    }),
    async (c) => {
      const call = callOf(c);
      const id = accountOf(call, c.req.valid('param').accountId);
      const account = await call.core.ports.directory.call('getAccount', { id });
      if (account !== null) {
        c.header('etag', etagOf(account));
        return c.json(show(account), 200);
      }
      const ofSettings = (await call.findAccounts([id])).get(id);
      if (ofSettings === undefined) throw new StorageError('NoSuchAccount');
      return c.json(
        { id: id as string, displayName: ofSettings.displayName, createdAt: null, isEnabled: true },
        200,
      );
    },
  );

  addChanging(api);
}

function addChanging(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'patch',
      path: '/accounts/{accountId}',
      operationId: 'updateAccount',
      summary:
        'Name an account; as operator also disable it, which ends its sessions and stops its keys',
      tags: TAGS,
      access: 'account:write',
      request: { params, headers: ifMatchHeader, body: jsonBody(changeSchema) },
      responses: { 200: jsonResponse(accountSchema, 'Changed') },
    }),
    async (c) => {
      const call = callOf(c);
      const id = accountOf(call, c.req.valid('param').accountId);
      const { directory } = call.core.ports;
      const found = await directory.call('getAccount', { id });
      if (found === null) throw new StorageError('NoSuchAccount');
      requireMatch(c, etagOf(found));
      const { displayName = found.displayName, isEnabled = found.isEnabled } = c.req.valid('json');
      if (isEnabled !== found.isEnabled) requireOperator(call);
      const { revision } = found;
      const changed = await directory.call('updateAccount', {
        id,
        revision,
        displayName,
        isEnabled,
      });
      c.header('etag', etagOf(changed));
      return c.json(show(changed), 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'delete',
      path: '/accounts/{accountId}',
      operationId: 'deleteAccount',
      summary:
        'Delete an account that has no buckets, with its members, keys, tokens, sessions and webhooks (operator)',
      description:
        'Its months are closed at once, the open one too; their invoices stay, for the operator to read.',
      tags: TAGS,
      access: 'account:write',
      request: { params },
      responses: { 204: noContent('Deleted') },
    }),
    async (c) => {
      const call = callOf(c);
      requireOperator(call);
      await deleteAccount(call.core, accountOf(call, c.req.valid('param').accountId));
      return c.body(null, 204);
    },
  );
}
