// Access keys for S3. The secret is in the response that makes a key, and nowhere
// else.
import { z } from '@hono/zod-openapi';
import {
  type AccessKeyChange,
  canWidenKey,
  changeAccessKey,
  createAccessKey,
  type MadeAccessKey,
  rotateAccessKey,
} from '../../../core/accounts/access-keys.ts';
import { NO_KEY_LIMIT } from '../../../core/auth/key-scope.ts';
import type { AccessKeyRecord, KeyScope } from '../../../domain/account-records.ts';
import type { AccessKeyId } from '../../../domain/nouns.ts';
import { accountOf, existingAccountOf, readAccountPage } from '../../routing/account-of.ts';
import {
  type Api,
  type ApiContext,
  callOf,
  requireProofForCredentials,
  type SignedInCall,
} from '../../routing/api-call.ts';
import {
  changeRoute,
  deleteRoute,
  listRoute,
  makingRoute,
  readRoute,
} from '../../routing/api-route.ts';
import { etagOfRevision, jsonWithEtag, requireMatch } from '../../routing/etag.ts';
import { requireFound } from '../../routing/require-found.ts';
import { accountIdQuery, nameSchema, roleSchema } from '../../schemas/fields.ts';
import { type ScopeChange, scopeChangeSchema, scopeSchema } from '../../schemas/key-scope.ts';
import { isoTime, isoTimeOrNull, msOrNull, timeSchema } from '../../schemas/time.ts';

const TAGS = ['Access keys'];
const OVERLAP_DEFAULT_SECONDS = 24 * 3600;
const OVERLAP_MAX_SECONDS = 90 * 24 * 3600;
const PROOF = 'In a session: only when it was proved lately (`POST /sessions/current/proof`).';

const idSchema = z.string().regex(/^[\w-]{3,128}$/);
const keySchema = z
  .object({
    id: idSchema,
    name: z.string(),
    scope: scopeSchema.nullable(),
    role: roleSchema
      .nullable()
      .openapi({ description: 'Role of whoever signs in here with it; null: it is for S3 alone.' }),
    createdAt: timeSchema,
    expiresAt: timeSchema.nullable(),
    isEnabled: z.boolean(),
    lastUsedAt: timeSchema.nullable().openapi({ description: 'To the hour.' }),
  })
  .openapi('AccessKey');
const madeKeySchema = keySchema.extend({ secretAccessKey: z.string() }).openapi('NewAccessKey');

const newKeySchema = z.strictObject({
  name: nameSchema,
  scope: scopeSchema.nullable().default(null),
  expiresAt: timeSchema.nullable().default(null),
});
const changeSchema = z.strictObject({
  name: nameSchema.optional(),
  scope: scopeChangeSchema.nullable().optional(),
  expiresAt: timeSchema.nullable().optional(),
  isEnabled: z.boolean().optional(),
});
const rotationSchema = z.strictObject({
  overlapSeconds: z.number().int().min(0).max(OVERLAP_MAX_SECONDS).default(OVERLAP_DEFAULT_SECONDS),
});

const query = z.strictObject({ accountId: accountIdQuery });
const params = z.strictObject({ accessKeyId: idSchema });

/** The change as core takes it: what is absent stays. */
function toKeyChange(
  key: AccessKeyRecord,
  { name, scope, expiresAt, isEnabled }: z.infer<typeof changeSchema>,
): AccessKeyChange {
  return {
    ...(name === undefined ? {} : { name }),
    ...(scope === undefined ? {} : { scope: scope === null ? null : mergeScope(key.scope, scope) }),
    ...(expiresAt === undefined ? {} : { expiresAtMs: msOrNull(expiresAt) }),
    ...(isEnabled === undefined ? {} : { isEnabled }),
  };
}

/** The scope with the limits of the change in place of its own. */
function mergeScope(
  scope: KeyScope | null,
  { buckets, prefixes, actions, sourceIps }: ScopeChange,
): KeyScope {
  const before = scope ?? NO_KEY_LIMIT;
  return {
    buckets: buckets === undefined ? before.buckets : buckets,
    prefixes: prefixes === undefined ? before.prefixes : prefixes,
    actions: actions === undefined ? before.actions : actions,
    sourceIps: sourceIps === undefined ? before.sourceIps : sourceIps,
  };
}

function showScope({ buckets, prefixes, actions, sourceIps }: KeyScope) {
  const copyOf = (list: readonly string[] | null) => (list === null ? null : [...list]);
  return {
    buckets: copyOf(buckets),
    prefixes: copyOf(prefixes),
    actions: copyOf(actions),
    sourceIps: copyOf(sourceIps),
  };
}

function show(key: AccessKeyRecord) {
  const { name, scope, role, isEnabled } = key;
  return {
    id: key.id as string,
    name,
    role,
    isEnabled,
    scope: scope === null ? null : showScope(scope),
    createdAt: isoTime(key.createdAtMs),
    expiresAt: isoTimeOrNull(key.expiresAtMs),
    lastUsedAt: isoTimeOrNull(key.lastUsedMs),
  };
}

/** Responds with a new key: the one response that has its secret. */
function respondMade(c: ApiContext, { key, secret }: MadeAccessKey) {
  const made = { ...show(key), secretAccessKey: secret };
  return jsonWithEtag(c, etagOfRevision(key), made, 201);
}

