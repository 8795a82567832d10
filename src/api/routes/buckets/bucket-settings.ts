// The settings of a bucket: from core's types to JSON, and from a change in JSON to
// core's types. buckets.ts uses it; bucket-setting-schemas.ts has the schemas.
import type { z } from '@hono/zod-openapi';
import type { BucketChange } from '../../../core/buckets/change-bucket.ts';
import { stateTagOf } from '../../../core/buckets/state-tag.ts';
import { hostNameOf } from '../../../core/hosting/host-names.ts';
import { readHosting } from '../../../core/hosting/read-hosting.ts';
import {
  BUCKET_MAX_TAGS,
  CORS_MAX_BYTES,
  OBJECT_MAX_TAGS,
  WEBSITE_MAX_BYTES,
} from '../../../core/limits.ts';
import { toTags } from '../../../core/objects/tags.ts';
import type { BucketSettings } from '../../../domain/bucket-settings.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { LifecycleRule } from '../../../domain/lifecycle.ts';
import type { BucketRecord } from '../../../domain/nouns.ts';
import type { ApiCall } from '../../routing/api-call.ts';
import { toEtag } from '../../routing/etag.ts';
import { showQuota, toQuota } from '../../schemas/quota.ts';
import { isoTime, isoTimeOrNull, msOrNull } from '../../schemas/time.ts';
import { showServiceSettings, toServiceSettings } from './bucket-service-settings.ts';
import type {
  bucketChangeSchema,
  bucketSchema,
  corsRuleSchema,
  encryptionSchema,
  lifecycleRuleSchema,
} from './bucket-setting-schemas.ts';
import { showCompression, toCompression } from './compression-setting.ts';

/** The policy that `publicAccess: read` stands for. */
function publicPolicy(name: string): string {
  const statement = { Sid: 'PublicRead', Effect: 'Allow', Principal: '*', Action: 's3:GetObject' };
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ ...statement, Resource: `arn:aws:s3:::${name}/*` }],
  });
}

/** The tag of the bucket's record, and so of all its settings. */
export function bucketEtag(record: BucketRecord): string {
  return toEtag(stateTagOf(record));
}

/** A bucket as the API shows it. */
export function showBucket(record: BucketRecord): z.infer<typeof bucketSchema> {
  const { access, settings } = record;
  const { policyJson } = access;
  return {
    name: record.name as string,
    id: record.id as string,
    accountId: record.ownerId as string,
    createdAt: isoTime(record.createdAtMs),
    publicAccess: publicAccessOf(record),
    versioning: settings.versioning ?? 'off',
    policy: policyJson === null ? null : (JSON.parse(policyJson) as Record<string, unknown>),
    ownership: access.ownership,
    publicAccessBlock: access.publicAccessBlock,
    cors: (settings.cors ?? []).map(
      (rule) => structuredClone(rule) as z.infer<typeof corsRuleSchema>,
    ),
    lifecycle: (settings.lifecycle?.rules ?? []).map(showRule),
    hosting: settings.hosting === null ? null : { ...settings.hosting },
    tags: { ...settings.tags },
    encryption: settings.encryption === null ? null : showEncryption(settings.encryption),
    compression: showCompression(settings),
    quota: settings.quota === null ? null : showQuota(settings.quota),
    requestPayer: settings.requestPayer ?? 'owner',
    metadata: settings.metadata ?? 'balanced',
    receipts: settings.receipts,
    ...showServiceSettings(settings),
  };
}

function showEncryption(encryption: NonNullable<BucketSettings['encryption']>) {
  const { standard, isBucketKey, refusesCustomerKeys } = encryption;
  const isNamed = standard.kind === 'named';
  return {
    kind: standard.kind,
    isBucketKey: isBucketKey ?? false,
    refusesCustomerKeys,
    keyId: isNamed ? standard.keyId : null,
    isDoubled: isNamed ? standard.isDoubled : false,
  };
}

