// The body tiers of one isolate: its own memory (the product's code), then the cache of the place, by slice.
import { type MemoryBodies, sliceName } from '../../src/adapters/shared/memory-bodies.ts';
import type { EdgeCache } from '../../src/ports/edge-cache.ts';
import type { PlaceCache } from './place-cache.ts';
import { CPU_MS, type Usage } from './prices.ts';
import { transferMs } from './simulated-bucket.ts';
import type { Timeline } from './timeline.ts';

export type SimulatedEdgeCacheOptions = {
  readonly timeline: Timeline;
  readonly usage: Usage;
  readonly memory: MemoryBodies;
  readonly cache: PlaceCache;
  readonly place: number;
  readonly zeros: (lengthBytes: number) => Uint8Array;
  readonly maxSlicesPerRead: number;
  /** Whether the cache is a cached entrypoint of the Worker, whose calls are billed as requests; else the Cache API. */
  readonly isEntrypoint: boolean;
};

/** Source: src/adapters/cloudflare/workers-edge-cache.ts */
const SLICE_BYTES = 2 ** 20;

export function createSimulatedEdgeCache(options: SimulatedEdgeCacheOptions): EdgeCache {
  const { timeline, usage, memory, cache, place, zeros, isEntrypoint } = options;
  return {
    sliceBytes: SLICE_BYTES,
    maxSlicesPerRead: options.maxSlicesPerRead,
    peek: memory.peek,
    async read(slice, load) {
      const key = sliceName(slice);
      const sizeBytes = slice.lengthBytes;
      usage.workerCpuMs += CPU_MS.call;
      if (isEntrypoint) usage.workerRequests += 1;
      const found = await cache.match(place, key, Number.POSITIVE_INFINITY);
      if (found !== null) {
        usage.workerCpuMs += (sizeBytes / 2 ** 20) * CPU_MS.mebibyte;
        await timeline.sleep(transferMs(sizeBytes));
        memory.keep(slice, zeros(sizeBytes));
        return { bytes: zeros(sizeBytes), tier: 'edge' };
      }
      usage.workerCpuMs += isEntrypoint ? CPU_MS.invocation : CPU_MS.call;
      const bytes = await load();
      memory.keep(slice, bytes);
      cache.put(place, key, { etag: key, sizeBytes, storedAtMs: timeline.nowMs() });
      return { bytes, tier: 'bucket' };
    },
  };
}
