// Which blobs this process has written a while ago: the page cache still holds what was written,
// until as much again has come. Their first readers need no thread of the pool (quick-reads.ts).
import { totalmem } from 'node:os';

export type WrittenLately = {
  note(name: string, sizeBytes: number): void;
  has(name: string): boolean;
};

/**
 * Of the memory there is, so much is taken to hold what was written last: the page cache has
 * readers to serve, too.
 */
const SHARE_OF_MEMORY = 1 / 8;
/** Names that are kept; about 150 B each. */
const NAMES_MAX = 10_000;

/** `maxBytes`: what all together may have, the oldest go first. */
export function createWrittenLately(
  maxBytes: number = availableBytes() * SHARE_OF_MEMORY,
): WrittenLately {
  const sizes = new Map<string, number>();
  let heldBytes = 0;
  return {
    note(name, sizeBytes) {
      heldBytes += sizeBytes - (sizes.get(name) ?? 0);
      sizes.delete(name);
      sizes.set(name, sizeBytes);
      for (const [oldest, oldestBytes] of sizes) {
        if (heldBytes <= maxBytes && sizes.size <= NAMES_MAX) break;
        sizes.delete(oldest);
        heldBytes -= oldestBytes;
      }
    },
    has: (name) => sizes.has(name),
  };
}

/** What a container leaves of the machine's memory. */
function availableBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}
