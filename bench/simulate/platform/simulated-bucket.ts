// R2 behind the blob port: it knows sizes only, every blob is zeros. Counts what is billed and
// takes its time.
import { joinRuns } from '../../../src/adapters/shared/join-runs.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { BlobId } from '../../../src/domain/nouns.ts';
import type { BlobStore } from '../../../src/ports/blob-store.ts';
import { LATENCY_MS, MEGABYTE_MS } from '../latencies.ts';
import { CPU_MS, type Usage } from '../prices.ts';
import type { Timeline } from '../timeline.ts';

/** Large bodies go out in slices; a reader waits for the first one only. Bytes. */
const SLICE_BYTES = 2 ** 20;

/** How long a reader waits for a body to pass through a Worker's memory, milliseconds. */
export function transferMs(sizeBytes: number): number {
  return (Math.min(sizeBytes, SLICE_BYTES) / 1e6) * MEGABYTE_MS;
}

/**
 * One array of zeros for each length, shared by everyone who must hold a body: contents play no
 * part here.
 */
export function createZeros(): (lengthBytes: number) => Uint8Array {
  const known = new Map<number, Uint8Array>();
  return (lengthBytes) => {
    const zeros = known.get(lengthBytes) ?? new Uint8Array(lengthBytes);
    known.set(lengthBytes, zeros);
    return zeros;
  };
}

export type SimulatedBucket = BlobStore & {
  /** Brings a blob in for nothing, before the clock starts. */
  seed(id: BlobId, sizeBytes: number): void;
};

export function createSimulatedBucket(options: {
  readonly timeline: Timeline;
  readonly usage: Usage;
  readonly zeros: (lengthBytes: number) => Uint8Array;
}): SimulatedBucket {
  const { timeline, usage } = options;
  const sizes = new Map<BlobId, number>();

  async function get(
    id: BlobId,
    { offsetBytes, lengthBytes }: { offsetBytes: number; lengthBytes: number },
  ) {
    usage.classB += 1;
    usage.workerCpuMs += CPU_MS.call;
    await timeline.sleep(LATENCY_MS.bucket);
    if (offsetBytes + lengthBytes <= (sizes.get(id) ?? 0)) return;
    throw new StorageError('InternalError', { detail: `Blob ${id} is missing or short.` });
  }

  const bucket: SimulatedBucket = {
    seed: (id, sizeBytes) => void sizes.set(id, sizeBytes),
    async write(id, source) {
      let sizeBytes = 0;
      await source.pump((chunk) => {
        sizeBytes += chunk.length;
      });
      usage.classA += 1;
      usage.workerCpuMs += CPU_MS.call;
      await timeline.sleep(LATENCY_MS.bucketWrite);
      sizes.set(id, sizeBytes);
      return { sizeBytes };
    },
    async put(id, bytes) {
      usage.classA += 1;
      usage.workerCpuMs += CPU_MS.call;
      await timeline.sleep(LATENCY_MS.bucketWrite);
      sizes.set(id, bytes.length);
    },
    async read(id, range) {
      await get(id, range);
      usage.workerCpuMs += (range.lengthBytes / 2 ** 20) * CPU_MS.mebibyte;
      await timeline.sleep(transferMs(range.lengthBytes));
      return options.zeros(range.lengthBytes);
    },
    async open(id, range) {
      const { lengthBytes } = range;
      await get(id, range);
      return new ReadableStream<Uint8Array>(
        {
          // Only a reader that buffers the body waits for it and burns CPU on it; a stream just
          // goes out.
          async pull(controller) {
            usage.workerCpuMs += (lengthBytes / 2 ** 20) * CPU_MS.mebibyte;
            await timeline.sleep(transferMs(lengthBytes));
            controller.enqueue(options.zeros(lengthBytes));
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
    },
    openRuns: (runs) => joinRuns(runs, bucket.open),
    async delete(ids) {
      for (const id of ids) sizes.delete(id);
    },
    list: () =>
      Promise.reject(new StorageError('NotImplemented', { detail: 'Nothing sweeps here.' })),
  };
  return bucket;
}
