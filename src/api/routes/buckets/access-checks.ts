// Who may read, write, list and delete what: everybody at once, or one request that
// nobody has sent yet. Both answer with the line that decides.
import { z } from '@hono/zod-openapi';
import type { AccessFinding } from '../../../core/auth/access-check/check-access.ts';
import {
  ACTION_OF_VERB,
  type AccessEntry,
  type AccessInquiry,
  accountPrincipal,
  countMembers,
  listAccess,
  roleFinding,
  usableKeys,
} from '../../../core/auth/access-check/who-may.ts';
import { mayDo } from '../../../core/auth/permissions.ts';
import type { KeyScope } from '../../../domain/account-records.ts';
import { StorageError } from '../../../domain/errors.ts';
import { parseIp } from '../../../domain/ip-range.ts';
import type {
  AccessKeyId,
  Account,
  AccountId,
  BucketRecord,
  ObjectVersion,
} from '../../../domain/nouns.ts';
import { type Api, callOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { accountIdSchema, idSchema, roleSchema } from '../../schemas/fields.ts';
import { scopeSchema } from '../../schemas/key-scope.ts';
import { bucketParams, keySchema } from '../../schemas/object.ts';
import { timeSchema } from '../../schemas/time.ts';
import { openInquiry, readTarget, requireDecided } from './access-inquiry.ts';
import {
  findingFields,
  findingSchema,
  needsSchema,
  showFinding,
  verbSchema,
} from './access-schemas.ts';

const TAGS = ['Access'];

const targetFields = {
  key: keySchema.optional(),
  prefix: z.string().max(1024).optional().openapi({ description: 'All keys that begin so.' }),
};

const holderSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('strangers') }),
    z.object({ kind: z.literal('any-account') }),
    z.object({ kind: z.literal('account'), accountId: z.string(), name: z.string().nullable() }),
    z.object({ kind: z.literal('owner'), accountId: z.string() }),
    z.object({
      kind: z.literal('role'),
      role: roleSchema,
      members: z
        .number()
        .int()
        .nullable()
        .openapi({ description: 'Members of that role; null: you may not see members.' }),
    }),
    z.object({
      kind: z.literal('key'),
      accessKeyId: z.string(),
      name: z.string(),
      scope: scopeSchema.nullable(),
    }),
  ])
  .openapi('AccessHolder', {
    description:
      '`any-account`: whoever has an account of this server; ' +
      '`owner`: the account of the bucket, by any key without a scope.',
  });
const entrySchema = z
  .object({
    who: holderSchema,
    rights: z.array(z.object({ action: verbSchema, ...findingFields }).openapi('AccessRight')),
  })
  .openapi('AccessEntry');
const checkSchema = z
  .object({
    items: z.array(entrySchema),
    needs: needsSchema.nullable(),
    hidden: z
      .array(z.enum(['members', 'keys']))
      .openapi({ description: 'What your role does not let you see, and is left out.' }),
    isComplete: z.boolean().openapi({
      description: 'False: there are more keys or patterns than one response looks at.',
    }),
  })
  .openapi('AccessCheck');

const callerSchema = z.union([
  z.literal('stranger'),
  z.strictObject({ accessKeyId: idSchema }),
  z.strictObject({ role: roleSchema }),
  z.strictObject({ accountId: accountIdSchema }),
]);
const testSchema = z.strictObject({
  as: callerSchema,
  action: verbSchema,
  ...targetFields,
  address: z
    .string()
    .max(45)
    .refine((text) => parseIp(text) !== null, 'no address')
    .optional(),
  time: timeSchema.optional().openapi({ description: 'Absent: now.' }),
  referer: z
    .string()
    .max(2048)
    .nullable()
    .optional()
    .openapi({ description: 'Null: the request has none; absent: it is left open.' }),
});
const testedSchema = findingSchema
  .extend({ needs: needsSchema.nullable() })
  .openapi('TestedAccess');

