// The ports of the Cloudflare platform, put together from the bindings. worker.ts
// makes them once per isolate, so nothing here may belong to a request: bindings
// and plain values only.

import type { LocationHint } from '../../domain/locations/bucket-locations.ts';
import type { BucketName } from '../../domain/nouns.ts';
import { createShardRouter } from '../../index/router/shard-router.ts';
import type { Ports } from '../../ports/index.ts';
import type { Background, Log } from '../../ports/system.ts';
import { cacheFamilies } from '../shared/cache-metrics.ts';
import { compressRecipe } from '../shared/compress-recipe.ts';
import type { LogLevel } from '../shared/console-log.ts';
import { createConsoleLog, writeToConsole } from '../shared/console-log.ts';
import { createDamageCount } from '../shared/damage.ts';
import { createDecompressingBlobStore } from '../shared/decompressing-blob-store.ts';
import { createDerivedBodies } from '../shared/derived-bodies.ts';
import { createHttpsTxtRecords } from '../shared/https-txt-records.ts';
import { createIds } from '../shared/ids.ts';
import { createMemoryBodies } from '../shared/memory-bodies.ts';
import { createMemoryPointers } from '../shared/memory-pointers.ts';
import { createStripeUsagePush } from '../shared/stripe-usage-push.ts';
import { systemClock } from '../shared/system-clock.ts';
import { createUsageMeter } from '../shared/usage-meter.ts';
import { createCacheApiDerived } from './bodies/cache-api-derived.ts';
import { createImagesBinding } from './bodies/images-binding.ts';
import { createR2BlobStore } from './bodies/r2-blob-store.ts';
import { createWorkersEdgeCache } from './bodies/workers-edge-cache.ts';
import { createBucketNames } from './clients/bucket-names.ts';
import { createConsoleAssets } from './clients/console-assets.ts';
import { createDoBucketChanges } from './clients/do-bucket-changes.ts';
import { createDoDirectory } from './clients/do-directory.ts';
import { createDoLedger } from './clients/do-ledger.ts';
import { createDoMetadataIndex } from './clients/do-metadata-index.ts';
import { createDoRelay } from './clients/do-relay.ts';
import { createFetchSender } from './clients/fetch-webhook-sender.ts';
import { createWithdrawnKeys } from './clients/withdrawn-keys.ts';
import type { WorkerEnv } from './env.ts';
import { type BucketFeeds, createBucketFeeds } from './pointers/bucket-feeds.ts';
import { type ColoTier, createColoTier } from './pointers/colo-tier.ts';
import { createFreshness } from './pointers/freshness.ts';
import { createRelayPages, type RelayPages } from './pointers/relay-pages.ts';
import { createWorkersHotMetadata } from './pointers/workers-hot-metadata.ts';
import { createWorkersHotShares } from './pointers/workers-hot-shares.ts';
import { createWaitUntilBackground } from './requests/waituntil-background.ts';

/** The settings that the ports need; src/config has their meaning and units. */
export type PortSettings = {
  readonly pointerMemoryMaxEntries: number;
  readonly pointerMemoryMaxBytes: number;
  readonly pointerFreshSeconds: number;
  readonly staleWhileRevalidateSeconds: number;
  readonly staleIfErrorSeconds: number;
  readonly tierLimitMs: number;
  readonly negativeFreshSeconds: number;
  readonly bodyMemoryMaxBytes: number;
  readonly bodyMemoryMaxBodyBytes: number;
  readonly derivedMemoryMaxBytes: number;
  readonly logLevel: LogLevel;
  readonly accessLog: string;
  readonly stripeSecretKey: string | null;
  readonly stripeUrl: string;
  readonly webhooks: { readonly mayBePrivate: boolean };
  readonly dnsResolver: { readonly url: string | null };
};

/**
 * Source:
 * https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/
 */
const CLOUDFLARE_DNS_URL = 'https://cloudflare-dns.com/dns-query';

/**
 * What one isolate makes at once, so that originals fit into its 128 MB: 8 × 2 MiB
 * and 2 × 24 MiB at most. None may wait for another request. A slot expires
 * after `slotMs`, since a cancelled request never releases it. Source:
 * https://developers.cloudflare.com/workers/platform/limits/#memory
 */
const DERIVE_LIMITS = {
  coding: { concurrency: 8, waitingMax: 0, slotMs: 30_000 },
  image: { concurrency: 2, waitingMax: 0, slotMs: 30_000 },
} as const;

/**
 * Versions of a bucket that a request may bring into one index: a hundred slices of a
 * thousand calls together, of the ten thousand that it has. Our own limit.
 */
const TOGETHER_MAX_ROWS = 100_000;

function coloTierOf(env: WorkerEnv, settings: PortSettings, log: Log): ColoTier {
  return createColoTier({
    clock: systemClock,
    log,
    limitMs: settings.tierLimitMs,
    idOf: (bucket) => env.BUCKETS.idFromName(bucket).toString(),
  });
}

