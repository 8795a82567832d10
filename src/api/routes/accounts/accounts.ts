// Accounts: the operator makes them; their owners see and name them.
import { z } from '@hono/zod-openapi';
import { deleteAccount } from '../../../core/accounts/delete-account.ts';
import { createAccount } from '../../../core/accounts/members.ts';
import type { Core } from '../../../core/core.ts';
import type { AccountRecord } from '../../../domain/account-records.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { Account, AccountId } from '../../../domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../domain/root-account.ts';
import { accountOf } from '../../routing/account-of.ts';
import { type Api, callOf, operatorCallOf, requireOperator } from '../../routing/api-call.ts';
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
    isOfSettings: z.boolean().openapi({
      description: 'Whether it stands in the settings of the server: no request changes it.',
    }),
  })
  .openapi('Account');

const newAccountSchema = z.strictObject({ displayName: nameSchema });
const changeSchema = z.strictObject({
  displayName: nameSchema.optional(),
  isEnabled: z.boolean().optional(),
});
const params = z.strictObject({ accountId: idSchema });

function show({ id, displayName, createdAtMs, isEnabled }: AccountRecord) {
  const createdAt = isoTime(createdAtMs);
  return { id: id as string, displayName, createdAt, isEnabled, isOfSettings: false };
}

/** An account of the settings, which is always enabled. */
function showSetting({ id, displayName }: Account) {
  return { id: id as string, displayName, createdAt: null, isEnabled: true, isOfSettings: true };
}

const showListed = (account: AccountRecord | Account) =>
  'createdAtMs' in account ? show(account) : showSetting(account);

/** Accounts behind an id, by id: stored ones, and those of the settings among them. */
async function listAccounts(
  { settings, ports }: Core,
  after: string,
  limit: number,
): Promise<readonly (AccountRecord | Account)[]> {
  const stored = await ports.directory.call('listAccounts', { after, limit });
  const ofSettings = settings.seed
    .map(({ account }) => account)
    .filter(({ id }) => id > after)
    .map((account) => [account.id, account] as const);
  const byId = new Map<AccountId, AccountRecord | Account>([
    ...ofSettings,
    ...stored.map((account) => [account.id, account] as const),
  ]);
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
}

/** Refuses to change what stands in the settings. InvalidRequest. */
function refuseOfSettings({ settings }: Core, id: AccountId): void {
  if (id !== ROOT_ACCOUNT.id && !settings.seed.some(({ account }) => account.id === id)) return;
  throw new StorageError('InvalidRequest', {
    detail: 'This account stands in the settings of the server: change it there.',
  });
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
      summary: 'List accounts (operator), those of the settings (`QUAYSIDE_SEED`) among them',
      tags: TAGS,
      access: 'account:read',
      item: accountSchema,
      order: 'Some accounts, by id',
    }),
    async (c) => {
      const call = operatorCallOf(c);
      const page = await readPage(call, c.req.valid('query'), {
        list: 'accounts',
        read: (after, limit) => listAccounts(call.core, after, limit),
        positionOf: ({ id }) => id as string,
        show: showListed,
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
      return c.json(showSetting(requireFound(ofSettings, 'NoSuchAccount')), 200);
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
      const stored = await directory.call('getAccount', { id });
      if (stored === null) refuseOfSettings(call.core, id);
      const account = requireFound(stored, 'NoSuchAccount');
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
      const id = accountOf(call, c.req.valid('param').accountId);
      const stored = await call.core.ports.directory.call('getAccount', { id });
      if (stored === null) refuseOfSettings(call.core, id);
      await deleteAccount(call.core, id);
      return c.body(null, 204);
    },
  );
}
