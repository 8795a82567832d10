// The S3 surface over real core, real index (SQLite in memory) and memory adapters, with a clock
// and ids that tests know. Requests are signed by the tests' own signer; errors are rendered as
// app.ts does.
import {
  createDirectDirectory,
  createDirectLedger,
  createDirectMetadataIndex,
} from '../../../../src/adapters/memory/direct-metadata-index.ts';
import {
  createMemoryBlobStore,
  type MemoryBlobStore,
} from '../../../../src/adapters/memory/memory-blob-store.ts';
import { createMemoryConsoleFiles } from '../../../../src/adapters/memory/memory-console-files.ts';
import { createMemoryDerived } from '../../../../src/adapters/memory/memory-derived.ts';
import { createMemoryTxtRecords } from '../../../../src/adapters/memory/memory-txt-records.ts';
import { createMemoryEdgeCache } from '../../../../src/adapters/node/cache/memory-edge-cache.ts';
import { createChangeLog } from '../../../../src/adapters/shared/change-log.ts';
import { createMemoryBodies } from '../../../../src/adapters/shared/memory-bodies.ts';
import { createMemoryShares } from '../../../../src/adapters/shared/memory-shares.ts';
import { createTrackedBackground } from '../../../../src/adapters/shared/tracked-background.ts';
import { createUsageMeter, type UsageMeter } from '../../../../src/adapters/shared/usage-meter.ts';
import { createDecide } from '../../../../src/core/auth/decide.ts';
import { createAccountFinder } from '../../../../src/core/auth/find-accounts.ts';
import { createReceipts } from '../../../../src/core/billing/receipts/take-receipt.ts';
import { createCapGuard } from '../../../../src/core/caps/cap-guard.ts';
import type { Core } from '../../../../src/core/core.ts';
import { LEDGER_RULES } from '../../../../src/core/ledger-rules.ts';
import { createUsageFlusher } from '../../../../src/core/metering/flush-usage.ts';
import type { AccessKey, AccessKeyId, Account, AccountId } from '../../../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../../src/domain/root-account.ts';
import { createDelivery } from '../../../../src/http/delivery/create-delivery.ts';
import type { AnswerSignedAtOnce } from '../../../../src/http/delivery/fast-path/fast-path.ts';
import {
  type FastPathCountsBySurface,
  newFastPathCounts,
} from '../../../../src/http/delivery/fast-path/fast-path-counts.ts';
import type { RequestNotes } from '../../../../src/http/observe/request-notes.ts';
import { renderS3Error } from '../../../../src/http/s3/errors.ts';
import { createS3Surface } from '../../../../src/http/s3/routes.ts';
import { createBucketIndex } from '../../../../src/index/bucket-index.ts';
import { createDirectoryIndex } from '../../../../src/index/directory-index.ts';
import { createLedgerIndex } from '../../../../src/index/ledger-index.ts';
import { DIRECTORY_SCHEMA } from '../../../../src/index/tables/directory-schema.ts';
import { INDEX_SCHEMA } from '../../../../src/index/tables/index-schema.ts';
import { LEDGER_SCHEMA } from '../../../../src/index/tables/ledger-schema.ts';
import type { Ports } from '../../../../src/ports/index.ts';
import type { Ledger } from '../../../../src/ports/ledger.ts';
import type { Clock, Ids, Log } from '../../../../src/ports/system.ts';
import { createExactHotMetadata, MASTER_KEYS } from '../../../core/memory-core.ts';
import { openMigrated } from '../../../index/kit/open-migrated.ts';
import { deliverySettings } from '../../delivery/delivery-settings.ts';
import { makeRequest } from './make-request.ts';
import { ACCESS_KEY_ID, NOW_MS, SECRET, sha256, signHeaders } from './sign-for-test.ts';

export const OWNER: Account = { id: 'a'.repeat(64) as AccountId, displayName: 'owner' };
export const STRANGER: Account = { id: 'b'.repeat(64) as AccountId, displayName: 'stranger' };
const KEY_IDS = {
  owner: ACCESS_KEY_ID,
  /** Another key of the owner's account, for what begins with `in/`. */
  narrow: 'AKIANARROW0000000000',
  stranger: 'AKIASTRANGER00000000',
  operator: 'AKIAOPERATOR00000000',
} as const;

