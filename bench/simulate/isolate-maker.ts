// The ports of one isolate after the other: the product's own code where it exists, the simulated
// Cloudflare below it. What all isolates share (index, bucket, KV, caches of places) is made once.

import {
  type BucketFeeds,
  createBucketFeeds,
} from '../../src/adapters/cloudflare/pointers/bucket-feeds.ts';
import { createColoTier } from '../../src/adapters/cloudflare/pointers/colo-tier.ts';
import { createFreshness } from '../../src/adapters/cloudflare/pointers/freshness.ts';
import { createRelayPages } from '../../src/adapters/cloudflare/pointers/relay-pages.ts';
import { createWorkersHotMetadata } from '../../src/adapters/cloudflare/pointers/workers-hot-metadata.ts';
import { createMemoryConsoleFiles } from '../../src/adapters/memory/memory-console-files.ts';
import { createMemoryDerived } from '../../src/adapters/memory/memory-derived.ts';
import { createMemoryBodies } from '../../src/adapters/shared/memory-bodies.ts';
import { createMemoryPointers } from '../../src/adapters/shared/memory-pointers.ts';
import { createMemoryShares } from '../../src/adapters/shared/memory-shares.ts';
import { createTrackedBackground } from '../../src/adapters/shared/tracked-background.ts';
import { createUsageMeter } from '../../src/adapters/shared/usage-meter.ts';
import { parseConfig } from '../../src/config.ts';
import type { Cap } from '../../src/domain/billing/caps.ts';
import { StorageError } from '../../src/domain/errors.ts';
import type { BucketName } from '../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../src/domain/root-account.ts';
import type { HotMetadata } from '../../src/ports/caches/hot-metadata.ts';
import type { Ports } from '../../src/ports/index.ts';
import type { Meter, UsageCounter } from '../../src/ports/metering.ts';
import type { Background, Clock, Log } from '../../src/ports/system.ts';
import type { World } from './design.ts';
import { createPlaceCache } from './platform/place-cache.ts';
import { createSimulatedBucket, createZeros } from './platform/simulated-bucket.ts';
import { createSimulatedCacheApi } from './platform/simulated-cache-api.ts';
import { createSimulatedEdgeCache } from './platform/simulated-edge-cache.ts';
import { createSimulatedIds } from './platform/simulated-ids.ts';
import { createSimulatedIndex, type SimulatedIndex } from './platform/simulated-index.ts';
import { createSimulatedKv } from './platform/simulated-kv.ts';
import { createSimulatedLedger } from './platform/simulated-ledger.ts';
import { createObjectLoad } from './platform/simulated-object.ts';
import { CPU_MS, type Usage } from './prices.ts';
import type { QuaysideVariant } from './quayside-design.ts';
import { seedBucket } from './seeded-bucket.ts';

/** What every isolate is configured with: the defaults of the Cloudflare platform. */
export const CONFIG = parseConfig({}, 'cloudflare');

/** A cap that nothing here comes near: 1 TB a month. */
const CAP: Cap = {
  id: 'simulated',
  scope: { kind: 'account' },
  unit: 'bytes',
  limit: 10n ** 12n,
  period: 'month',
  alertPercents: [],
  cachedFromPercent: null,
  cardId: null,
  card: null,
  liftedUntilMs: null,
};

/**
 * A failure inside a run would make its numbers worthless; what is expected is counted elsewhere.
 */
const LOG: Log = {
  info: () => undefined,
  error(event, fields) {
    throw new Error(`Unexpected in a simulation: ${event}`, { cause: fields?.cause });
  },
};

export type IsolateMaker = {
  /** Makes the bucket of the object with all that is in it, unless it is there. */
  ensure(object: number): void;
  /** Calls of indexes, and of the ledger, in the second that had most of them. */
  busiestSecond(): number;
  busiestLedgerSecond(): number;
  close(): void;
  /** The ports of a new isolate in that place; its memory is empty. */
  createPorts(place: number): Ports;
};

/** Where the objects of the catalogue are. */
export type ObjectNames = {
  readonly bucketOf: (object: number) => BucketName;
  readonly nameOf: (object: number) => string;
};

