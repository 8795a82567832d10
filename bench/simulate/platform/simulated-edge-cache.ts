// The body tiers of one isolate: its own memory (the product's code), then the cache of the place,
// by slice.
import { type MemoryBodies, sliceName } from '../../../src/adapters/shared/memory-bodies.ts';
import type { Segment } from '../../../src/domain/nouns.ts';
import type { EdgeCache, SliceBytes } from '../../../src/ports/edge-cache.ts';
import { CPU_MS, type Usage } from '../prices.ts';
import type { Timeline } from '../timeline.ts';
import type { PlaceCache } from './place-cache.ts';
import { transferMs } from './simulated-bucket.ts';

export type SimulatedEdgeCacheOptions = {
  readonly timeline: Timeline;
  readonly usage: Usage;
  readonly memory: MemoryBodies;
  /**
   * Asked one after the other. `isEntrypoint`: a cached entrypoint of the Worker, whose calls are
   * billed as requests; else the Cache API.
   */
  readonly caches: readonly { readonly cache: PlaceCache; readonly isEntrypoint: boolean }[];
  readonly place: number;
  readonly zeros: (lengthBytes: number) => Uint8Array;
  readonly maxSlicesPerRead: number;
};

/** Source: src/adapters/cloudflare/bodies/workers-edge-cache.ts */
const SLICE_BYTES = 2 ** 20;

export function createSimulatedEdgeCache(options: SimulatedEdgeCacheOptions): EdgeCache {
  const { timeline, usage, memory, caches, place, zeros } = options;

  /**
   * The slice from cache number `level` or one below it, else from `load`; the caches above keep
   * it.
   */
  async function readFrom(
    level: number,
    slice: Segment,
    load: () => Promise<Uint8Array>,
  ): Promise<SliceBytes> {
    const next = caches[level];
    if (next === undefined) return { bytes: await load(), isPart: false, tier: 'bucket' };
    const key = sliceName(slice);
    const sizeBytes = slice.lengthBytes;
    usage.workerCpuMs += CPU_MS.call;
    if (next.isEntrypoint) usage.workerRequests += 1;
    if ((await next.cache.match(place, key, Number.POSITIVE_INFINITY)) !== null) {
      usage.workerCpuMs += (sizeBytes / 2 ** 20) * CPU_MS.mebibyte;
      await timeline.sleep(transferMs(sizeBytes));
      return { bytes: zeros(sizeBytes), isPart: false, tier: 'edge' };
    }
    const found = await readFrom(level + 1, slice, load);
    if (next.isEntrypoint) usage.invocations += 1;
    usage.workerCpuMs += next.isEntrypoint ? CPU_MS.invocation : CPU_MS.call;
    next.cache.put(place, key, { etag: key, sizeBytes, storedAtMs: timeline.nowMs() });
    return found;
  }

  return {
    sliceBytes: SLICE_BYTES,
    maxSlicesPerRead: options.maxSlicesPerRead,
    peek: memory.peek,
    admits: () => true,
    async read(slice, load) {
      const found = await readFrom(0, slice, load);
      memory.keep(slice, found.bytes);
      return found;
    },
  };
}