/** The key of that id. NoSuchAccessKey, also for keys of other accounts. */
async function findKey(
  call: SignedInCall,
  accessKeyId: string,
  accountIdInQuery: string | undefined,
) {
  const accountId = accountOf(call, accountIdInQuery);
  const id = accessKeyId as AccessKeyId;
  const key = await call.core.ports.directory.call('findAccessKeyRecord', { accountId, id });
  return requireFound(key, 'NoSuchAccessKey');
}

export function addAccessKeyRoutes(api: Api): void {
  addMaking(api);
  addReads(api);
  addChanging(api);
}

function addMaking(api: Api): void {
  api.openapi(
    makingRoute({
      path: '/access-keys',
      operationId: 'createAccessKey',
      summary: 'Make an access key, with a scope or without',
      tags: TAGS,
      description:
        'By S3 a key may do no more than who makes it, ' +
        `and lasts no longer than a token that makes it. ${PROOF}`,
      access: 'keys:write',
      request: { query },
      input: newKeySchema,
      made: madeKeySchema,
      outcome: 'Made; the secret is shown here and never again',
    }),
    async (c) => {
      const call = callOf(c);
      requireProofForCredentials(call);
      const accountId = await existingAccountOf(call, c.req.valid('query').accountId);
      const { name, scope, expiresAt } = c.req.valid('json');
      const made = await createAccessKey(call.core, {
        accountId,
        name,
        scope,
        expiresAtMs: msOrNull(expiresAt),
        maker: call.caller,
      });
      return respondMade(c, made);
    },
  );
}

function addReads(api: Api): void {
  api.openapi(
    listRoute({
      path: '/access-keys',
      operationId: 'listAccessKeys',
      summary: 'List access keys, without their secrets; those of the settings are not among them',
      tags: TAGS,
      access: 'keys:read',
      filter: { accountId: accountIdQuery },
      item: keySchema,
      order: 'Some keys, by id',
    }),
    async (c) => {
      const page = await readAccountPage(callOf(c), c.req.valid('query'), {
        list: 'access-keys',
        read: (directory, page) => directory.call('listAccessKeys', page),
        show,
      });
      return c.json(page, 200);
    },
  );

  api.openapi(
    readRoute({
      path: '/access-keys/{accessKeyId}',
      operationId: 'getAccessKey',
      summary: 'An access key, without its secret',
      tags: TAGS,
      access: 'keys:read',
      request: { params, query },
      item: keySchema,
      outcome: 'The key',
    }),
    async (c) => {
      const { accessKeyId } = c.req.valid('param');
      const key = await findKey(callOf(c), accessKeyId, c.req.valid('query').accountId);
      return jsonWithEtag(c, etagOfRevision(key), show(key), 200);
    },
  );
}

function addChanging(api: Api): void {
  api.openapi(
    changeRoute({
      method: 'patch',
      path: '/access-keys/{accessKeyId}',
      operationId: 'updateAccessKey',
      summary: 'Name, narrow, end or disable an access key',
      description:
        'Another scope, a later end, and enabling it again ' +
        `need who may do as much as the key. ${PROOF}`,
      tags: TAGS,
      access: 'keys:write',
      request: { params, query },
      change: changeSchema,
      changed: keySchema,
      outcome: 'Changed',
    }),
    async (c) => {
      const call = callOf(c);
      const { accessKeyId } = c.req.valid('param');
      const key = await findKey(call, accessKeyId, c.req.valid('query').accountId);
      requireMatch(c, etagOfRevision(key));

      const change = toKeyChange(key, c.req.valid('json'));
      if (canWidenKey(key, change)) requireProofForCredentials(call);
      const changed = await changeAccessKey(call.core, key, change, call.caller);
      return jsonWithEtag(c, etagOfRevision(changed), show(changed), 200);
    },
  );

  api.openapi(
    makingRoute({
      path: '/access-keys/{accessKeyId}/rotate',
      operationId: 'rotateAccessKey',
      summary: 'Make a key of the same scope; both work until the overlap is over',
      description: `The key may do no more than who rotates it. ${PROOF}`,
      tags: TAGS,
      access: 'keys:write',
      request: { params, query },
      input: rotationSchema,
      made: madeKeySchema,
      outcome: 'Made; the secret is shown here and never again',
    }),
    async (c) => {
      const call = callOf(c);
      const { accessKeyId } = c.req.valid('param');
      const { accountId, id } = await findKey(call, accessKeyId, c.req.valid('query').accountId);
      requireProofForCredentials(call);

      const overlapMs = c.req.valid('json').overlapSeconds * 1000;
      const made = await rotateAccessKey(call.core, { accountId, id }, overlapMs, call.caller);
      return respondMade(c, made);
    },
  );

  api.openapi(
    deleteRoute({
      path: '/access-keys/{accessKeyId}',
      operationId: 'deleteAccessKey',
      summary: 'Delete an access key, and end what signed in by it',
      tags: TAGS,
      access: 'keys:write',
      request: { params, query },
      outcome: 'Deleted',
    }),
    async (c) => {
      const call = callOf(c);
      const { accessKeyId } = c.req.valid('param');
      const { accountId, id } = await findKey(call, accessKeyId, c.req.valid('query').accountId);
      await call.core.ports.directory.call('removeAccessKey', { accountId, id });
      return c.body(null, 204);
    },
  );
}