export function createIsolateMaker(
  world: World,
  variant: QuaysideVariant,
  names: ObjectNames,
): IsolateMaker {
  const { timeline, usage, truth } = world;
  const zeros = createZeros();
  const ids = createSimulatedIds();
  const blobStore = createSimulatedBucket({ timeline, usage, zeros });
  const kv = createSimulatedKv({
    timeline,
    usage,
    propagationMaxMs: variant.kvDelayMaxSeconds * 1000,
  });
  const ledger = createSimulatedLedger(timeline, usage);
  if (world.isCapped) ledger.api.putCap({ accountId: ROOT_ACCOUNT.id, cap: CAP, known: null });
  const load = createObjectLoad(timeline);
  const pointers = createSimulatedCacheApi(timeline, usage);
  const buckets = new Map<BucketName, SimulatedIndex>();
  const inlineMaxBytes = CONFIG.inlineBodyMaxBytes;

  function* objectsOf(bucket: BucketName): Generator<number> {
    for (const object of world.catalogue.keys())
      if (names.bucketOf(object) === bucket) yield object;
  }

  function createBucket(bucket: BucketName): SimulatedIndex {
    const index = createSimulatedIndex({
      timeline,
      usage,
      load,
      log: LOG,
      bucket,
      kv: kv.writer,
      limits: variant.limits,
      onCommit: (key, etag) => truth.commit(`${bucket}/${key}`, etag, timeline.nowMs()),
    });
    const { api } = index;
    const { nameOf } = names;
    const { isCapped } = world;
    const { metadata } = variant;
    const parts = {
      world,
      api,
      blobStore,
      ids,
      zeros,
      bucket,
      nameOf,
      inlineMaxBytes,
      isCapped,
      metadata,
      objects: objectsOf(bucket),
    };
    seedBucket(parts);
    return index;
  }

  function bucketNamed(name: BucketName): SimulatedIndex {
    const bucket = buckets.get(name) ?? createBucket(name);
    buckets.set(name, bucket);
    return bucket;
  }

  const { negativeFreshSeconds, staleIfErrorSeconds } = CONFIG;
  const { pointerFreshSeconds, staleWhileRevalidateSeconds } = variant;

  /**
   * The product's own, as an isolate in that place has it. Nothing hangs here, so nothing is timed.
   */
  function createHotMetadata(
    place: number,
    feeds: BucketFeeds,
    background: Background,
  ): HotMetadata {
    const settings = {
      pointerFreshSeconds,
      staleWhileRevalidateSeconds,
      staleIfErrorSeconds,
      negativeFreshSeconds,
      tierLimitMs: Number.POSITIVE_INFINITY,
    };
    const freshnessOf = createFreshness(settings);
    const memory = createMemoryPointers({
      clock: timeline.clock,
      maxEntries: CONFIG.pointerMemoryMaxEntries,
      maxBytes: CONFIG.pointerMemoryMaxBytes,
      negativeFreshSeconds,
      freshSeconds: pointerFreshSeconds,
      staleSeconds: staleIfErrorSeconds,
      freshnessOf: (readPolicy) => freshnessOf(readPolicy?.settings.metadata ?? null),
    });
    const { clock } = timeline;
    const own = {
      kv: kv.at(place) as KVNamespace,
      memory,
      feeds,
      colo: createColoTier({
        clock,
        log: LOG,
        limitMs: Number.POSITIVE_INFINITY,
        idOf: (bucket) => bucket,
        open: pointers(place),
      }),
      ...(variant.hasRelays && {
        relays: createRelayPages({
          call: (bucket, wanted) => bucketNamed(bucket).relay(place, wanted),
          clock,
          log: LOG,
          limitMs: Number.POSITIVE_INFINITY,
        }),
      }),
      clock,
      background,
      log: LOG,
    };
    return counted(createWorkersHotMetadata({ ...own, settings }), usage);
  }

  const caches = variant.bodies.map((name) => {
    const isEntrypoint = name === 'workers-cache';
    const upperBytes = isEntrypoint ? world.upperBytes : null;
    return {
      isEntrypoint,
      cache: createPlaceCache({ ...world, places: world.trace.places, upperBytes }),
    };
  });
  const { maxSlicesPerRead, keepsRuns } = variant;

  return {
    ensure: (object) => void bucketNamed(names.bucketOf(object)),
    busiestSecond: load.busiest,
    busiestLedgerSecond: ledger.busiestSecond,
    close() {
      for (const index of buckets.values()) index.close();
      ledger.close();
    },
    createPorts(place) {
      const feeds = createBucketFeeds(timeline.clock);
      const background = createTrackedBackground(LOG);
      const memory = createMemoryBodies({
        maxBytes: variant.hasBodyMemory ? CONFIG.bodyMemoryMaxBytes : 0,
        maxSliceBytes: CONFIG.bodyMemoryMaxBodyBytes,
      });
      return {
        blobStore,
        metadataIndex: {
          call: (bucket, name, input) =>
            bucketNamed(bucket).call(place, feeds)(bucket, name, input),
        },
        bucketChanges: { wait: () => Promise.reject(new StorageError('NotImplemented')) },
        directory: {
          call: () => Promise.reject(new StorageError('NotImplemented')),
          findHost: () => null,
          findLink: () => null,
          peekLink: () => null,
          peekHost: () => null,
        },
        ledger: ledger.at(place),
        hotMetadata: createHotMetadata(place, feeds, background),
        hotShares: createMemoryShares(timeline.clock),
        derived: createMemoryDerived(timeline.clock),
        edgeCache: createSimulatedEdgeCache({
          timeline,
          usage,
          memory,
          caches,
          place,
          zeros,
          maxSlicesPerRead,
          blobStore,
          keepsRuns,
        }),
        tiers: { metadata: ['memory', 'colo', 'kv'], body: ['memory', 'edge'] },
        clock: timeline.clock,
        steadyClock: null,
        ids,
        background,
        log: LOG,
        accessLog: null,
        txtRecords: { read: () => Promise.reject(new StorageError('NotImplemented')) },
        meter: createTierMeter(timeline.clock, usage),
        metrics: { collect: () => [] },
        readiness: { notReady: () => [] },
        usagePush: null,
        documentFonts: null,
        consoleFiles: createMemoryConsoleFiles(null),
        webhookSender: { post: () => Promise.reject(new Error('Nothing is sent here.')) },
      };
    },
  };
}