const KEYS: readonly AccessKey[] = [
  { id: ACCESS_KEY_ID as AccessKeyId, secret: SECRET, account: OWNER },
  {
    ...{ id: KEY_IDS.narrow as AccessKeyId, secret: SECRET, account: OWNER },
    scope: { buckets: null, prefixes: ['in/'], actions: null, sourceIps: null },
  },
  { id: KEY_IDS.stranger as AccessKeyId, secret: SECRET, account: STRANGER },
  { id: KEY_IDS.operator as AccessKeyId, secret: SECRET, account: ROOT_ACCOUNT },
];

/** A service without host names of its own. */
export const NO_DOMAINS = { baseDomain: null, websiteDomain: null, ownHosts: [] } as const;

export type Sent = {
  readonly method?: string;
  /** Decoded path: `/bucket/key`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly as?: keyof typeof KEY_IDS | 'nobody';
};

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly bytes: Uint8Array;
  /** What was noted of the request on the way. */
  readonly notes: RequestNotes;
};

export type TestSurface = {
  send(sent: Sent): Promise<Reply>;
  /** The fast path of signed reads, and what it counts. */
  readonly answerSignedAtOnce: AnswerSignedAtOnce;
  readonly fastPathCounts: FastPathCountsBySurface;
  readonly core: Core;
  readonly blobStore: MemoryBlobStore;
  readonly meter: UsageMeter;
  /** Moves the clock that objects are dated by. Signatures keep the first date. */
  advanceMs(ms: number): void;
};

const encode = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const SETTINGS: Omit<Core['settings'], 'inlineBodyMaxBytes'> = {
  defaultCacheControl: 'public, max-age=60',
  graceSeconds: 3600,
  lifecycleDaySeconds: 86_400,
  staleUploadHours: 24,
  tierLimitMs: 1000,
  transitionMinBytes: 131_072,
  ownHosts: [],
  accountsMayBindHosts: true,
  requiresHostProof: false,
  zipMaxObjects: 20,
  subrequestsMax: Number.POSITIVE_INFINITY,
  masterKeys: MASTER_KEYS,
  seededKmsKeys: ['seeded-key'],
  seed: [],
  rateCardId: 'cloudflare-r2',
  invoiceIssuer: 'Quayside',
  billingCloseHours: 24,
  webhooks: { mayBePrivate: true, attemptsMax: 3, retryBaseMs: 1000, timeoutMs: 1000 },
};

/**
 * `ledger` and `ports` may stand before those that work; `region` is the service's; ids count up
 * from 1, so that documents are the same in every run.
 */
