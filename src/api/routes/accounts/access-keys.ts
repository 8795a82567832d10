// Access keys for S3. The secret is in the answer that makes a key, and nowhere else.
import { z } from '@hono/zod-openapi';
import {
  canWidenKey,
  changeAccessKey,
  createAccessKey,
  type MadeAccessKey,
  rotateAccessKey,
} from '../../../core/accounts/access-keys.ts';
import { NO_KEY_LIMIT } from '../../../core/auth/key-scope.ts';
import type { AccessKeyRecord, KeyScope } from '../../../domain/account-records.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { AccessKeyId } from '../../../domain/nouns.ts';
import { requireProofForCredentials } from '../../routing/access.ts';
import { accountOf, existingAccountOf } from '../../routing/account-of.ts';
import { type Api, type ApiContext, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse, noContent } from '../../routing/api-route.ts';
import { ifMatchHeader, requireMatch, toEtag } from '../../routing/etag.ts';
import { pageOf, pageQuery, readCursor, toPage } from '../../routing/paging.ts';
import { accountIdQuery, nameSchema, roleSchema } from '../../schemas/fields.ts';
import { isoTime, isoTimeOrNull, timeSchema } from '../../schemas/time.ts';

const TAGS = ['Access keys'];
const OVERLAP_DEFAULT_SECONDS = 24 * 3600;
const OVERLAP_MAX_SECONDS = 90 * 24 * 3600;
const ENTRIES_MAX = 50;
const PROOF = 'In a session: only when it was proved lately (`POST /sessions/current/proof`).';

const entries = (pattern: RegExp, description: string) =>
  z.array(z.string().regex(pattern)).min(1).max(ENTRIES_MAX).nullable().openapi({ description });
const limits = {
  buckets: entries(
    /^[a-z0-9.-]{1,63}\*?$/,
    'Names of buckets; one that ends in * means all that begin so.',
  ),
  prefixes: entries(/^[^\p{Cc}\p{Cs}]{1,1024}$/u, 'Beginnings of the keys of objects.'),
  actions: entries(
    /^(?:s3|kms):[A-Za-z]{0,64}\*?$/,
    'Actions of S3, like s3:GetObject or s3:Get*.',
  ),
  sourceIps: entries(
    /^[0-9a-fA-F:.]{2,45}(?:\/\d{1,3})?$/,
    'Addresses and ranges, like 10.0.0.0/8.',
  ),
};

const scopeChangeSchema = z.strictObject(limits).partial().openapi('KeyScopeChange', {
  description: 'Merged with the scope: a limit that is absent stays, null takes it away.',
});
type ScopeChange = z.infer<typeof scopeChangeSchema>;
const scopeSchema = z
  .strictObject({
    buckets: limits.buckets.default(null),
    prefixes: limits.prefixes.default(null),
    actions: limits.actions.default(null),
    sourceIps: limits.sourceIps.default(null),
  })
  .openapi('KeyScope', { description: 'What a key may do at most; null: no limit of that kind.' });

const idSchema = z.string().regex(/^[\w-]{3,128}$/);
const keySchema = z
  .object({
    id: idSchema,
    name: z.string(),
    scope: scopeSchema.nullable(),
    role: roleSchema
      .nullable()
      .openapi({ description: 'Of whoever signs in here with it; null: it is for S3 alone.' }),
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

/** The scope with the limits that were given in place of its own. */
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

function show(key: AccessKeyRecord) {
  const { name, scope, role, isEnabled } = key;
  const copied = (list: readonly string[] | null) => (list === null ? null : [...list]);
  return {
    id: key.id as string,
    ...{ name, role, isEnabled },
    scope:
      scope === null
        ? null
        : {
            ...{ buckets: copied(scope.buckets), prefixes: copied(scope.prefixes) },
            ...{ actions: copied(scope.actions), sourceIps: copied(scope.sourceIps) },
          },
    ...{ createdAt: isoTime(key.createdAtMs), expiresAt: isoTimeOrNull(key.expiresAtMs) },
    lastUsedAt: isoTimeOrNull(key.lastUsedMs),
  };
}

const etagOf = ({ revision }: AccessKeyRecord) => toEtag(`${revision}`);
const toMs = (time: string | null) => (time === null ? null : Date.parse(time));

function showMade(c: ApiContext, { key, secret }: MadeAccessKey) {
  c.header('etag', etagOf(key));
  return { ...show(key), secretAccessKey: secret };
}

export function addAccessKeyRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/access-keys',
      operationId: 'createAccessKey',
      summary: 'Make an access key, with a scope or without',
      tags: TAGS,
      description: `By S3 a key may do no more than who makes it, and lasts no longer than a token that makes it. ${PROOF}`,
      access: 'keys:write',
      request: { query, body: jsonBody(newKeySchema) },
      responses: {
        201: jsonResponse(madeKeySchema, 'Made; the secret is shown here and never again'),
      },
    }),
    async (c) => {
      const call = callOf(c);
      requireProofForCredentials(call);
      const accountId = await existingAccountOf(call, c.req.valid('query').accountId);
      const { name, scope, expiresAt } = c.req.valid('json');
      const made = await createAccessKey(call.core, {
        ...{ accountId, name, scope, expiresAtMs: toMs(expiresAt) },
        maker: call.caller,
      });
      return c.json(showMade(c, made), 201);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/access-keys',
      operationId: 'listAccessKeys',
      summary: 'List access keys, without their secrets; those of the settings are not among them',
      tags: TAGS,
      access: 'keys:read',
      request: { query: z.strictObject({ ...pageQuery, accountId: accountIdQuery }) },
      responses: { 200: jsonResponse(pageOf(keySchema), 'Some keys, by id') },
    }),
    async (c) => {
      const call = callOf(c);
      const { limit, cursor, accountId: given } = c.req.valid('query');
      const accountId = accountOf(call, given);
      const list = `access-keys ${accountId}`;
      const after = readCursor(call.secrets, list, cursor);
      const page = { accountId, after, limit: limit + 1 };
      const found = await call.core.ports.directory.call('listAccessKeys', page);
      return c.json(
        toPage(found, { limit, list, secrets: call.secrets }, ({ id }) => id as string, show),
        200,
      );
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/access-keys/{accessKeyId}',
      operationId: 'getAccessKey',
      summary: 'An access key, without its secret',
      tags: TAGS,
      access: 'keys:read',
      request: { params, query },
      responses: { 200: jsonResponse(keySchema, 'The key') },
    }),
    async (c) => {
      const { found } = await findKey(
        c,
        c.req.valid('param').accessKeyId,
        c.req.valid('query').accountId,
      );
      c.header('etag', etagOf(found));
      return c.json(show(found), 200);
    },
  );

  addChangingRoutes(api);
}