/** The directory, and buckets whose names it knows. */
function createObjectPorts(
  env: WorkerEnv,
  settings: PortSettings,
  parts: Pick<Ports, 'clock' | 'background' | 'log'> & {
    readonly colo: ColoTier;
    readonly feeds: BucketFeeds;
    readonly regionHere: () => LocationHint | null;
  },
): {
  ports: Pick<Ports, 'directory' | 'metadataIndex' | 'bucketChanges'>;
  relays: RelayPages;
} {
  const { clock, background, log, colo, feeds } = parts;
  const directory = createDoDirectory(env.DIRECTORY, {
    clock,
    background,
    hostFreshSeconds: settings.pointerFreshSeconds,
    limitMs: settings.tierLimitMs,
    withdrawn: createWithdrawnKeys({ kv: env.HOT, clock, log, limitMs: settings.tierLimitMs }),
  });
  const ask = (name: BucketName) => directory.call('getBucketName', { name });
  const names = createBucketNames({ clock, background, colo, ask });
  const freshSeconds = settings.pointerFreshSeconds;
  const relays = createRelayPages({
    call: createDoRelay(env.BUCKETS, names, parts.regionHere),
    clock,
    log,
    limitMs: settings.tierLimitMs,
  });
  const objects = createDoMetadataIndex(env.BUCKETS, names, clock, feeds, freshSeconds);
  const ports = {
    directory,
    metadataIndex: createShardRouter(objects, clock, null, TOGETHER_MAX_ROWS),
    bucketChanges: createDoBucketChanges(env.BUCKETS, names),
  };
  return { ports, relays };
}

/**
 * `entrypoint`: the loopback to BodySlices, null where there is none. `ownBackground`: what
 * goes on behind responses, by default in `waitUntil`. `regionHere`: where the isolate is,
 * as far as known.
 */
export function createWorkersPorts(
  env: WorkerEnv,
  settings: PortSettings,
  entrypoint: Pick<Fetcher, 'fetch'> | null,
  ownBackground: Background | null = null,
  regionHere: () => LocationHint | null = () => null,
): Ports {
  const clock = systemClock;
  const log = createConsoleLog(clock, settings.logLevel);
  const freshnessOf = createFreshness(settings);
  const pointers = createMemoryPointers({
    clock,
    maxEntries: settings.pointerMemoryMaxEntries,
    maxBytes: settings.pointerMemoryMaxBytes,
    negativeFreshSeconds: settings.negativeFreshSeconds,
    freshSeconds: settings.pointerFreshSeconds,
    staleSeconds: Math.max(settings.staleWhileRevalidateSeconds, settings.staleIfErrorSeconds),
    freshnessOf: (readPolicy) => freshnessOf(readPolicy?.settings.metadata ?? null),
  });
  const feeds = createBucketFeeds(clock);
  const bodies = createMemoryBodies({
    maxBytes: settings.bodyMemoryMaxBytes,
    maxSliceBytes: settings.bodyMemoryMaxBodyBytes,
  });
  const background = ownBackground ?? createWaitUntilBackground(log);
  const damage = createDamageCount(log);
  const images = createImagesBinding(env.IMAGES ?? null);
  const derived = createDerivedBodies({
    tier: 'edge',
    makesImages: env.IMAGES !== undefined,
    memoryMaxBytes: settings.derivedMemoryMaxBytes,
    store: createCacheApiDerived(log, settings.tierLimitMs),
    derive: (source, recipe) =>
      recipe.kind === 'coding' ? compressRecipe(source, recipe, 'brief') : images(source, recipe),
    clock,
    background,
    limits: DERIVE_LIMITS,
    sharesWork: false,
  });
  const colo = coloTierOf(env, settings, log);
  const parts = { clock, background, log, colo, feeds, regionHere };
  const { ports: objectPorts, relays } = createObjectPorts(env, settings, parts);
  return {
    blobStore: createDecompressingBlobStore(createR2BlobStore(env.BLOBS, undefined, damage.note)),
    ...objectPorts,
    ledger: createDoLedger(env.LEDGER),
    hotMetadata: createWorkersHotMetadata({
      kv: env.HOT,
      memory: pointers,
      feeds,
      colo,
      relays,
      clock,
      background,
      log,
      settings,
    }),
    hotShares: createWorkersHotShares({ feeds, colo, clock, background, settings }),
    edgeCache: createWorkersEdgeCache({
      memory: bodies,
      entrypoint,
      clock,
      background,
      log,
      limitMs: settings.tierLimitMs,
    }),
    derived,
    tiers: { metadata: ['memory', 'colo', 'kv'], body: ['memory', 'edge'] },
    clock,
    steadyClock: null,
    ids: createIds(clock),
    background,
    log,
    accessLog:
      settings.accessLog === 'off' ? null : { write: (line) => writeToConsole(line, false) },
    meter: createUsageMeter(clock),
    // Megabytes that the bundle of a Worker has no room for.
    documentFonts: null,
    consoleFiles: createConsoleAssets(env.CONSOLE ?? null),
    txtRecords: createHttpsTxtRecords(settings.dnsResolver.url ?? CLOUDFLARE_DNS_URL),
    webhookSender: createFetchSender(settings.webhooks.mayBePrivate),
    // This isolate's alone: there are many, and each counts from its own start.
    metrics: {
      collect: () => [
        ...cacheFamilies([...pointers.stats(), bodies.stats(), derived.stats()]),
        ...damage.families(),
      ],
    },
    usagePush: createStripeUsagePush(settings),
    // R2, KV and Durable Objects have no room that runs out, and asking them would
    // cost money for any stranger.
    readiness: { notReady: () => [] },
  };
}