export function addAccessCheckRoutes(api: Api): void {
  addCheck(api);
  addTest(api);
}

/** What reading the object needs besides permission; null: nothing. */
async function needsOf(call: SignedInCall, object: ObjectVersion | null) {
  const encryption = object?.encryption ?? null;
  if (encryption === null || encryption.kind === 'server') return null;
  if (encryption.kind === 'customer')
    return { kind: 'customer-key' as const, keyId: null, isEnabled: true };
  const { keyId } = encryption;
  const key = await call.core.ports.directory.call('getKmsKey', { id: keyId });
  return { kind: 'kms-key' as const, keyId, isEnabled: key?.isEnabled ?? false };
}

function addCheck(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets/{bucket}/access-checks',
      operationId: 'checkAccess',
      summary: 'Who may read, write, list or delete a key, or what is below a prefix, and why',
      description:
        'Address, referrer and headers are left open: what hangs on them is `depends`. ' +
        'Keys need keys:read, counts of members members:read, the text of a policy buckets:read.',
      tags: TAGS,
      access: 'objects:read',
      isReadOnly: true,
      request: {
        params: bucketParams,
        body: jsonBody(
          z.strictObject({
            ...targetFields,
            actions: z.array(verbSchema).min(1).max(4).default(['read']),
          }),
        ),
      },
      responses: { 200: jsonResponse(checkSchema, 'One entry for each class of callers') },
    }),
    async (c) => {
      const call = callOf(c);
      const { actions, ...input } = c.req.valid('json');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:read');
      const { target, object } = await readTarget(bucket, input);
      const record = bucket.record();
      const { core, caller, region } = call;

      const seesMembers = mayDo(caller, 'members:read', record.ownerId);
      const seesKeys = mayDo(caller, 'keys:read', record.ownerId);
      const members = seesMembers ? await countMembers(core, record.ownerId) : null;
      const usable = seesKeys ? await usableKeys(core, record.ownerId) : null;
      const nowMs = core.ports.clock.nowMs();
      const request = { sourceIp: undefined, referer: undefined, nowMs, region };
      const inquiry: AccessInquiry = {
        ...openInquiry(record, target, request),
        verbs: [...new Set(actions)],
        members,
        keys: usable?.keys ?? null,
      };
      const entries = listAccess(inquiry);
      requireDecided(inquiry);

      const items = await showEntries(call, record, entries);
      const hidden = [
        ...(seesMembers ? [] : (['members'] as const)),
        ...(seesKeys ? [] : (['keys'] as const)),
      ];
      const isComplete = inquiry.checker.isExact() && (usable?.isComplete ?? true);
      return c.json({ items, needs: await needsOf(call, object), hidden, isComplete }, 200);
    },
  );
}

/** Whether the caller may read the bucket's policy, whose lines are reasons. */
const seesPolicyOf = ({ caller }: SignedInCall, { ownerId }: BucketRecord): boolean =>
  mayDo(caller, 'buckets:read', ownerId);

async function showEntries(
  call: SignedInCall,
  record: BucketRecord,
  entries: readonly AccessEntry[],
) {
  const seesPolicy = seesPolicyOf(call, record);
  const ids = entries.flatMap(({ holder }) =>
    holder.kind === 'account' ? [holder.accountId] : [],
  );
  const accounts = ids.length === 0 ? new Map<AccountId, Account>() : await call.findAccounts(ids);
  const nameOf = (id: AccountId): string | null => accounts.get(id)?.displayName ?? null;
  return entries.map(({ holder, rights }) => ({
    who: showHolder(holder, nameOf),
    rights: rights.map(({ verb, ...finding }) => ({
      action: verb,
      ...showFinding(finding, seesPolicy),
    })),
  }));
}

