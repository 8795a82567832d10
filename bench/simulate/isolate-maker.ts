// The ports of one isolate after the other: the product's own code where it exists, the simulated
// Cloudflare below it. What all isolates share (index, bucket, KV, caches of places) is made once.

import { createKvHotMetadata } from '../../src/adapters/cloudflare/kv/kv-hot-metadata.ts';
import {
  createKvRecordTtls,
  type KvRecordTtls,
} from '../../src/adapters/cloudflare/kv/kv-record-ttls.ts';
import { createMemoryConsoleFiles } from '../../src/adapters/memory/memory-console-files.ts';
import { createMemoryDerived } from '../../src/adapters/memory/memory-derived.ts';
import { createMemoryBodies } from '../../src/adapters/shared/memory-bodies.ts';
import { createMemoryPointers } from '../../src/adapters/shared/memory-pointers.ts';
import { createTrackedBackground } from '../../src/adapters/shared/tracked-background.ts';
import { parseConfig } from '../../src/config.ts';
import { StorageError } from '../../src/domain/errors.ts';
import type { AccountId, BucketName } from '../../src/domain/nouns.ts';
import type { HotMetadata } from '../../src/ports/hot-metadata.ts';
import type { Ports } from '../../src/ports/index.ts';
import type { Meter, UsageCounter } from '../../src/ports/metering.ts';
import type { Background, Log } from '../../src/ports/system.ts';
import type { World } from './design.ts';
import { createPlaceCache } from './place-cache.ts';
import { CPU_MS, type Usage } from './prices.ts';
import type { QuaysideVariant } from './quayside-design.ts';
import { createSeededBucket } from './seeded-bucket.ts';
import { createSimulatedBucket, createZeros } from './simulated-bucket.ts';
import { createSimulatedEdgeCache } from './simulated-edge-cache.ts';
import { createSimulatedIds } from './simulated-ids.ts';
import { createSimulatedIndex, type SimulatedIndex } from './simulated-index.ts';
import { createSimulatedKv } from './simulated-kv.ts';

/** What every isolate is configured with: the defaults of the Cloudflare home. */
export const CONFIG = parseConfig({}, 'cloudflare');

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
  readonly index: SimulatedIndex;
  /** The ports of a new isolate in that place; its memory is empty. */
  createPorts(place: number): Ports;
};

