// Connections of all threads, counted in shared memory, so that their limits are the
// process's. Each thread has a row of its own, which is emptied when it dies.
import { randomInt } from 'node:crypto';
import type { ConnectionCounts } from '../server/connection-limits.ts';

/**
 * Slots that networks are counted in. Networks of one slot count together: with 4,096
 * connections two busy ones meet once in thousands of starts.
 */
const SLOTS = 1 << 14;
/** One more for all connections. */
const ROW = SLOTS + 1;

export type SharedCounts = {
  /** The counts as a thread sees them: it adds to its own row, and sums up all. */
  ofThread(thread: number): ConnectionCounts;
  /** Connections of each thread. */
  byThread(): readonly number[];
  /** Empties the row of a thread that has died. */
  forget(thread: number): void;
};

/** Memory for so many threads, with a number that no sender of requests can know. */
export function createCountsMemory(threads: number): SharedArrayBuffer {
  const memory = new SharedArrayBuffer((1 + threads * ROW) * Int32Array.BYTES_PER_ELEMENT);
  new Int32Array(memory)[0] = randomInt(2 ** 31);
  return memory;
}

/** The counts over that memory. */
export function openSharedCounts(memory: SharedArrayBuffer): SharedCounts {
  const [seed = 0] = new Int32Array(memory, 0, 1);
  const counts = new Int32Array(memory, Int32Array.BYTES_PER_ELEMENT);

  function sum(column: number): number {
    let total = 0;
    for (let at = column; at < counts.length; at += ROW) total += Atomics.load(counts, at);
    return total;
  }

  return {
    ofThread(thread) {
      const change = (network: string | null, by: 1 | -1): void => {
        Atomics.add(counts, thread * ROW + SLOTS, by);
        if (network !== null) Atomics.add(counts, thread * ROW + slotOf(network, seed), by);
      };
      return {
        add: (network) => change(network, 1),
        remove: (network) => change(network, -1),
        all: () => sum(SLOTS),
        of: (network) => sum(slotOf(network, seed)),
      };
    },
    byThread: () =>
      Array.from({ length: counts.length / ROW }, (_, thread) =>
        Atomics.load(counts, thread * ROW + SLOTS),
      ),
    forget(thread) {
      for (let at = thread * ROW; at < (thread + 1) * ROW; at++) Atomics.store(counts, at, 0);
    },
  };
}

function slotOf(network: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < network.length; at++)
    hash = Math.imul(hash ^ network.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}