function showHolder(
  holder: AccessEntry['holder'],
  nameOf: (id: AccountId) => string | null,
): z.infer<typeof holderSchema> {
  switch (holder.kind) {
    case 'strangers':
    case 'any-account':
    case 'role':
      return holder;
    case 'owner':
      return { kind: holder.kind, accountId: holder.accountId };
    case 'account':
      return { kind: holder.kind, accountId: holder.accountId, name: nameOf(holder.accountId) };
    case 'key': {
      const { id, name, scope } = holder.key;
      return { kind: holder.kind, accessKeyId: id, name, scope: showScope(scope) };
    }
  }
}

const showScope = (scope: KeyScope | null) =>
  structuredClone(scope) as z.infer<typeof scopeSchema> | null;

type Test = z.infer<typeof testSchema>;

function addTest(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets/{bucket}/access-tests',
      operationId: 'testAccess',
      summary: 'What would be decided on a request that nobody has sent, and by which line',
      description: 'An access key that is named needs keys:read, unless it is your own.',
      tags: TAGS,
      access: 'objects:read',
      isReadOnly: true,
      request: { params: bucketParams, body: jsonBody(testSchema) },
      responses: { 200: jsonResponse(testedSchema, 'The decision') },
    }),
    async (c) => {
      const call = callOf(c);
      const test = c.req.valid('json');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:read');
      const { target, object } = await readTarget(bucket, test);
      const record = bucket.record();
      const inquiry = openInquiry(record, target, {
        sourceIp: test.address,
        referer: test.referer,
        nowMs: test.time === undefined ? call.core.ports.clock.nowMs() : Date.parse(test.time),
        region: call.region,
      });
      const finding = await decideTest(call, record, inquiry.checker, test);
      requireDecided(inquiry);
      const needs = test.action === 'read' ? await needsOf(call, object) : null;
      return c.json({ ...showFinding(finding, seesPolicyOf(call, record)), needs }, 200);
    },
  );
}

async function decideTest(
  call: SignedInCall,
  record: BucketRecord,
  checker: AccessInquiry['checker'],
  test: Test,
): Promise<AccessFinding> {
  const action = ACTION_OF_VERB[test.action];
  const owner = accountPrincipal(record.ownerId);
  const { as } = test;
  if (as === 'stranger') return checker.check({ kind: 'anonymous' }, null, action);
  if ('role' in as) return roleFinding(checker, owner, as.role, test.action);
  if ('accountId' in as)
    return checker.check(accountPrincipal(as.accountId as AccountId), null, action);

  const atMs = test.time === undefined ? call.core.ports.clock.nowMs() : Date.parse(test.time);
  const { scope, state } = await findKey(call, record, as.accessKeyId as AccessKeyId, atMs);
  if (state === null) return checker.check(owner, scope, action);
  const because = { source: 'key-state', state } as const;
  return { allowed: 'no', because, example: null, except: null, dependsOn: [] };
}

/** A key of the bucket's account, and what keeps it from working. NoSuchAccessKey. */
async function findKey(
  { core, caller, findAccessKey }: SignedInCall,
  { ownerId }: BucketRecord,
  id: AccessKeyId,
  atMs: number,
) {
  if (id !== caller.accessKeyId && !mayDo(caller, 'keys:read', ownerId)) {
    throw new StorageError('AccessDenied', { detail: 'This needs the scope keys:read.' });
  }
  const record = await core.ports.directory.call('findAccessKeyRecord', {
    accountId: ownerId,
    id,
  });
  if (record !== null) {
    const isExpired = record.expiresAtMs !== null && record.expiresAtMs <= atMs;
    const state = record.isEnabled
      ? isExpired
        ? ('expired' as const)
        : null
      : ('disabled' as const);
    return { scope: record.scope, state };
  }
  // Keys of the settings are in no directory.
  const configured = await findAccessKey(id);
  if (configured === null || configured.account.id !== ownerId)
    throw new StorageError('NoSuchAccessKey');
  return { scope: configured.scope ?? null, state: null };
}
