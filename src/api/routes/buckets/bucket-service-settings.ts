// Services of a bucket as JSON: its log, its website in S3's way, its lock, its
// notifications, deduplication. Schemas, and the way from and to core's types;
// bucket-settings.ts puts them together with the other settings.
import { z } from '@hono/zod-openapi';
import {
  RETENTION_MAX_DAYS,
  RETENTION_MAX_YEARS,
  ROUTING_MAX_RULES,
} from '../../../core/limits.ts';
import { LOG_PREFIX_MAX_LENGTH } from '../../../core/logging/require-log-target.ts';
import { RULE_ID_MAX_LENGTH, RULES_MAX } from '../../../core/outbox/notification-rules.ts';
import { parseBucketName } from '../../../core/parse-names.ts';
import type {
  BucketLogging,
  BucketSettings,
  WebsiteConfiguration,
} from '../../../domain/bucket-settings.ts';
import type { NotificationRule } from '../../../domain/notifications.ts';
import { HOST_NAME, REDIRECT_CODES } from '../../../http/s3/formats/website-document.ts';
import { bucketNameSchema } from '../../schemas/fields.ts';

const KEY_TEXT = z.string().max(1024);
const EVENTS_MAX = 40;

const loggingSchema = z
  .strictObject({
    targetBucket: bucketNameSchema.openapi({
      description: 'A bucket of the same account, whose policy allows it.',
    }),
    targetPrefix: z.string().max(LOG_PREFIX_MAX_LENGTH).default(''),
    partitionedBy: z
      .enum(['EventTime', 'DeliveryTime'])
      .nullable()
      .default(null)
      .openapi({ description: 'Null: log objects are named by prefix and time alone.' }),
  })
  .openapi('BucketLogging');

const protocolSchema = z.enum(['http', 'https']).nullable().default(null);
const hostSchema = z.string().regex(HOST_NAME);
const redirectSchema = z
  .strictObject({
    hostName: hostSchema.nullable().default(null),
    protocol: protocolSchema,
    statusCode: z
      .number()
      .int()
      .refine((code) => REDIRECT_CODES.has(`${code}`), 'one of 301, 302, 303, 307 and 308')
      .nullable()
      .default(null),
    replaceKeyPrefixWith: KEY_TEXT.nullable().default(null),
    replaceKeyWith: KEY_TEXT.nullable().default(null),
  })
  .refine(
    (redirect) => Object.values(redirect).some((value) => value !== null),
    'must change something',
  )
  .refine(
    (redirect) => redirect.replaceKeyPrefixWith === null || redirect.replaceKeyWith === null,
    'one replacement at most',
  );
const routingRuleSchema = z.strictObject({
  keyPrefix: KEY_TEXT.nullable().default(null),
  errorCode: z.number().int().min(400).max(599).nullable().default(null),
  redirect: redirectSchema,
});
const websiteSchema = z
  .strictObject({
    redirectAllTo: z
      .strictObject({ hostName: hostSchema, protocol: protocolSchema })
      .nullable()
      .default(null),
    indexSuffix: z
      .string()
      .min(1)
      .max(1024)
      .refine((text) => !text.includes('/'), 'no slash')
      .nullable()
      .default(null),
    errorKey: z.string().min(1).max(1024).nullable().default(null),
    routingRules: z.array(routingRuleSchema).max(ROUTING_MAX_RULES).default([]),
  })
  .refine(
    ({ redirectAllTo, indexSuffix }) => (redirectAllTo === null) !== (indexSuffix === null),
    'indexSuffix or redirectAllTo must be set, not both',
  )
  .refine(
    ({ redirectAllTo, errorKey, routingRules }) =>
      redirectAllTo === null || (errorKey === null && routingRules.length === 0),
    'redirectAllTo stands alone',
  )
  .openapi('BucketWebsite');

const retentionSchema = z
  .strictObject({
    mode: z.enum(['GOVERNANCE', 'COMPLIANCE']),
    days: z.number().int().min(1).max(RETENTION_MAX_DAYS).nullable().default(null),
    years: z.number().int().min(1).max(RETENTION_MAX_YEARS).nullable().default(null),
  })
  .refine(
    ({ days, years }) => (days === null) !== (years === null),
    'days or years must be set, not both',
  )
  .openapi('DefaultRetention');
const lockSchema = z
  .strictObject({
    defaultRetention: retentionSchema.nullable().default(null).openapi({
      description:
        'How long new versions are locked that say nothing themselves; null: they are not.',
    }),
  })
  .openapi('BucketLock');

