// The body tiers of the Node platform: memory, and below it the disk with the
// system's page cache. Request coalescing: all callers of a cold slice at the same
// time share one read, so a herd costs the disk nothing more than its first.
import type { EdgeCache, SliceBytes } from '../../../ports/edge-cache.ts';
import { type MemoryBodies, sliceName } from '../../shared/memory-bodies.ts';

/**
 * Slices that one read takes through memory: a longer one would push out what
 * others need.
 */
const MAX_SLICES_PER_READ = 64;

export function createMemoryEdgeCache(bodies: MemoryBodies): EdgeCache {
  const underWay = new Map<string, Promise<SliceBytes>>();
  return {
    sliceBytes: bodies.maxSliceBytes,
    maxSlicesPerRead: MAX_SLICES_PER_READ,
    peek: bodies.peek,
    // A caller that shares a read under way costs nothing.
    admits: (slice, readBytes) =>
      (underWay.size > 0 && underWay.has(sliceName(slice))) || bodies.admits(slice, readBytes),
    read(slice, load) {
      const name = sliceName(slice);
      const readUnderWay = underWay.get(name);
      if (readUnderWay !== undefined) return readUnderWay;

      const reading = load()
        .then((bytes): SliceBytes => {
          bodies.keep(slice, bytes);
          return { bytes, isPart: false, tier: 'bucket' };
        })
        .finally(() => underWay.delete(name));
      underWay.set(name, reading);
      return reading;
    },
  };
}
