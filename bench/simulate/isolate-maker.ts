// The ports of one isolate after the other: the product's own code where it exists, the simulated Cloudflare below it.
// What all isolates share (index, bucket, KV, caches of places) is made once.
import { createKvHotMetadata } from '../../src/adapters/cloudflare/kv-hot-metadata.ts';
import { createMemoryBodies } from '../../src/adapters/shared/memory-bodies.ts';
import { createMemoryHotMetadata } from '../../src/adapters/shared/memory-hot-metadata.ts';
import { createTrackedBackground } from '../../src/adapters/shared/tracked-background.ts';
import { parseConfig } from '../../src/config.ts';
import type { BucketName } from '../../src/ports/domain.ts';
import { StorageError } from '../../src/ports/errors.ts';
import type { HotMetadata } from '../../src/ports/hot-metadata.ts';
import type { Ports } from '../../src/ports/index.ts';
import type { Log, Meter } from '../../src/ports/system.ts';
import { type ByteLru, createByteLru } from './byte-lru.ts';
import type { World } from './design.ts';
import { createEdgeHotMetadata, type PlacePointer } from './edge-hot-metadata.ts';
import { createPlaceCache } from './place-cache.ts';
import { CPU_MS, type Usage } from './prices.ts';
import type { QuaysideVariant } from './quayside-design.ts';
import { createSeededBucket } from './seeded-bucket.ts';
import { createSimulatedBucket, createZeros } from './simulated-bucket.ts';
import { createSimulatedEdgeCache } from './simulated-edge-cache.ts';
import { createSimulatedIds } from './simulated-ids.ts';
import { createSimulatedIndex, type SimulatedIndex } from './simulated-index.ts';
import { createSimulatedKv, type SimulatedKv } from './simulated-kv.ts';

/** What every isolate is configured with: the defaults of the Cloudflare home. */
export const CONFIG = parseConfig({}, 'cloudflare');

/** Share of a place's bytes that pointers may take, where the place keeps any. */
const POINTERS_SHARE = 1 / 8;

/** A failure inside a run would make its numbers worthless; what is expected is counted elsewhere. */
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
  const kv = createSimulatedKv({ timeline, usage, propagationMaxMs: variant.kvDelayMaxSeconds * 1000 });
  const index = createSimulatedIndex({
    timeline,
    usage,
    log: LOG,
    bucket: names.bucket,
    kv: hasKv(variant) ? kv.writer : null,
    onCommit: (key, etag) => truth.commit(key, etag, timeline.nowMs()),
  });
  const inlineMaxBytes = CONFIG.inlineBodyMaxBytes;
  createSeededBucket({ ...names, world, api: index.api, blobStore, ids, zeros, inlineMaxBytes });
  const caches = variant.bodies.map((name) => {
    const isEntrypoint = name === 'workers-cache';
    const upperBytes = isEntrypoint ? world.upperBytes : null;
    return { isEntrypoint, cache: createPlaceCache({ ...world, places: world.trace.places, upperBytes }) };
  });
  const createHotMetadata = createHotMetadataMaker(world, variant, kv);
  const { maxSlicesPerRead } = variant;

  return {
    index,
    createPorts(place) {
      const memory = createMemoryBodies({
        maxBytes: variant.hasBodyMemory ? CONFIG.bodyMemoryMaxBytes : 0,
        maxSliceBytes: CONFIG.bodyMemoryMaxBodyBytes,
      });
      return {
        blobStore,
        metadataIndex: index.at(place),
        directory: { call: () => Promise.reject(new StorageError('NotImplemented')), findHost: () => null },
        hotMetadata: createHotMetadata(place),
        edgeCache: createSimulatedEdgeCache({ timeline, usage, memory, caches, place, zeros, maxSlicesPerRead }),
        tiers: { metadata: ['memory', 'kv'], body: ['memory', 'edge'] },
        clock: timeline.clock,
        ids,
        background: createTrackedBackground(LOG),
        log: LOG,
        meter: createTierMeter(usage),
        metrics: { collect: () => [] },
      };
    },
  };
}

function hasKv({ metadata }: QuaysideVariant): boolean {
  return metadata === 'kv' || metadata === 'place+kv';
}

/** Makes the pointer tiers of an isolate, in the order that the variant wants. */
function createHotMetadataMaker(world: World, variant: QuaysideVariant, kv: SimulatedKv) {
  const { timeline, usage } = world;
  const pointers = new Map<number, ByteLru<PlacePointer>>();
  const freshSeconds = variant.pointerFreshSeconds;
  const { negativeFreshSeconds } = CONFIG;

  return (place: number): HotMetadata => {
    const memory = createMemoryHotMetadata({
      clock: timeline.clock,
      maxEntries: CONFIG.pointerMemoryMaxEntries,
      maxBytes: CONFIG.pointerMemoryMaxBytes,
      negativeFreshSeconds,
      maxAgeSeconds: freshSeconds,
    });
    const overKv = hasKv(variant)
      ? counted(createKvHotMetadata(kv.at(place) as KVNamespace, memory, LOG), usage)
      : null;
    if (variant.metadata === 'none') return memory;
    if (variant.metadata === 'kv' && overKv !== null) return overKv;
    const cache = pointers.get(place) ?? createByteLru<PlacePointer>(world.placeBytes * POINTERS_SHARE);
    pointers.set(place, cache);
    return createEdgeHotMetadata({ timeline, usage, memory, below: overKv, cache, freshSeconds, negativeFreshSeconds });
  };
}

/** Counts answers by the tier of their body. */
function createTierMeter(usage: Usage): Meter {
  return {
    count({ tier }) {
      if (tier === 'memory') usage.fromMemory += 1;
      else if (tier === 'edge') usage.fromEdge += 1;
      else if (tier === 'bucket') usage.fromBucket += 1;
    },
    totals: () => ({ operations: { A: 0, B: 0, free: 0 }, bytesOut: { memory: 0, edge: 0, bucket: 0, none: 0 } }),
  };
}

/** The same, counting what KV answered and what the call cost. */
function counted(hot: HotMetadata, usage: Usage): HotMetadata {
  return {
    ...hot,
    get(bucket, key) {
      const found = hot.get(bucket, key);
      if (!(found instanceof Promise)) return found;
      usage.workerCpuMs += CPU_MS.call;
      return found.then((lookup) => {
        if (lookup.gate !== null && lookup.pointer !== null) usage.kvAnswers += 1;
        return lookup;
      });
    },
  };
}
