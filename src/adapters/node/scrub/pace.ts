// A rate limit for reads in the background, in bytes a second. The scrub reads at
// its pace.
import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { BlobStore } from '../../../ports/blob-store.ts';

export type Pace = {
  /**
   * Resolves when that many bytes may be read, and yields to requests every few
   * milliseconds. Rejects with the signal's reason once it is aborted.
   */
  spend(lengthBytes: number): Promise<void>;
  /** Throws the signal's reason once it is aborted. */
  throwIfStopped(): void;
};

/** Shorter waits are added to later ones, milliseconds. */
const LEAST_WAIT_MS = 5;
/**
 * Milliseconds of work before requests get a tick: reads of the index and of files
 * block.
 */
const WORK_MAX_MS = 5;

export function createPace(bytesPerSecond: number, stopping: AbortSignal): Pace {
  let freeAtMs = performance.now();
  let yieldedAtMs = freeAtMs;
  return {
    throwIfStopped: () => stopping.throwIfAborted(),
    async spend(lengthBytes) {
      stopping.throwIfAborted();
      const nowMs = performance.now();
      const waitMs = freeAtMs - nowMs;
      freeAtMs = Math.max(freeAtMs, nowMs) + (1000 * lengthBytes) / bytesPerSecond;
      if (waitMs > LEAST_WAIT_MS) await sleep(waitMs, undefined, { ref: false, signal: stopping });
      else if (nowMs - yieldedAtMs >= WORK_MAX_MS)
        await yieldToEventLoop(undefined, { signal: stopping });
      else return;
      yieldedAtMs = performance.now();
    },
  };
}

/** Wraps a store: its reads keep to the pace. */
export function pacedBlobs(store: BlobStore, pace: Pace): BlobStore {
  const slowed = (bytes: ReadableStream<Uint8Array>) =>
    bytes.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        async transform(chunk, controller) {
          await pace.spend(chunk.length);
          controller.enqueue(chunk);
        },
      }),
    );
  return {
    ...store,
    async read(id, range) {
      await pace.spend(range.lengthBytes);
      return store.read(id, range);
    },
    open: async (id, range) => slowed(await store.open(id, range)),
    openRuns: async (runs) => slowed(await store.openRuns(runs)),
  };
}
