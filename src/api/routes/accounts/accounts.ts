// Accounts: the operator makes them; their owners see and name them.
import { z } from '@hono/zod-openapi';
import { deleteAccount } from '../../../core/accounts/delete-account.ts';
import { createAccount } from '../../../core/accounts/members.ts';
import type { AccountRecord } from '../../../domain/account-records.ts';
import { operatorCallOf, requireOperator } from '../../routing/access.ts';
import { accountOf } from '../../routing/account-of.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import {
  changeRoute,
  deleteRoute,
  listRoute,
  makingRoute,
  readRoute,
} from '../../routing/api-route.ts';
import { etagOfRevision, jsonWithEtag, requireMatch } from '../../routing/etag.ts';
import { readPage } from '../../routing/paging.ts';
import { requireFound } from '../../routing/require-found.ts';
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

export function addAccountRoutes(api: Api): void {
  api.openapi(
    makingRoute({
      path: '/accounts',
      operationId: 'createAccount',
      summary: 'Make an account (operator)',
      tags: TAGS,
      access: 'account:write',
      request: {},
      input: newAccountSchema,
      made: accountSchema,
      outcome: 'Made',
    }),
    async (c) => {
      const call = operatorCallOf(c);
      const account = await createAccount(call.core, c.req.valid('json').displayName);
      return jsonWithEtag(c, etagOfRevision(account), show(account), 201);
    },
  );

  api.openapi(
    listRoute({
      path: '/accounts',
      operationId: 'listAccounts',
      summary: 'List accounts (operator); those of the settings are not among them',
      tags: TAGS,
      access: 'account:read',
      item: accountSchema,
      order: 'Some accounts, by id',
    }),
    async (c) => {
      const call = operatorCallOf(c);
      const { directory } = call.core.ports;
      const page = await readPage(call, c.req.valid('query'), {
        list: 'accounts',
        read: (after, limit) => directory.call('listAccounts', { after, limit }),
        positionOf: ({ id }) => id as string,
        show,
      });
      return c.json(page, 200);
    },
  );

  api.openapi(
    readRoute({
      path: '/accounts/{accountId}',
      operationId: 'getAccount',
      summary: 'An account',
      tags: TAGS,
      access: 'account:read',
      request: { params },
      item: accountSchema,
      outcome: 'The account',
    }),
    async (c) => {
      const call = callOf(c);
      const id = accountOf(call, c.req.valid('param').accountId);
      const account = await call.core.ports.directory.call('getAccount', { id });
      if (account !== null) return jsonWithEtag(c, etagOfRevision(account), show(account), 200);

      const ofSettings = (await call.findAccounts([id])).get(id);
      const { displayName } = requireFound(ofSettings, 'NoSuchAccount');
      return c.json({ id: id as string, displayName, createdAt: null, isEnabled: true }, 200);
    },
  );

  addChanging(api);
}

function addChanging(api: Api): void {
  api.openapi(
    changeRoute({
      method: 'patch',
      path: '/accounts/{accountId}',
      operationId: 'updateAccount',
      summary:
        'Name an account; as operator also disable it, which ends its sessions and stops its keys',
      tags: TAGS,
      access: 'account:write',
      request: { params },
      change: changeSchema,
      changed: accountSchema,
      outcome: 'Changed',
    }),
    async (c) => {
      const call = callOf(c);
      const id = accountOf(call, c.req.valid('param').accountId);
      const { directory } = call.core.ports;
      const account = requireFound(await directory.call('getAccount', { id }), 'NoSuchAccount');
      requireMatch(c, etagOfRevision(account));

      const { displayName = account.displayName, isEnabled = account.isEnabled } =
        c.req.valid('json');
      if (isEnabled !== account.isEnabled) requireOperator(call);
      const changed = await directory.call('updateAccount', {
        id,
        revision: account.revision,
        displayName,
        isEnabled,
      });
      return jsonWithEtag(c, etagOfRevision(changed), show(changed), 200);
    },
  );

  api.openapi(
    deleteRoute({
      path: '/accounts/{accountId}',
      operationId: 'deleteAccount',
      summary:
        'Delete an account that has no buckets, ' +
        'with its members, keys, tokens, sessions and webhooks (operator)',
      description:
        'Its months are closed at once, the open one too; ' +
        'their invoices stay, for the operator to read.',
      tags: TAGS,
      access: 'account:write',
      request: { params },
      outcome: 'Deleted',
    }),
    async (c) => {
      const call = operatorCallOf(c);
      await deleteAccount(call.core, accountOf(call, c.req.valid('param').accountId));
      return c.body(null, 204);
    },
  );
}