export function createIsolateMaker(
  world: World,
  variant: QuaysideVariant,
  names: { readonly bucket: BucketName; readonly nameOf: (object: number) => string },
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
  const index = createSimulatedIndex({
    timeline,
    usage,
    log: LOG,
    bucket: names.bucket,
    kv: kv.writer,
    rates: variant.rates,
    onCommit: (key, etag) => truth.commit(key, etag, timeline.nowMs()),
  });
  const inlineMaxBytes = CONFIG.inlineBodyMaxBytes;
  createSeededBucket({ ...names, world, api: index.api, blobStore, ids, zeros, inlineMaxBytes });
  const { negativeFreshSeconds, staleIfErrorSeconds } = CONFIG;
  const { pointerFreshSeconds, staleWhileRevalidateSeconds } = variant;

  /**
   * The product's own, as an isolate in that place has it. Nothing hangs here, so nothing is timed.
   */
  function createHotMetadata(
    place: number,
    ttls: KvRecordTtls,
    background: Background,
  ): HotMetadata {
    const memory = createMemoryPointers({
      clock: timeline.clock,
      maxEntries: CONFIG.pointerMemoryMaxEntries,
      maxBytes: CONFIG.pointerMemoryMaxBytes,
      negativeFreshSeconds,
      freshSeconds: pointerFreshSeconds,
      staleSeconds: staleIfErrorSeconds,
    });
    const settings = {
      pointerFreshSeconds,
      staleWhileRevalidateSeconds,
      staleIfErrorSeconds,
      negativeFreshSeconds,
      tierLimitMs: Number.POSITIVE_INFINITY,
    };
    const { random } = world;
    const own = {
      kv: kv.at(place) as KVNamespace,
      memory,
      ttls,
      clock: timeline.clock,
      background,
      log: LOG,
    };
    return counted(createKvHotMetadata({ ...own, settings, random }), usage);
  }

  const caches = variant.bodies.map((name) => {
    const isEntrypoint = name === 'workers-cache';
    const upperBytes = isEntrypoint ? world.upperBytes : null;
    return {
      isEntrypoint,
      cache: createPlaceCache({ ...world, places: world.trace.places, upperBytes }),
    };
  });
  const { maxSlicesPerRead } = variant;

  return {
    index,
    createPorts(place) {
      const ttls = createKvRecordTtls(timeline.clock);
      const background = createTrackedBackground(LOG);
      const memory = createMemoryBodies({
        maxBytes: variant.hasBodyMemory ? CONFIG.bodyMemoryMaxBytes : 0,
        maxSliceBytes: CONFIG.bodyMemoryMaxBodyBytes,
      });
      return {
        blobStore,
        metadataIndex: index.at(place, ttls),
        bucketChanges: { wait: () => Promise.reject(new StorageError('NotImplemented')) },
        directory: {
          call: () => Promise.reject(new StorageError('NotImplemented')),
          findHost: () => null,
          peekHost: () => null,
        },
        ledger: { call: () => Promise.reject(new StorageError('NotImplemented')) },
        hotMetadata: createHotMetadata(place, ttls, background),
        derived: createMemoryDerived(timeline.clock),
        edgeCache: createSimulatedEdgeCache({
          timeline,
          usage,
          memory,
          caches,
          place,
          zeros,
          maxSlicesPerRead,
        }),
        tiers: { metadata: ['memory', 'kv'], body: ['memory', 'edge'] },
        clock: timeline.clock,
        steadyClock: null,
        ids,
        background,
        log: LOG,
        accessLog: null,
        txtRecords: { read: () => Promise.reject(new StorageError('NotImplemented')) },
        meter: createTierMeter(usage),
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

/** Counts answers by the tier of their body. */
function createTierMeter(usage: Usage): Meter {
  const counter: UsageCounter = {
    owner: { accountId: 'simulated' as AccountId, bucketId: null, accessKeyId: null },
    allowances: null,
    count(_class, _bytesOut, tier) {
      if (tier === 'memory') usage.fromMemory += 1;
      else if (tier === 'edge') usage.fromEdge += 1;
      else if (tier === 'bucket') usage.fromBucket += 1;
    },
    note: () => undefined,
    countOpen(operationClass, bytesOut, tier, storageClass) {
      counter.count(operationClass, bytesOut, tier, storageClass);
      return { sent: () => true, end: () => undefined };
    },
    countApart: () => {
      throw new Error('Nothing here has a receipt.');
    },
    alsoRead: () => undefined,
    block: () => undefined,
  };
  return {
    of: () => counter,
    ofReadPolicy: () => counter,
    drain: () => [],
    releaseIdleReservations: () => undefined,
    forgetAllowances: () => undefined,
    forgotten: () => 0,
    hasUses: () => false,
    whenUsed: () => undefined,
    totals: () => ({
      operations: { A: 0, B: 0, free: 0 },
      bytesOut: { memory: 0, edge: 0, bucket: 0, none: 0 },
    }),
  };
}

/** Wraps hot metadata so that KV's answers and the cost of each call are counted. */
function counted(hot: HotMetadata, usage: Usage): HotMetadata {
  return {
    ...hot,
    find(bucket, key, load) {
      const found = hot.find(bucket, key, load);
      if (!(found instanceof Promise)) return found;
      return found.then((late) => {
        if (late.tier !== 'kv') return late;
        usage.workerCpuMs += CPU_MS.call;
        usage.kvAnswers += 1;
        return late;
      });
    },
  };
}
