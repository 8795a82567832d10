// Bounds how many bytes a second something in the background reads.
import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { BlobStore } from '../../../ports/blob-store.ts';

export type Pace = {
  /**
   * Resolves when so many bytes may be read, and lets requests through every few milliseconds,
   * however many that are. Rejects with the signal's reason once it is aborted.
   */
  spend(lengthBytes: number): Promise<void>;
  /** Throws the signal's reason once it is aborted. */
  throwIfStopped(): void;
};

/** A wait shorter than that is made up for later, milliseconds. */
const LEAST_WAIT_MS = 5;
/**
 * How long may be worked before requests are let through, milliseconds: reads of the index and
 * looks at files are done at once, and a rate that is never reached waits for nothing.
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

/** The store with its reads at that pace. */
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
