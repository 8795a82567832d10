// Blobs that this process has written lately: the page cache still holds them,
// until as much again has been written. Their first readers need no thread of the
// pool (quick-reads.ts).
import { totalmem } from 'node:os';

export type RecentWrites = {
  note(name: string, sizeBytes: number): void;
  has(name: string): boolean;
};

/**
 * Share of the memory that is taken to hold recent writes: the page cache serves
 * readers, too.
 */
const SHARE_OF_MEMORY = 1 / 8;
/** Names in the list; about 150 B each. */
const NAMES_MAX = 10_000;

/**
 * `maxBytes`: what all blobs of the list may have together; the oldest go first.
 */
export function createRecentWrites(
  maxBytes: number = availableBytes() * SHARE_OF_MEMORY,
): RecentWrites {
  const sizes = new Map<string, number>();
  let listedBytes = 0;
  return {
    note(name, sizeBytes) {
      listedBytes += sizeBytes - (sizes.get(name) ?? 0);
      sizes.delete(name);
      sizes.set(name, sizeBytes);
      for (const [oldest, oldestBytes] of sizes) {
        if (listedBytes <= maxBytes && sizes.size <= NAMES_MAX) break;
        sizes.delete(oldest);
        listedBytes -= oldestBytes;
      }
    },
    has: (name) => sizes.has(name),
  };
}

/** Memory that a container leaves of the machine's. */
function availableBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}
