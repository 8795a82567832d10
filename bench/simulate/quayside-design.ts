// Our design: the product's own delivery, memory tiers, KV reader, publisher, index and write path, one set of ports for
// each isolate, with the simulated Cloudflare below them. Variants differ in which tiers stand where.
import { createKvHotMetadata } from '../../src/adapters/cloudflare/kv-hot-metadata.ts';
import { createMemoryBodies } from '../../src/adapters/shared/memory-bodies.ts';
import { createMemoryHotMetadata } from '../../src/adapters/shared/memory-hot-metadata.ts';
import { createTrackedBackground } from '../../src/adapters/shared/tracked-background.ts';
import { parseConfig } from '../../src/config.ts';
import { openBucket } from '../../src/core/buckets/bucket-handle.ts';
import type { Core } from '../../src/core/core.ts';
import { parseBucketName, parseObjectKey } from '../../src/core/names.ts';
import { putObject } from '../../src/core/objects/put-object.ts';
import { createDelivery, type Deliver } from '../../src/http/delivery/deliver.ts';
import type { HttpRequest } from '../../src/http/request.ts';
import { StorageError } from '../../src/ports/errors.ts';
import type { HotMetadata } from '../../src/ports/hot-metadata.ts';
import type { Ports } from '../../src/ports/index.ts';
import type { Log, Meter } from '../../src/ports/system.ts';
import { type ByteLru, createByteLru } from './byte-lru.ts';
import type { Design, MakeDesign, World } from './design.ts';
import { createEdgeHotMetadata, type PlacePointer } from './edge-hot-metadata.ts';
import { drain, etagOf } from './light-response.ts';
import { createPlaceCache } from './place-cache.ts';
import { CPU_MS, type Usage } from './prices.ts';
import { drawGapMs } from './random.ts';
import { createSeededBucket } from './seeded-bucket.ts';
import { createSimulatedBucket, createZeros } from './simulated-bucket.ts';
import { createSimulatedEdgeCache } from './simulated-edge-cache.ts';
import { createSimulatedIds } from './simulated-ids.ts';
import { createSimulatedIndex } from './simulated-index.ts';
import { createSimulatedKv } from './simulated-kv.ts';

export type QuaysideVariant = {
  readonly pointerFreshSeconds: number;
  /** Who is asked for a pointer after the isolate's memory, in this order; then the index. */
  readonly metadata: 'kv' | 'place+kv' | 'place' | 'none';
  /** Longest delay until a place can see a write to KV; its documentation says 60 s "or more". */
  readonly kvDelayMaxSeconds: number;
  /** Whether the publisher writes what KV holds already before what it lacks: not what it does today. */
  readonly isOverwritesFirst: boolean;
  /** What caches bodies in a place: the Cache API, Workers Cache through an inner entrypoint, or one after the other. */
  readonly bodies: readonly ('cache-api' | 'workers-cache')[];
  /** A longer read passes by the tiers; slices are of 1 MiB. */
  readonly maxSlicesPerRead: number;
  readonly hasBodyMemory: boolean;
};

/** Workers as they are built today. `maxSlicesPerRead`: src/adapters/cloudflare/workers-edge-cache.ts. */
export const TODAY: QuaysideVariant = {
  pointerFreshSeconds: parseConfig({}, 'cloudflare').pointerFreshSeconds,
  metadata: 'kv',
  kvDelayMaxSeconds: 60,
  isOverwritesFirst: false,
  bodies: ['cache-api'],
  maxSlicesPerRead: 8,
  hasBodyMemory: true,
};

const BUCKET = parseBucketName('simulated');
const CONFIG = parseConfig({}, 'cloudflare');
const nameOf = (object: number) => (object < 0 ? `missing/${-object}` : `assets/${object}`);

/** A failure inside a run would make its numbers worthless; what is expected is counted elsewhere. */
const LOG: Log = {
  info: () => undefined,
  error(event, fields) {
    throw new Error(`Unexpected in a simulation: ${event}`, { cause: fields?.cause });
  },
};

type Isolate = { readonly core: Core; readonly deliver: Deliver; readonly endMs: number };

export function createQuayside(variant: QuaysideVariant): MakeDesign {
  return (world) => {
    const { timeline, usage, random } = world;
    const makeIsolate = createIsolateMaker(world, variant);
    const slots = new Map<number, Isolate>();

    function isolateOf(place: number): Isolate {
      const slot = place * world.isolates + Math.floor(random() * world.isolates);
      const known = slots.get(slot);
      if (known !== undefined && known.endMs > timeline.nowMs()) return known;
      const endMs = timeline.nowMs() + drawGapMs(1 / world.isolateLifeSeconds, random);
      const isolate = { ...makeIsolate.in(place), endMs };
      slots.set(slot, isolate);
      return isolate;
    }

    const design: Design = {
      read(place, object) {
        usage.workerRequests += 1;
        usage.workerCpuMs += CPU_MS.invocation;
        try {
          const answer = isolateOf(place).deliver(REQUEST, BUCKET, nameOf(object), 'simulated');
          return answer instanceof Promise ? answer.then(toEtag, toMissing) : toEtag(answer);
        } catch (error) {
          return toMissing(error);
        }
      },
      async write(place, object) {
        usage.workerRequests += 1;
        usage.workerCpuMs += CPU_MS.invocation;
        const { core } = isolateOf(place);
        await overwrite(core, object, world.catalogue[object] ?? 0);
      },
      busiestSecond: makeIsolate.index.busiestSecond,
      close: makeIsolate.index.close,
    };
    return design;
  };
}