/** NoSuchAccessKey, also for keys of other accounts. */
async function findKey(c: ApiContext, accessKeyId: string, givenAccountId: string | undefined) {
  const call = callOf(c);
  const accountId = accountOf(call, givenAccountId);
  const id = accessKeyId as AccessKeyId;
  const found = await call.core.ports.directory.call('findAccessKeyRecord', { accountId, id });
  if (found === null) throw new StorageError('NoSuchAccessKey');
  return { call, accountId, id, found };
}

function addChangingRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'patch',
      path: '/access-keys/{accessKeyId}',
      operationId: 'updateAccessKey',
      summary: 'Name, narrow, end or disable an access key',
      description: `Another scope, a later end, and enabling it again need who may do as much as the key. ${PROOF}`,
      tags: TAGS,
      access: 'keys:write',
      request: { params, query, headers: ifMatchHeader, body: jsonBody(changeSchema) },
      responses: { 200: jsonResponse(keySchema, 'Changed') },
    }),
    async (c) => {
      const { call, found } = await findKey(
        c,
        c.req.valid('param').accessKeyId,
        c.req.valid('query').accountId,
      );
      requireMatch(c, etagOf(found));
      const { name, scope, expiresAt, isEnabled } = c.req.valid('json');
      const change = {
        ...(name === undefined ? {} : { name }),
        ...(scope === undefined
          ? {}
          : { scope: scope === null ? null : mergeScope(found.scope, scope) }),
        ...(expiresAt === undefined ? {} : { expiresAtMs: toMs(expiresAt) }),
        ...(isEnabled === undefined ? {} : { isEnabled }),
      };
      if (canWidenKey(found, change)) requireProofForCredentials(call);
      const changed = await changeAccessKey(call.core, found, change, call.caller);
      c.header('etag', etagOf(changed));
      return c.json(show(changed), 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'post',
      path: '/access-keys/{accessKeyId}/rotate',
      operationId: 'rotateAccessKey',
      summary: 'Make a key of the same scope; both work until the overlap is over',
      description: `The key may do no more than who rotates it. ${PROOF}`,
      tags: TAGS,
      access: 'keys:write',
      request: { params, query, body: jsonBody(rotationSchema) },
      responses: {
        201: jsonResponse(madeKeySchema, 'Made; the secret is shown here and never again'),
      },
    }),
    async (c) => {
      const { call, accountId, id } = await findKey(
        c,
        c.req.valid('param').accessKeyId,
        c.req.valid('query').accountId,
      );
      requireProofForCredentials(call);
      const overlapMs = c.req.valid('json').overlapSeconds * 1000;
      return c.json(
        showMade(c, await rotateAccessKey(call.core, { accountId, id }, overlapMs, call.caller)),
        201,
      );
    },
  );

  api.openapi(
    apiRoute({
      method: 'delete',
      path: '/access-keys/{accessKeyId}',
      operationId: 'deleteAccessKey',
      summary: 'Delete an access key, and end what signed in by it',
      tags: TAGS,
      access: 'keys:write',
      request: { params, query },
      responses: { 204: noContent('Deleted') },
    }),
    async (c) => {
      const { call, accountId, id } = await findKey(
        c,
        c.req.valid('param').accessKeyId,
        c.req.valid('query').accountId,
      );
      await call.core.ports.directory.call('removeAccessKey', { accountId, id });
      return c.body(null, 204);
    },
  );
}
