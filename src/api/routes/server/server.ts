// The server itself, for a console: where S3 is, what it can do, which limits hold;
// and the operator's KMS keys.
import { z } from '@hono/zod-openapi';
import { isRoot } from '../../../core/auth/permissions.ts';
import {
  changeKmsKey,
  createKmsKey,
  GRANTS_MAX,
  KMS_KEY_ID_FORM,
  type KmsKeyInfo,
  listKmsKeys,
} from '../../../core/encryption/kms-keys.ts';
import {
  KEY_MAX_BYTES,
  OBJECT_MAX_BYTES,
  PART_MIN_BYTES,
  PART_NUMBER_MAX,
  PUT_MAX_BYTES,
} from '../../../core/limits.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import { MAX_EXPIRES_SECONDS } from '../../../http/s3/signature/request-time.ts';
import { type Api, callOf, operatorCallOf } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse, listRoute } from '../../routing/api-route.ts';
import { readPage } from '../../routing/paging.ts';
import { serviceOrigin } from '../../routing/service-origin.ts';
import { accountIdSchema } from '../../schemas/fields.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';

const TAGS = ['Server'];

const serverSchema = z
  .object({
    now: timeSchema,
    s3Endpoint: z.string().openapi({ description: 'For S3 clients, with buckets in the path.' }),
    region: z.string(),
    baseDomain: z
      .string()
      .nullable()
      .openapi({ description: '`{bucket}.` before it addresses a bucket.' }),
    websiteDomain: z
      .string()
      .nullable()
      .openapi({ description: '`{bucket}.` before it is the website of a bucket.' }),
    ownHosts: z.array(z.string()).openapi({ description: 'Hosts that no bucket can be bound to.' }),
    features: z.object({
      encryption: z
        .boolean()
        .openapi({ description: 'Whether the server has a master key: access keys need one too.' }),
      bindingHosts: z
        .boolean()
        .openapi({ description: 'Whether the caller may bind hosts to buckets.' }),
      images: z.boolean().openapi({
        description: 'Whether the server makes thumbnails, and images in other sizes.',
      }),
    }),
    limits: z.object({
      objectBytes: z.string(),
      putBytes: z.string(),
      partBytesMin: z.string(),
      parts: z.number().int(),
      keyBytes: z.number().int(),
      urlSeconds: z.number().int(),
      zipObjects: z.number().int(),
    }),
  })
  .openapi('Server');
const kmsKeySchema = z
  .object({
    id: z.string(),
    isEnabled: z.boolean(),
    accountIds: z.array(z.string()).nullable().openapi({
      description: "Whose buckets may use it besides the operator's; null: those of every account.",
    }),
    createdAt: timeSchema,
  })
  .openapi('EncryptionKey');
const keyInputSchema = z.strictObject({
  id: z.string().regex(KMS_KEY_ID_FORM),
  isEnabled: z.boolean().default(true),
  accountIds: z
    .array(accountIdSchema)
    .max(GRANTS_MAX)
    .nullable()
    .optional()
    .openapi({ description: "Absent: as it was; of a new key nobody's but the operator's." }),
});

const showKey = ({ id, isEnabled, accountIds, createdAtMs }: KmsKeyInfo) => ({
  id,
  isEnabled,
  createdAt: isoTime(createdAtMs),
  accountIds: accountIds === null ? null : [...accountIds],
});

export function addServerRoutes(api: Api): void {
  addServer(api);
  addKmsKeys(api);
}

function addServer(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/server',
      operationId: 'getServer',
      summary: 'Where S3 is, what this server can do, and its limits',
      tags: TAGS,
      access: 'signed-in',
      responses: { 200: jsonResponse(serverSchema, 'The server') },
    }),
    (c) => {
      const { core, caller, request, region, baseDomain, websiteDomain } = callOf(c);
      const { settings, ports } = core;
      const server = {
        now: isoTime(ports.clock.nowMs()),
        s3Endpoint: serviceOrigin(request),
        region,
        baseDomain,
        websiteDomain,
        ownHosts: [...settings.ownHosts],
        features: {
          encryption: settings.masterKeys.length > 0,
          bindingHosts: settings.accountsMayBindHosts || isRoot(caller),
          images: ports.derived.makesImages,
        },
        limits: {
          objectBytes: `${OBJECT_MAX_BYTES}`,
          putBytes: `${PUT_MAX_BYTES}`,
          partBytesMin: `${PART_MIN_BYTES}`,
          parts: PART_NUMBER_MAX,
          keyBytes: KEY_MAX_BYTES,
          urlSeconds: MAX_EXPIRES_SECONDS,
          zipObjects: settings.zipMaxObjects,
        },
      };
      return c.json(server, 200);
    },
  );
}

function addKmsKeys(api: Api): void {
  api.openapi(
    listRoute({
      path: '/encryption-keys',
      operationId: 'listEncryptionKeys',
      summary: 'Named encryption keys, for buckets and SSE-KMS (operator)',
      tags: TAGS,
      access: 'keys:read',
      item: kmsKeySchema,
      order: 'Some keys, by id',
    }),
    async (c) => {
      const call = operatorCallOf(c);
      const page = await readPage(call, c.req.valid('query'), {
        list: 'encryption-keys',
        read: (after, limit) => listKmsKeys(call.core, { after, limit }),
        positionOf: ({ id }) => id,
        show: showKey,
      });
      return c.json(page, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'put',
      path: '/encryption-keys',
      operationId: 'putEncryptionKey',
      summary: 'Make a KMS key, say whose it is, or disable it (operator)',
      description:
        'What a disabled key protects cannot be read until it is enabled again. ' +
        'What it protects already stays readable when an account may no longer use it.',
      tags: TAGS,
      access: 'keys:write',
      request: { body: jsonBody(keyInputSchema) },
      responses: { 200: jsonResponse(kmsKeySchema, 'The key') },
    }),
    async (c) => {
      const call = operatorCallOf(c);
      const { id, isEnabled, accountIds } = c.req.valid('json');
      const grants =
        accountIds === undefined ? {} : { accountIds: accountIds as AccountId[] | null };
      await createKmsKey(call.core, id, grants.accountIds);
      const key = await changeKmsKey(call.core, id, { isEnabled, ...grants });
      return c.json(showKey(key), 200);
    },
  );
}