const REQUEST: HttpRequest = {
  method: 'GET',
  rawPath: '/',
  rawQuery: '',
  host: 'simulated.invalid',
  isSecure: true,
  remoteAddress: null,
  header: () => null,
  headerNames: () => [],
  body: () => ({ lengthBytes: 0, pump: async () => undefined }),
};

/** The etag, once the headers are there; the client reads the body behind it. */
function toEtag(response: Response): string {
  void drain(response);
  return etagOf(response).replaceAll('"', '');
}

function toMissing(error: unknown): null {
  if (error instanceof StorageError && error.code === 'NoSuchKey') return null;
  throw error;
}

let lastStamp = 0;

/** The product's own write path. The first bytes of the body are a number, so that no two digests are equal. */
async function overwrite(core: Core, object: number, sizeBytes: number): Promise<void> {
  const bytes = new Uint8Array(sizeBytes);
  new DataView(bytes.buffer).setFloat64(0, ++lastStamp);
  const bucket = await openBucket(core, BUCKET, () => undefined);
  await putObject(core, bucket, {
    key: parseObjectKey(nameOf(object)),
    attributes: { headers: {}, userMetadata: {}, storageClass: 'STANDARD' },
    body: { lengthBytes: sizeBytes, pump: async (onChunk) => void (await onChunk(bytes)) },
    expectation: { contentMd5Hex: null, checksum: null },
    condition: null,
  });
}

/** Everything that all isolates share, and a maker of their ports. */
function createIsolateMaker(world: World, variant: QuaysideVariant) {
  const { timeline, usage, truth } = world;
  const zeros = createZeros();
  const ids = createSimulatedIds();
  const blobStore = createSimulatedBucket({ timeline, usage, zeros });
  const kv = createSimulatedKv({ timeline, usage, propagationMaxMs: variant.kvDelayMaxSeconds * 1000 });
  const hasKv = variant.metadata === 'kv' || variant.metadata === 'place+kv';
  const index = createSimulatedIndex({
    timeline,
    usage,
    log: LOG,
    bucket: BUCKET,
    kv: hasKv ? kv.writer : null,
    isOverwritesFirst: variant.isOverwritesFirst,
    onCommit: (key, etag) => truth.commit(key, etag, timeline.nowMs()),
  });
  createSeededBucket({
    world,
    api: index.api,
    blobStore,
    ids,
    zeros,
    name: BUCKET,
    nameOf,
    inlineMaxBytes: CONFIG.inlineBodyMaxBytes,
  });
  const caches = variant.bodies.map((name) => {
    const isEntrypoint = name === 'workers-cache';
    const upperBytes = isEntrypoint ? world.upperBytes : null;
    return { isEntrypoint, cache: createPlaceCache({ ...world, places: world.trace.places, upperBytes }) };
  });
  const pointers = new Map<number, ByteLru<PlacePointer>>();

  function createHotMetadata(place: number): HotMetadata {
    const memory = createMemoryHotMetadata({
      clock: timeline.clock,
      maxEntries: CONFIG.pointerMemoryMaxEntries,
      maxBytes: CONFIG.pointerMemoryMaxBytes,
      negativeFreshSeconds: CONFIG.negativeFreshSeconds,
      maxAgeSeconds: variant.pointerFreshSeconds,
    });
    const overKv = hasKv ? counted(createKvHotMetadata(kv.at(place) as KVNamespace, memory, LOG), usage) : null;
    if (variant.metadata === 'none') return memory;
    if (variant.metadata === 'kv' && overKv !== null) return overKv;
    const ofPlace = pointers.get(place) ?? createByteLru<PlacePointer>(world.placeBytes / 8);
    pointers.set(place, ofPlace);
    return createEdgeHotMetadata({
      timeline,
      usage,
      memory,
      below: overKv,
      cache: ofPlace,
      freshSeconds: variant.pointerFreshSeconds,
      negativeFreshSeconds: CONFIG.negativeFreshSeconds,
    });
  }

  function createPorts(place: number): Ports {
    const memory = createMemoryBodies({
      maxBytes: variant.hasBodyMemory ? CONFIG.bodyMemoryMaxBytes : 0,
      maxSliceBytes: CONFIG.bodyMemoryMaxBodyBytes,
    });
    const { maxSlicesPerRead } = variant;
    return {
      blobStore,
      metadataIndex: index.at(place),
      directory: { call: () => Promise.reject(new StorageError('NotImplemented')) },
      hotMetadata: createHotMetadata(place),
      edgeCache: createSimulatedEdgeCache({ timeline, usage, memory, caches, place, zeros, maxSlicesPerRead }),
      tiers: { metadata: ['memory', 'kv'], body: ['memory', 'edge'] },
      clock: timeline.clock,
      ids,
      background: createTrackedBackground(LOG),
      log: LOG,
      meter: createTierMeter(usage),
    };
  }

  return {
    index,
    in(place: number): Pick<Isolate, 'core' | 'deliver'> {
      const core: Core = { ports: createPorts(place), settings: CONFIG };
      return { core, deliver: createDelivery(core, CONFIG).deliver };
    },
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