function publicAccessOf(record: BucketRecord): 'none' | 'read' | 'some' {
  if (record.access.publicReads === null) return 'none';
  return isAllOpen(record) ? 'read' : 'some';
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

type Change = z.infer<typeof bucketChangeSchema>;

/**
 * The change as core takes it. InvalidInput, InvalidRequest (hosting), InvalidTag.
 */
export function toBucketChange(call: ApiCall, record: BucketRecord, change: Change): BucketChange {
  const policyJson = policyOf(record, change);
  requireSize('cors', change.cors, CORS_MAX_BYTES);
  requireSize('website', change.website, WEBSITE_MAX_BYTES);
  return {
    ...ifPresent(change.hosting, (hosting) => ({ hosting: hosting && readSite(call, hosting) })),
    access: {
      ...ifPresent(policyJson, (json) => ({ policyJson: json })),
      ...ifPresent(change.ownership, (ownership) => ({ ownership })),
      ...ifPresent(change.publicAccessBlock, (publicAccessBlock) => ({ publicAccessBlock })),
    },
    settings: toSettings(call, record, change),
  };
}

/**
 * The fields that `toFields` makes of a value; none for one that is absent, which
 * stays.
 */
function ifPresent<Value, Fields extends object>(
  value: Value | undefined,
  toFields: (value: Value) => Fields,
): Fields | Record<never, never> {
  return value === undefined ? {} : toFields(value);
}

function toSettings(call: ApiCall, record: BucketRecord, change: Change): BucketChange['settings'] {
  const { clock, ids } = call.core.ports;
  return {
    ...ifPresent(change.versioning, (versioning) => ({ versioning })),
    ...ifPresent(change.cors, (cors) => ({ cors: cors.length === 0 ? null : cors })),
    ...ifPresent(change.tags, (tags) => ({ tags: toTags(Object.entries(tags), BUCKET_MAX_TAGS) })),
    ...ifPresent(change.lifecycle, (rules) => ({ lifecycle: toLifecycle(call, rules) })),
    ...ifPresent(change.encryption, (encryption) => ({ encryption: toEncryption(encryption) })),
    ...ifPresent(change.compression, (compression) => ({
      compression: toCompression(compression, clock.nowMs()),
    })),
    ...ifPresent(change.quota, (quota) => ({ quota: toQuota(quota) })),
    ...toServiceSettings(change, record.settings.notifications ?? [], () => ids.recordId()),
    ...ifPresent(change.requestPayer, (payer) => ({
      requestPayer: payer === 'requester' ? payer : null,
    })),
    ...ifPresent(change.metadata, (mode) => ({ metadata: mode === 'balanced' ? null : mode })),
    ...ifPresent(change.receipts, (receipts) => ({ receipts })),
  };
}

/** The policy after the change, as JSON; undefined: it stays. InvalidInput. */
function policyOf(
  record: BucketRecord,
  { policy, publicAccess }: Change,
): string | null | undefined {
  if (publicAccess === undefined) return policy == null ? policy : JSON.stringify(policy);

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

/** Refuses a setting beyond the bound that S3 gives its document. InvalidInput. */
function requireSize(name: string, setting: object | null | undefined, maxBytes: number): void {
  if (setting === null || setting === undefined) return;
  if (new TextEncoder().encode(JSON.stringify(setting)).length <= maxBytes) return;
  throw new StorageError('InvalidInput', {
    detail: `${name} may have at most ${maxBytes} bytes of JSON.`,
  });
}

function readSite(call: ApiCall, hosting: object) {
  // The host of this request serves the API; bound to a bucket it would serve that
  // alone.
  const ownHosts = [...call.core.settings.ownHosts, hostNameOf(call.request.host)];
  return readHosting(new TextEncoder().encode(JSON.stringify(hosting)), ownHosts);
}

function toLifecycle(
  { core }: ApiCall,
  requested: readonly z.infer<typeof lifecycleRuleSchema>[],
): BucketSettings['lifecycle'] {
  if (requested.length === 0) return null;

  const { clock, ids } = core.ports;
  const rules = requested.map(({ filter, expiration, transitions, ...rule }) => ({
    ...rule,
    id: rule.id ?? ids.recordId(),
    isOldForm: false,
    filter: { ...filter, tags: toTags(Object.entries(filter.tags), OBJECT_MAX_TAGS) },
    expiration: expiration === null ? null : withMs(expiration),
    transitions: transitions.map(withMs),
  }));
  return { rules, transitionMinimum: 'all_storage_classes_128K', setAtMs: clock.nowMs() };
}

function withMs<Timed extends { readonly date: string | null }>({ date, ...rest }: Timed) {
  return { ...rest, dateMs: msOrNull(date) };
}

function toEncryption(
  setting: z.infer<typeof encryptionSchema> | null,
): BucketSettings['encryption'] {
  if (setting === null) return null;
  const { kind, keyId, isDoubled, isBucketKey, refusesCustomerKeys } = setting;
  const standard = kind === 'server' ? ({ kind } as const) : ({ kind, keyId, isDoubled } as const);
  return { standard, isBucketKey: isBucketKey || null, refusesCustomerKeys };
}
