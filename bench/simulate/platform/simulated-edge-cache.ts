// The body tiers of one isolate: its own memory (the product's code), then the cache of the place,
// by slice.
import { type MemoryBodies, sliceName } from '../../../src/adapters/shared/memory-bodies.ts';
import type { ByteRange } from '../../../src/domain/byte-range.ts';
import type { Segment } from '../../../src/domain/nouns.ts';
import type { BlobStore } from '../../../src/ports/blob-store.ts';
import type { EdgeCache, OpenedRun, SliceBytes } from '../../../src/ports/edge-cache.ts';
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
  readonly blobStore: Pick<BlobStore, 'open'>;
  /** Whether an entrypoint gives up to so many slices by one call. */
  readonly keepsRuns: boolean;
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

  /** One call of the entrypoint, which reads the run from the bucket where no place has it. */
  async function openRun(run: Segment, part: ByteRange): Promise<OpenedRun | null> {
    const [first] = caches;
    if (first?.isEntrypoint !== true) return null;
    const key = sliceName(run);
    usage.workerCpuMs += CPU_MS.call;
    usage.workerRequests += 1;
    const isThere = (await first.cache.match(place, key, Number.POSITIVE_INFINITY)) !== null;
    if (!isThere) {
      const { blobId, ...range } = run;
      await (await options.blobStore.open(blobId, range)).cancel();
      usage.invocations += 1;
      usage.workerCpuMs += CPU_MS.invocation;
      const entry = { etag: key, sizeBytes: run.lengthBytes, storedAtMs: timeline.nowMs() };
      first.cache.put(place, key, entry);
    }
    const { lengthBytes } = part;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          usage.workerCpuMs += (lengthBytes / 1e6) * CPU_MS.countedMegabyte;
          await timeline.sleep(transferMs(lengthBytes));
          controller.enqueue(zeros(lengthBytes));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return { body, tier: isThere ? 'edge' : 'bucket' };
  }

  return {
    sliceBytes: SLICE_BYTES,
    ...(options.keepsRuns && { openRun }),
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
