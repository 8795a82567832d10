// Bodies near the reader: this isolate's memory, then the Cache API of the place. An entry is keyed by blob id and place
// alone and never changes, so nothing is ever purged. Only plain bytes are shared between requests, never a promise.
// Seam: Workers Cache (a cached entrypoint reached through ctx.exports) will take the place of the Cache API here.
import type { Segment } from '../../ports/domain.ts';
import type { EdgeCache } from '../../ports/edge-cache.ts';
import type { Background, Log } from '../../ports/system.ts';
import { type MemoryBodies, sliceName } from '../shared/memory-bodies.ts';

/** The cache's name: apart from what the zone itself caches. */
const CACHE_NAME = 'quayside-bodies';
/** Keys must be URLs; this host can exist nowhere (RFC 2606). */
const KEY_PREFIX = 'https://bodies.quayside.invalid/';
/**
 * Slices pass through memory whole, and an isolate has 128 MB for all its requests.
 * Source: https://developers.cloudflare.com/workers/platform/limits/#memory
 */
const SLICE_BYTES = 1024 * 1024;
/**
 * A cold slice costs a class B read of R2, a whole stream only one; and each slice is two of the 1,000 subrequests that
 * one request may make. Source: https://developers.cloudflare.com/workers/platform/limits/#subrequests
 */
const MAX_SLICES_PER_READ = 8;
/** Never stale, and a response without a lifetime would leave after two hours. */
const CACHE_CONTROL = 'public, max-age=31536000, immutable';

/** A failing cache is a miss. Cost of a memory hit: no I/O; else one match, and one put behind the answer on a miss. */
export function createWorkersEdgeCache(memory: MemoryBodies, background: Background, log: Log): EdgeCache {
  const keyOf = (slice: Segment): string => KEY_PREFIX + sliceName(slice);

  async function matchEdge(slice: Segment): Promise<Uint8Array | null> {
    try {
      const cache = await caches.open(CACHE_NAME);
      const found = await cache.match(keyOf(slice));
      if (found === undefined) return null;
      const bytes = new Uint8Array(await found.arrayBuffer());
      return bytes.length === slice.lengthBytes ? bytes : null;
    } catch (cause) {
      log.error('edge-cache-read-failed', { blobId: slice.blobId, cause });
      return null;
    }
  }

  async function putEdge(slice: Segment, bytes: Uint8Array): Promise<void> {
    try {
      const cache = await caches.open(CACHE_NAME);
      const headers = { 'Cache-Control': CACHE_CONTROL };
      await cache.put(keyOf(slice), new Response(bytes as BodyInit, { headers }));
    } catch (cause) {
      log.error('edge-cache-write-failed', { blobId: slice.blobId, cause });
    }
  }

  return {
    sliceBytes: SLICE_BYTES,
    maxSlicesPerRead: MAX_SLICES_PER_READ,
    peek: memory.peek,
    async read(slice, load) {
      const cached = await matchEdge(slice);
      const bytes = cached ?? (await load());
      memory.keep(slice, bytes);
      if (cached === null) background.run('fill-edge', () => putEdge(slice, bytes));
      return { bytes, tier: cached === null ? 'bucket' : 'edge' };
    },
  };
}
