// Our design: the product's own delivery, memory tiers, KV reader, publisher, index and write path,
// one set of ports for each isolate, with the simulated Cloudflare below them. Variants differ in
// which tiers stand where.

import type { OffloadLimits } from '../../src/adapters/cloudflare/durable-objects/call-rates.ts';
import { OFFLOAD_RATES } from '../../src/adapters/cloudflare/durable-objects/hot-publisher.ts';
import { createDecide } from '../../src/core/auth/decide.ts';
import { openBucket } from '../../src/core/buckets/bucket-handle.ts';
import type { Core, CoreSettings } from '../../src/core/core.ts';
import { putObject } from '../../src/core/objects/put-object.ts';
import { parseBucketName, parseObjectKey } from '../../src/core/parse-names.ts';
import { StorageError } from '../../src/domain/errors.ts';
import { createDelivery } from '../../src/http/delivery/create-delivery.ts';
import type { Deliver } from '../../src/http/delivery/deliver.ts';
import { FailureWithHeaders } from '../../src/http/failure-with-headers.ts';
import { newRequestNotes } from '../../src/http/observe/request-notes.ts';
import type { HttpRequest } from '../../src/http/request.ts';
import type { Design, MakeDesign } from './design.ts';
import { CONFIG, createIsolateMaker } from './isolate-maker.ts';
import { drain, etagOf } from './light-response.ts';
import { CPU_MS } from './prices.ts';
import { drawGapMs } from './random.ts';

export type QuaysideVariant = {
  readonly pointerFreshSeconds: number;
  readonly staleWhileRevalidateSeconds: number;
  /** When the index object publishes to KV. */
  readonly rates: OffloadLimits;
  /** Longest delay until a place can see a write to KV; its documentation says 60 s "or more". */
  readonly kvDelayMaxSeconds: number;
  /**
   * What caches bodies in a place: the Cache API, Workers Cache through an inner entrypoint, or one
   * after the other.
   */
  readonly bodies: readonly ('cache-api' | 'workers-cache')[];
  /** A longer read passes by the tiers; slices are of 1 MiB. */
  readonly maxSlicesPerRead: number;
  readonly hasBodyMemory: boolean;
};

/**
 * Workers as they are built today. `maxSlicesPerRead`:
 * src/adapters/cloudflare/bodies/workers-edge-cache.ts.
 */
export const TODAY: QuaysideVariant = {
  pointerFreshSeconds: CONFIG.pointerFreshSeconds,
  staleWhileRevalidateSeconds: CONFIG.staleWhileRevalidateSeconds,
  rates: OFFLOAD_RATES,
  kvDelayMaxSeconds: 60,
  bodies: ['workers-cache'],
  maxSlicesPerRead: 8,
  hasBodyMemory: true,
};

/** The valve that never opens, and the one that always is. */
export const NO_VALVE: OffloadLimits = {
  bucketPerSecond: Number.POSITIVE_INFINITY,
  keyPerSecond: 1,
  windowMs: 5000,
};
export const OPEN_VALVE: OffloadLimits = { bucketPerSecond: 0, keyPerSecond: 0, windowMs: 1000 };

/** Nothing hangs here, so nothing is timed. */
const SETTINGS: CoreSettings = { ...CONFIG, tierLimitMs: Number.POSITIVE_INFINITY };

const BUCKET = parseBucketName('simulated');
const nameOf = (object: number) => (object < 0 ? `missing/${-object}` : `assets/${object}`);

type Isolate = { readonly core: Core; readonly deliver: Deliver; readonly endMs: number };

export function createQuayside(variant: QuaysideVariant): MakeDesign {
  return (world) => {
    const { timeline, usage, random } = world;
    const maker = createIsolateMaker(world, variant, { bucket: BUCKET, nameOf });
    const slots = new Map<number, Isolate>();
    const decide = createDecide();
    let lastStamp = 0;

    function isolateOf(place: number): Isolate {
      const slot = place * world.isolates + Math.floor(random() * world.isolates);
      const known = slots.get(slot);
      if (known !== undefined && known.endMs > timeline.nowMs()) return known;
      const endMs = timeline.nowMs() + drawGapMs(1 / world.isolateLifeSeconds, random);
      const core: Core = { ports: maker.createPorts(place), settings: SETTINGS };
      const isolate = { core, deliver: createDelivery(core, CONFIG, decide).deliver, endMs };
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
        await overwrite(core, object, world.catalogue[object] ?? 0, ++lastStamp);
      },
      busiestSecond: maker.index.busiestSecond,
      close: maker.index.close,
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
  notes: newRequestNotes(),
  onSent: (report) => report({ protocol: 'HTTP/1.1', bodyBytes: null, isWhole: null }),
};

/** The etag, once the headers are there; the client reads the body behind it. */
function toEtag(response: Response): string {
  void drain(response);
  return etagOf(response).replaceAll('"', '');
}

function toMissing(error: unknown): null {
  if (error instanceof FailureWithHeaders) return toMissing(error.failure);
  if (error instanceof StorageError && error.code === 'NoSuchKey') return null;
  throw error;
}

/**
 * The product's own write path. The first bytes of the body are a number, so that no two digests
 * are equal.
 */
async function overwrite(
  core: Core,
  object: number,
  sizeBytes: number,
  stamp: number,
): Promise<void> {
  const bytes = new Uint8Array(sizeBytes);
  new DataView(bytes.buffer).setFloat64(0, stamp);
  const bucket = await openBucket(core, BUCKET, () => undefined);
  await putObject(core, bucket, {
    key: parseObjectKey(nameOf(object)),
    attributes: { headers: {}, userMetadata: {}, storageClass: 'STANDARD' },
    body: { lengthBytes: sizeBytes, pump: async (onChunk) => void (await onChunk(bytes)) },
    expectation: { contentMd5Hex: null, checksum: null },
    condition: null,
  });
}
