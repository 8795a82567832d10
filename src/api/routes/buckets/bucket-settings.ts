// The settings of a bucket on their way out, and the way from a change that was sent to what core
// takes. buckets.ts uses it; bucket-setting-schemas.ts says what may be sent.
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
import { StorageError } from '../../../domain/errors.ts';
import type { LifecycleRule } from '../../../domain/lifecycle.ts';
import type { BucketRecord } from '../../../domain/nouns.ts';
import type { ApiCall } from '../../routing/api-call.ts';
import { toEtag } from '../../routing/etag.ts';
import { isoTime, isoTimeOrNull } from '../../schemas/time.ts';
import { showServiceSettings, toServiceSettings } from './bucket-service-settings.ts';
import type {
  bucketChangeSchema,
  bucketSchema,
  corsRuleSchema,
  encryptionSchema,
  lifecycleRuleSchema,
} from './bucket-setting-schemas.ts';
import { showCompression, toCompression } from './compression-setting.ts';
import { showQuota, toQuota } from './quota-setting.ts';

/** The policy that `publicAccess: read` stands for. */
function publicPolicy(name: string): string {
  const statement = { Sid: 'PublicRead', Effect: 'Allow', Principal: '*', Action: 's3:GetObject' };
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ ...statement, Resource: `arn:aws:s3:::${name}/*` }],
  });
}

/** Of the bucket's record, and so of all its settings. */
export function bucketEtag(record: BucketRecord): string {
  return toEtag(stateTagOf(record));
}

/** How a bucket goes out. */
export function showBucket(record: BucketRecord): z.infer<typeof bucketSchema> {
  const { access, settings: set } = record;
  const { encryption } = set;
  return {
    ...{
      name: record.name as string,
      id: record.id as string,
      accountId: record.ownerId as string,
    },
    createdAt: isoTime(record.createdAtMs),
    publicAccess: access.publicReads === null ? 'none' : isAllOpen(record) ? 'read' : 'some',
    versioning: set.versioning ?? 'off',
    policy:
      access.policyJson === null
        ? null
        : (JSON.parse(access.policyJson) as Record<string, unknown>),
    ...{ ownership: access.ownership, publicAccessBlock: access.publicAccessBlock },
    cors: (set.cors ?? []).map((rule) => structuredClone(rule) as z.infer<typeof corsRuleSchema>),
    lifecycle: (set.lifecycle?.rules ?? []).map(showRule),
    hosting: set.hosting === null ? null : { ...set.hosting },
    tags: { ...set.tags },
    encryption:
      encryption === null
        ? null
        : {
            ...{ kind: encryption.standard.kind, isBucketKey: encryption.isBucketKey ?? false },
            ...{ refusesCustomerKeys: encryption.refusesCustomerKeys },
            ...(encryption.standard.kind === 'named'
              ? { keyId: encryption.standard.keyId, isDoubled: encryption.standard.isDoubled }
              : { keyId: null, isDoubled: false }),
          },
    compression: showCompression(set),
    quota: set.quota === null ? null : showQuota(set.quota),
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
  const { versioning, cors, tags, hosting, requestPayer, receipts, ownership, publicAccessBlock } =
    given;
  const policyJson = policyOf(record, given);
  requireSize('cors', given.cors, CORS_MAX_BYTES);
  requireSize('website', given.website, WEBSITE_MAX_BYTES);
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
      ...present(
        { cors: cors === undefined || cors.length === 0 ? null : cors },
        cors !== undefined,
      ),
      ...present(
        { tags: tags === undefined ? null : toTags(Object.entries(tags), BUCKET_MAX_TAGS) },
        tags !== undefined,
      ),
      ...present(
        { lifecycle: toLifecycle(call, given.lifecycle ?? []) },
        given.lifecycle !== undefined,
      ),
      ...present(
        { encryption: toEncryption(given.encryption ?? null) },
        given.encryption !== undefined,
      ),
      ...present(
        { compression: toCompression(given.compression ?? null, call.core.ports.clock.nowMs()) },
        given.compression !== undefined,
      ),
      ...present({ quota: toQuota(given.quota ?? null) }, given.quota !== undefined),
      ...toServiceSettings(given, record.settings.notifications ?? [], () =>
        call.core.ports.ids.recordId(),
      ),
      ...present(
        { requestPayer: requestPayer === 'requester' ? requestPayer : null },
        requestPayer !== undefined,
      ),
      ...present({ receipts: receipts ?? null }, receipts !== undefined),
    },
  };
}

/** Undefined: it stays. */
function policyOf(
  record: BucketRecord,
  given: z.infer<typeof bucketChangeSchema>,
): string | null | undefined {
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

/** Settings have the bound that S3 gives their documents, whichever way they come. InvalidInput. */
function requireSize(name: string, setting: object | null | undefined, maxBytes: number): void {
  if (setting === null || setting === undefined) return;
  if (new TextEncoder().encode(JSON.stringify(setting)).length <= maxBytes) return;
  throw new StorageError('InvalidInput', {
    detail: `${name} may have at most ${maxBytes} bytes of JSON.`,
  });
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

function toEncryption(
  given: z.infer<typeof encryptionSchema> | null,
): BucketChange['settings']['encryption'] {
  if (given === null) return null;
  const { kind, keyId, isDoubled, isBucketKey, refusesCustomerKeys } = given;
  const standard = kind === 'server' ? ({ kind } as const) : ({ kind, keyId, isDoubled } as const);
  return { standard, isBucketKey: isBucketKey || null, refusesCustomerKeys };
}
