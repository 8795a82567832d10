// The settings of a bucket as JSON: their schemas, and the way from a change that was sent to what core takes. buckets.ts
// uses it. Names and meanings are those of ports/bucket-settings.ts and ports/lifecycle.ts; docs/json-api.md tells owners.
import { z } from '@hono/zod-openapi';
import type { BucketChange } from '../../core/buckets/change-bucket.ts';
import { NAMED_KEY_ID_FORM } from '../../core/encryption/named-keys.ts';
import { hostNameOf } from '../../core/hosting/host-names.ts';
import { readHosting } from '../../core/hosting/read-hosting.ts';
import {
  BUCKET_MAX_TAGS,
  CORS_MAX_RULES,
  LIFECYCLE_MAX_RULES,
  OBJECT_MAX_BYTES,
  OBJECT_MAX_TAGS,
} from '../../core/limits.ts';
import { toTags } from '../../core/objects/tags.ts';
import { isHeaderName, isHeaderText } from '../../http/semantics/header-text.ts';
import type { BucketRecord } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import type { LifecycleRule } from '../../ports/lifecycle.ts';
import { type ApiCall, isoTime, isoTimeOrNull, timeSchema } from '../context.ts';
import { toEtag } from '../etag.ts';
import { bucketNameSchema } from '../schemas.ts';
import {
  serviceSettings,
  shownServiceSettings,
  showServiceSettings,
  toServiceSettings,
} from './bucket-service-settings.ts';
import { compressionSchema, showCompression, toCompression } from './compression-setting.ts';

const DAYS = z
  .number()
  .int()
  .min(1)
  .max(2 ** 31 - 1);
const NAMES_MAX = 100;

const pattern = z
  .string()
  .min(1)
  .max(1024)
  .refine((text) => isHeaderText(text) && text.indexOf('*') === text.lastIndexOf('*'), 'at most one *, visible ASCII');

const corsRuleSchema = z
  .strictObject({
    id: z.string().max(255).nullable().default(null),
    allowedMethods: z
      .array(z.enum(['GET', 'PUT', 'POST', 'DELETE', 'HEAD']))
      .min(1)
      .max(5),
    allowedOrigins: z.array(pattern).min(1).max(NAMES_MAX),
    allowedHeaders: z.array(pattern).max(NAMES_MAX).default([]),
    exposeHeaders: z.array(z.string().max(256).refine(isHeaderName, 'the name of a header')).max(NAMES_MAX).default([]),
    maxAgeSeconds: z
      .number()
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .nullable()
      .default(null),
  })
  .openapi('CorsRule');

const tagsSchema = z.record(z.string().max(128), z.string().max(256));
const classSchema = z.string().regex(/^[A-Z_]{1,32}$/);
const dateSchema = timeSchema.nullable().default(null);
const noncurrent = { noncurrentDays: DAYS, newerVersions: z.number().int().min(1).max(100).nullable().default(null) };

const expirationSchema = z
  .strictObject({
    days: DAYS.nullable().default(null),
    date: dateSchema,
    expiredObjectDeleteMarker: z.boolean().nullable().default(null),
  })
  .refine((given) => Object.values(given).filter((value) => value !== null).length === 1, 'exactly one must be set');
const transitionSchema = z
  .strictObject({
    days: z
      .number()
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .nullable()
      .default(null),
    date: dateSchema,
    storageClass: classSchema,
  })
  .refine(({ days, date }) => (days === null) !== (date === null), 'days or date must be set');
const sizeSchema = z.number().int().min(0).max(OBJECT_MAX_BYTES).nullable().default(null);

const lifecycleRuleSchema = z
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