const ruleSchema = z
  .strictObject({
    id: z.string().min(1).max(RULE_ID_MAX_LENGTH).optional(),
    webhookId: z.string().regex(/^wh_[0-9a-z]{10,64}$/),
    events: z
      .array(z.string().max(64))
      .min(1)
      .max(EVENTS_MAX)
      .openapi({
        description: 'Names of S3, like s3:ObjectCreated:*.',
        example: ['s3:ObjectCreated:*'],
      }),
    prefix: KEY_TEXT.default(''),
    suffix: KEY_TEXT.default(''),
  })
  .openapi('NotificationRule');

/** Settings that a change may name. */
export const serviceSettings = {
  logging: loggingSchema.nullable(),
  website: websiteSchema.nullable().openapi({
    description:
      "S3's kind of website. `hosting` can more, and takes its place where both are set.",
  }),
  objectLock: lockSchema.openapi({
    description: 'Needs `versioning: enabled`, and cannot be taken away.',
  }),
  notifications: z.array(ruleSchema).max(RULES_MAX),
  deduplication: z.boolean().openapi({
    description:
      'Equal bodies of a storage class that are written from now on are stored, and paid, once.',
  }),
};

/** Settings that a response shows. */
export const shownServiceSettings = { ...serviceSettings, objectLock: lockSchema.nullable() };

type Shown = z.infer<z.ZodObject<typeof shownServiceSettings>>;
type Sent = z.infer<z.ZodObject<typeof serviceSettings>>;
export type ServiceSettingsChange = { readonly [Name in keyof Sent]?: Sent[Name] | undefined };

/** The services of a bucket as the API shows them. */
export function showServiceSettings(settings: BucketSettings): Shown {
  const { logging, website, objectLock, notifications, deduplication } = settings;
  const rules = (notifications ?? []).map(({ id, endpointId, events, prefix, suffix }) => ({
    id,
    webhookId: endpointId,
    prefix,
    suffix,
    events: [...events],
  }));
  return {
    logging: logging === null ? null : { ...logging },
    website: website === null ? null : (structuredClone(website) as NonNullable<Shown['website']>),
    objectLock: objectLock === null ? null : showObjectLock(objectLock),
    notifications: rules,
    deduplication: deduplication === true,
  };
}

function showObjectLock({ defaultRetention }: NonNullable<BucketSettings['objectLock']>) {
  return { defaultRetention: defaultRetention === null ? null : { ...defaultRetention } };
}

type Services = Partial<
  Pick<BucketSettings, 'logging' | 'website' | 'objectLock' | 'notifications' | 'deduplication'>
>;

/**
 * The services of a change as core takes them; what is absent stays. `currentRules`
 * are the rules of the bucket, `makeId` names new ones.
 */
export function toServiceSettings(
  { logging, website, objectLock, notifications, deduplication }: ServiceSettingsChange,
  currentRules: readonly NotificationRule[],
  makeId: () => string,
): Services {
  return {
    ...(logging === undefined ? {} : { logging: logging === null ? null : toLogging(logging) }),
    ...(website === undefined ? {} : { website: website satisfies WebsiteConfiguration | null }),
    ...(objectLock === undefined ? {} : { objectLock }),
    ...(deduplication === undefined ? {} : { deduplication: deduplication ? true : null }),
    ...(notifications === undefined
      ? {}
      : { notifications: toRules(notifications, currentRules, makeId) }),
  };
}

function toLogging({
  targetBucket,
  targetPrefix,
  partitionedBy,
}: z.infer<typeof loggingSchema>): BucketLogging {
  return { targetBucket: parseBucketName(targetBucket), targetPrefix, partitionedBy };
}

/**
 * The rules; null for none. One that S3 made keeps the ARN that S3's tools know.
 */
function toRules(
  rules: readonly z.infer<typeof ruleSchema>[],
  currentRules: readonly NotificationRule[],
  makeId: () => string,
): NotificationRule[] | null {
  if (rules.length === 0) return null;
  return rules.map(({ id, webhookId: endpointId, events, prefix, suffix }) => {
    const current = currentRules.find((rule) => rule.id === id && rule.endpointId === endpointId);
    const { kind, arn } = current ?? {
      kind: 'queue' as const,
      arn: `arn:quayside:webhook:::${endpointId}`,
    };
    return {
      id: id ?? makeId(),
      endpointId,
      events: [...new Set(events)],
      kind,
      arn,
      prefix,
      suffix,
    };
  });
}
