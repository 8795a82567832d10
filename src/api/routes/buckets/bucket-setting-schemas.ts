// Schemas of the settings of a bucket: as they may be sent, and as they are shown.
// bucket-settings.ts turns them into core's types, and back. Names and meanings are
// those of domain/bucket-settings.ts and domain/lifecycle.ts; docs/json-api.md
// explains them to owners.
import { z } from '@hono/zod-openapi';
import { KMS_KEY_ID_FORM } from '../../../core/encryption/kms-keys.ts';
import { CORS_MAX_RULES, LIFECYCLE_MAX_RULES, OBJECT_MAX_BYTES } from '../../../core/limits.ts';
import { isHeaderName, isHeaderText } from '../../../http/semantics/header-text.ts';
import { bucketNameSchema } from '../../schemas/fields.ts';
import { quotaSchema } from '../../schemas/quota.ts';
import { timeSchema } from '../../schemas/time.ts';
import { serviceSettings, shownServiceSettings } from './bucket-service-settings.ts';
import { compressionSchema } from './compression-setting.ts';

const DAYS = z
  .number()
  .int()
  .min(1)
  .max(2 ** 31 - 1);
/** A number of seconds or days from 0 on, with the bound of S3; null: none. */
const COUNT_OR_NULL = z
  .number()
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .nullable()
  .default(null);
const NAMES_MAX = 100;

const pattern = z
  .string()
  .min(1)
  .max(1024)
  .refine(
    (text) => isHeaderText(text) && text.indexOf('*') === text.lastIndexOf('*'),
    'at most one *, visible ASCII',
  );

export const corsRuleSchema = z
  .strictObject({
    id: z.string().max(255).nullable().default(null),
    allowedMethods: z
      .array(z.enum(['GET', 'PUT', 'POST', 'DELETE', 'HEAD']))
      .min(1)
      .max(5),
    allowedOrigins: z.array(pattern).min(1).max(NAMES_MAX),
    allowedHeaders: z.array(pattern).max(NAMES_MAX).default([]),
    exposeHeaders: z
      .array(z.string().max(256).refine(isHeaderName, 'the name of a header'))
      .max(NAMES_MAX)
      .default([]),
    maxAgeSeconds: COUNT_OR_NULL,
  })
  .openapi('CorsRule');

const tagsSchema = z.record(z.string().max(128), z.string().max(256));
const classSchema = z.string().regex(/^[A-Z_]{1,32}$/);
const dateSchema = timeSchema.nullable().default(null);
const noncurrent = {
  noncurrentDays: DAYS,
  newerVersions: z.number().int().min(1).max(100).nullable().default(null),
};

const expirationSchema = z
  .strictObject({
    days: DAYS.nullable().default(null),
    date: dateSchema,
    expiredObjectDeleteMarker: z.boolean().nullable().default(null),
  })
  .refine(
    (expiration) => Object.values(expiration).filter((value) => value !== null).length === 1,
    'exactly one must be set',
  );
const transitionSchema = z
  .strictObject({
    days: COUNT_OR_NULL,
    date: dateSchema,
    storageClass: classSchema,
  })
  .refine(({ days, date }) => (days === null) !== (date === null), 'days or date must be set');
const sizeSchema = z.number().int().min(0).max(OBJECT_MAX_BYTES).nullable().default(null);

export const lifecycleRuleSchema = z
  .strictObject({
    id: z.string().max(255).optional(),
    isEnabled: z.boolean().default(true),
    filter: z
      .strictObject({
        prefix: z.string().max(1024).nullable().default(null),
        tags: tagsSchema.default({}),
        sizeGreaterThan: sizeSchema,
        sizeLessThan: sizeSchema,
      })
      .default({ prefix: null, tags: {}, sizeGreaterThan: null, sizeLessThan: null }),
    expiration: expirationSchema.nullable().default(null),
    transitions: z.array(transitionSchema).max(10).default([]),
    noncurrentExpiration: z.strictObject(noncurrent).nullable().default(null),
    noncurrentTransitions: z
      .array(z.strictObject({ ...noncurrent, storageClass: classSchema }))
      .max(10)
      .default([]),
    abortUploadsAfterDays: DAYS.nullable().default(null),
  })
  .openapi('LifecycleRule');

export const encryptionSchema = z
  .strictObject({
    kind: z.enum(['server', 'named']),
    keyId: z
      .string()
      .regex(KMS_KEY_ID_FORM)
      .nullable()
      .default(null)
      .openapi({ description: 'Id of a KMS key.' }),
    isDoubled: z.boolean().default(false),
    isBucketKey: z.boolean().default(false),
    refusesCustomerKeys: z.boolean().default(false),
  })
  .openapi('BucketEncryption');

const blockSchema = z
  .strictObject({
    blockPublicAcls: z.boolean(),
    ignorePublicAcls: z.boolean(),
    blockPublicPolicy: z.boolean(),
    restrictPublicBuckets: z.boolean(),
  })
  .openapi('PublicAccessBlock');

const OWNERSHIPS = ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'] as const;
const json = z.record(z.string(), z.unknown());

const ownSettings = {
  versioning: z.enum(['off', 'enabled', 'suspended']),
  policy: json.nullable().openapi({ description: "A policy in S3's language." }),
  ownership: z.enum(OWNERSHIPS).nullable(),
  publicAccessBlock: blockSchema.nullable(),
  cors: z.array(corsRuleSchema).max(CORS_MAX_RULES),
  lifecycle: z.array(lifecycleRuleSchema).max(LIFECYCLE_MAX_RULES),
  hosting: json.nullable().openapi({
    description: 'Settings of docs/hosting.md; `domains` are the hosts of the bucket.',
  }),
  tags: tagsSchema,
  encryption: encryptionSchema.nullable(),
  compression: compressionSchema.nullable(),
  quota: quotaSchema.nullable().openapi({
    description:
      'What the bucket may store at most; null: nothing limits it. ' +
      'GET …/totals says what it stores.',
  }),
  requestPayer: z.enum(['owner', 'requester']),
  metadata: z.enum(['strict', 'balanced', 'kv']).openapi({
    description:
      'How old public reads may be on Cloudflare: `strict` 1 s, `balanced` 5 s, `kv` 60 s and ' +
      'fewest calls of the index. On Node every read is exact.',
  }),
  receipts: z
    .enum(['owner', 'everyone'])
    .nullable()
    .openapi({
      description:
        'Who gets the cost with each response: who signs as the account, or everyone. ' +
        'Null: who signs so and asks.',
    }),
};

/** A bucket with its settings, as the API shows it. */
export const bucketSchema = z
  .object({
    name: bucketNameSchema,
    id: z.string(),
    accountId: z.string(),
    createdAt: timeSchema,
    publicAccess: z.enum(['none', 'some', 'read']).openapi({
      description:
        'What everyone may read: nothing, ' +
        'something that policy or lists of grants open, every object.',
    }),
    ...ownSettings,
    lifecycle: z.array(z.looseObject({ id: z.string() })),
    ...shownServiceSettings,
  })
  .openapi('Bucket');

/**
 * A change with each setting whole: what is absent stays. merge-bucket-change.ts
 * makes it of a PATCH.
 */
export const bucketChangeSchema = z
  .strictObject({
    ...ownSettings,
    ...serviceSettings,
    versioning: z.enum(['enabled', 'suspended']),
    publicAccess: z.enum(['none', 'read']).openapi({
      description:
        'A short way to the policy that lets everyone read every object. ' +
        'Not together with `policy`.',
    }),
  })
  .partial();