const encryptionSchema = z
  .strictObject({
    kind: z.enum(['server', 'named']),
    keyId: z.string().regex(NAMED_KEY_ID_FORM).nullable().default(null).openapi({ description: 'Of a named key.' }),
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
  hosting: json
    .nullable()
    .openapi({ description: 'As in docs/hosting.md; its `domains` are the hosts of the bucket.' }),
  tags: tagsSchema,
  encryption: encryptionSchema.nullable(),
  compression: compressionSchema.nullable(),
  requestPayer: z.enum(['owner', 'requester']),
  receipts: z.enum(['owner', 'everyone']).nullable().openapi({
    description:
      'Who is told with each answer what it cost: who signs as the account, or everyone. Null: who signs so and asks.',
  }),
};

export const bucketSchema = z
  .object({
    name: bucketNameSchema,
    id: z.string(),
    accountId: z.string(),
    createdAt: timeSchema,
    publicAccess: z.enum(['none', 'some', 'read']).openapi({
      description: 'What everyone may read: nothing, something that policy or lists of grants open, every object.',
    }),
    ...ownSettings,
    lifecycle: z.array(z.looseObject({ id: z.string() })),
    ...shownServiceSettings,
  })
  .openapi('Bucket');

/** A change: what is absent stays. */
export const bucketChangeSchema = z
  .strictObject({
    ...ownSettings,
    ...serviceSettings,
    versioning: z.enum(['enabled', 'suspended']),
    publicAccess: z.enum(['none', 'read']).openapi({
      description: 'A short way to the policy that lets everyone read every object. Not together with `policy`.',
    }),
  })
  .partial()
  .openapi('BucketChange');

/** The policy that `publicAccess: read` stands for. */
function publicPolicy(name: string): string {
  const statement = { Sid: 'PublicRead', Effect: 'Allow', Principal: '*', Action: 's3:GetObject' };
  return JSON.stringify({ Version: '2012-10-17', Statement: [{ ...statement, Resource: `arn:aws:s3:::${name}/*` }] });
}

/** Of the bucket's record, and so of all its settings. */
export function bucketEtag({ id, revision }: BucketRecord): string {
  return toEtag(`${id}.${revision}`);
}

/** How a bucket goes out. */
export function showBucket(record: BucketRecord): z.infer<typeof bucketSchema> {
  const { access, settings: set } = record;
  const { encryption } = set;
  return {
    ...{ name: record.name as string, id: record.id as string, accountId: record.ownerId as string },
    createdAt: isoTime(record.createdAtMs),
    publicAccess: access.publicReads === null ? 'none' : isAllOpen(record) ? 'read' : 'some',
    versioning: set.versioning ?? 'off',
    policy: access.policyJson === null ? null : (JSON.parse(access.policyJson) as Record<string, unknown>),
    ...{ ownership: access.ownership, publicAccessBlock: access.publicAccessBlock },
    cors: (set.cors ?? []).map((rule) => structuredClone(rule) as z.infer<typeof corsRuleSchema>),
    lifecycle: (set.lifecycle?.rules ?? []).map(showRule),
    hosting: set.hosting === null ? null : { ...set.hosting },
    tags: { ...set.tags },
    encryption:
      encryption === null
        ? null
        : {
            ...{ kind: encryption.standard.kind, isBucketKey: encryption.isBucketKey },
            ...{ refusesCustomerKeys: encryption.refusesCustomerKeys },
            ...(encryption.standard.kind === 'named'
              ? { keyId: encryption.standard.keyId, isDoubled: encryption.standard.isDoubled }
              : { keyId: null, isDoubled: false }),
          },
    compression: showCompression(set),
    requestPayer: set.requestPayer ?? 'owner',
    receipts: set.receipts,
    ...showServiceSettings(set),
  };
}

function isAllOpen({ access: { publicReads } }: BucketRecord): boolean {
  if (publicReads === null) return false;
  const { open, closed, mayClose } = publicReads;
  return open.includes('') && closed.length === 0 && mayClose.length === 0;
}

function showRule({ isOldForm: _, ...rule }: LifecycleRule) {
  const { expiration, transitions } = rule;
  return {
    ...rule,
    expiration: expiration === null ? null : withDate(expiration),
    transitions: transitions.map(withDate),
  };
}

function withDate<Timed extends { readonly dateMs: number | null }>({ dateMs, ...rest }: Timed) {
  return { ...rest, date: isoTimeOrNull(dateMs) };
}

const toMs = (date: string | null) => (date === null ? null : Date.parse(date));

/** What core makes of a change. InvalidInput, InvalidRequest (hosting), InvalidTag. */
export function toBucketChange(
  call: ApiCall,
  record: BucketRecord,
  given: z.infer<typeof bucketChangeSchema>,
): BucketChange {
  const { versioning, cors, tags, hosting, requestPayer, receipts, ownership, publicAccessBlock } = given;
  const policyJson = policyOf(record, given);
  const present = <Value extends object>(value: Value, isThere: boolean) => (isThere ? value : {});
  return {
    ...present(
      { hosting: hosting === null || hosting === undefined ? null : readSite(call, hosting) },
      hosting !== undefined,
    ),
    access: {
      ...present({ policyJson: policyJson ?? null }, policyJson !== undefined),
      ...present({ ownership: ownership ?? null }, ownership !== undefined),
      ...present({ publicAccessBlock: publicAccessBlock ?? null }, publicAccessBlock !== undefined),
    },
    settings: {
      ...present({ versioning: versioning ?? null }, versioning !== undefined),
      ...present({ cors: cors === undefined || cors.length === 0 ? null : cors }, cors !== undefined),
      ...present(
        { tags: tags === undefined ? null : toTags(Object.entries(tags), BUCKET_MAX_TAGS) },
        tags !== undefined,
      ),
      ...present({ lifecycle: toLifecycle(call, given.lifecycle ?? []) }, given.lifecycle !== undefined),
      ...present({ encryption: toEncryption(given.encryption ?? null) }, given.encryption !== undefined),
      ...present(
        { compression: toCompression(given.compression ?? null, call.core.ports.clock.nowMs()) },
        given.compression !== undefined,
      ),
      ...toServiceSettings(given, record.settings.notifications ?? [], () => call.core.ports.ids.recordId()),
      ...present({ requestPayer: requestPayer === 'requester' ? requestPayer : null }, requestPayer !== undefined),
      ...present({ receipts: receipts ?? null }, receipts !== undefined),
    },
  };
}

/** Undefined: it stays. */
function policyOf(record: BucketRecord, given: z.infer<typeof bucketChangeSchema>): string | null | undefined {
  const { policy, publicAccess } = given;
  if (publicAccess === undefined)
    return policy === undefined ? undefined : policy === null ? null : JSON.stringify(policy);
  const standard = publicPolicy(record.name);
  const { policyJson } = record.access;
  const isOwn = policyJson !== null && policyJson !== standard;
  if (policy !== undefined || isOwn) {
    throw new StorageError('InvalidInput', {
      detail: 'publicAccess stands for the whole policy; change `policy` instead.',
    });
  }
  return publicAccess === 'read' ? standard : null;
}

function readSite(call: ApiCall, hosting: object) {
  // The host of this request serves the API; bound to a bucket it would serve that alone.
  const ownHosts = [...call.core.settings.ownHosts, hostNameOf(call.request.host)];
  return readHosting(new TextEncoder().encode(JSON.stringify(hosting)), ownHosts);
}

function toLifecycle(
  { core }: ApiCall,
  given: readonly z.infer<typeof lifecycleRuleSchema>[],
): BucketChange['settings']['lifecycle'] {
  if (given.length === 0) return null;
  const { clock, ids } = core.ports;
  const rules = given.map(({ filter, expiration, transitions, ...rule }) => ({
    ...rule,
    ...{ id: rule.id ?? ids.recordId(), isOldForm: false },
    filter: { ...filter, tags: toTags(Object.entries(filter.tags), OBJECT_MAX_TAGS) },
    expiration: expiration === null ? null : withMs(expiration),
    transitions: transitions.map(withMs),
  }));
  return { rules, transitionMinimum: 'all_storage_classes_128K', setAtMs: clock.nowMs() };
}

function withMs<Timed extends { readonly date: string | null }>({ date, ...rest }: Timed) {
  return { ...rest, dateMs: toMs(date) };
}

function toEncryption(given: z.infer<typeof encryptionSchema> | null): BucketChange['settings']['encryption'] {
  if (given === null) return null;
  const { kind, keyId, isDoubled, isBucketKey, refusesCustomerKeys } = given;
  const standard = kind === 'server' ? ({ kind } as const) : ({ kind, keyId, isDoubled } as const);
  return { standard, isBucketKey, refusesCustomerKeys };
}