export function createTestSurface(
  options: {
    region?: string;
    inlineBodyMaxBytes?: number;
    settings?: Partial<Core['settings']>;
    ledger?: (working: Ledger) => Ledger;
    ports?: (working: Ports) => Ports;
  } = {},
): TestSurface {
  let nowMs = NOW_MS;
  const clock: Clock = { nowMs: () => nowMs };
  const log: Log = { info: () => {}, error: () => {} };
  const blobStore = createMemoryBlobStore();
  const meter = createUsageMeter(clock);
  const indexSql = openMigrated(INDEX_SCHEMA);
  const directorySql = openMigrated(DIRECTORY_SCHEMA, LEDGER_SCHEMA);
  const ledger = createDirectLedger(createLedgerIndex(directorySql, LEDGER_RULES));
  const core: Core = {
    settings: {
      ...SETTINGS,
      inlineBodyMaxBytes: options.inlineBodyMaxBytes ?? 16,
      ...options.settings,
    },
    ports: (options.ports ?? ((ports) => ports))({
      blobStore,
      metadataIndex: createDirectMetadataIndex(createBucketIndex(indexSql)),
      bucketChanges: createChangeLog(0),
      directory: createDirectDirectory(createDirectoryIndex(directorySql)),
      ledger: options.ledger?.(ledger) ?? ledger,
      hotMetadata: createExactHotMetadata(clock),
      hotShares: createMemoryShares(clock),
      edgeCache: createMemoryEdgeCache(createMemoryBodies({ maxBytes: 0, maxSliceBytes: 0 })),
      derived: createMemoryDerived(clock),
      tiers: { metadata: ['memory'], body: ['memory'] },
      clock,
      steadyClock: null,
      ids: countingIds(),
      background: createTrackedBackground(log),
      log,
      accessLog: null,
      meter,
      metrics: { collect: () => [] },
      readiness: { notReady: () => [] },
      usagePush: null,
      txtRecords: createMemoryTxtRecords(),
      documentFonts: null,
      consoleFiles: createMemoryConsoleFiles(null),
      webhookSender: { post: () => Promise.reject(new Error('No test of this core sends.')) },
    }),
  };
  const flusher = createUsageFlusher(core, { source: 'test', intervalMs: 1 });
  const fastPathCounts = newFastPathCounts();
  const surface = createS3Surface(core, {
    findAccessKey: (id) => KEYS.find((key) => key.id === id) ?? null,
    findAccounts: createAccountFinder(core, KEYS),
    decide: createDecide(),
    deliver: (_request, bucket, key) => new Response(`delivered ${bucket} ${key}`),
    unsignedHeaders: createDelivery(core, deliverySettings(), createDecide()).unsignedHeaders,
    region: options.region ?? 'auto',
    zipIdleSeconds: 3600,
    isServerTimingOn: false,
    fastPathCounts,
    ...NO_DOMAINS,
    customerKeysOverHttp: 'always',
    isSignatureV2On: true,
    caps: createCapGuard(core, flusher, 'test', () => undefined),
    takeReceipt: createReceipts(core, flusher, 'test'),
  });

  return {
    answerSignedAtOnce: surface.answerSignedAtOnce,
    fastPathCounts,
    core,
    blobStore,
    meter,
    advanceMs(ms) {
      nowMs += ms;
    },
    async send(sent) {
      const request = requestOf(sent);
      const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(request.rawPath) ?? [];
      const address = {
        bucket: bucket === '' ? null : bucket,
        rawKey: key === '' ? null : key,
        isVirtualHost: false,
      };
      const requestId = 'REQUEST1';
      const failed = { method: request.method, resource: request.rawPath, requestId };
      const response = await surface
        .handle(request, address, requestId)
        .catch((error: unknown) => renderS3Error(error, failed));
      const bytes = new Uint8Array(await response.arrayBuffer());
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        notes: request.notes,
        bytes,
        text: new TextDecoder().decode(bytes),
      };
    },
  };
}

function requestOf({
  method = 'GET',
  path,
  query = {},
  headers = {},
  body = '',
  as = 'owner',
}: Sent) {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const rawPath = path.split('/').map(encode).join('/');
  const canonicalQuery = Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const amzHeaders = Object.fromEntries(
    Object.entries(lower).filter(([name]) => name.startsWith('x-amz-')),
  );
  const payloadHash = lower['x-amz-content-sha256'] ?? sha256(bytes);
  const signed =
    as === 'nobody'
      ? { host: 'storage.example' }
      : signHeaders(
          { method, path: rawPath, query: canonicalQuery, headers: amzHeaders, payloadHash },
          { accessKeyId: KEY_IDS[as] },
        );
  return makeRequest({
    method,
    target: canonicalQuery === '' ? rawPath : `${rawPath}?${canonicalQuery}`,
    headers: { ...lower, ...signed },
    body: bytes.length === 0 ? [] : [bytes],
  });
}

function countingIds(): Ids {
  let count = 0;
  const next = (kind: string, digits = 8) => `${kind}${String(++count).padStart(digits, '0')}`;
  return {
    requestId: () => next('request'),
    bucketId: () => next('bucket') as ReturnType<Ids['bucketId']>,
    // The id has the length of a real one: clients may name it.
    versionId: () => next('version', 20) as ReturnType<Ids['versionId']>,
    uploadId: () => next('upload') as ReturnType<Ids['uploadId']>,
    blobId: (owner) => `${owner}/${next('blob')}` as ReturnType<Ids['blobId']>,
    recordId: () => next('record'),
    blobIdLowerBound: (owner) => `${owner}/`,
  };
}