/** The real meter, and a count of answers by the tier of their body. */
function createTierMeter(clock: Clock, usage: Usage): Meter {
  const meter = createUsageMeter(clock);
  const watched = new WeakSet<UsageCounter>();

  function watch(counter: UsageCounter): UsageCounter {
    if (watched.has(counter)) return counter;
    watched.add(counter);
    const count = counter.count.bind(counter);
    counter.count = (operationClass, bytesOut, tier, storageClass) => {
      if (tier === 'memory') usage.fromMemory += 1;
      else if (tier === 'edge') usage.fromEdge += 1;
      else if (tier === 'bucket') usage.fromBucket += 1;
      count(operationClass, bytesOut, tier, storageClass);
    };
    return counter;
  }

  return {
    ...meter,
    of: (owner) => watch(meter.of(owner)),
    ofReadPolicy: (readPolicy) => watch(meter.ofReadPolicy(readPolicy)),
  };
}

/** Wraps hot metadata so that KV's answers and the cost of each call are counted. */
function counted(hot: HotMetadata, usage: Usage): HotMetadata {
  return {
    ...hot,
    find(bucket, key, load) {
      const found = hot.find(bucket, key, load);
      if (!(found instanceof Promise)) {
        usage.memoryAnswers += 1;
        return found;
      }
      return found.then((late) => {
        if (late.tier === 'kv') {
          usage.workerCpuMs += CPU_MS.call;
          usage.kvAnswers += 1;
        } else if (late.tier === 'colo') usage.placeAnswers += 1;
        return late;
      });
    },
  };
}
