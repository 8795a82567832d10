// Slices in the Cache API: the cache of one place of Cloudflare. It neither
// collapses requests nor asks other places, so it is used only where Workers Cache
// is absent. An entry is named by blob id and place alone and never changes.
import type { Segment } from '../../../domain/nouns.ts';
import type { Log } from '../../../ports/system.ts';
import { withTimeout } from '../../../ports/with-timeout.ts';
import { sliceName } from '../../shared/memory-bodies.ts';

/** The cache's name: apart from what the zone itself caches. */
const CACHE_NAME = 'quayside-bodies';
/** Keys must be URLs; this host can exist nowhere (RFC 2606). */
const KEY_PREFIX = 'https://bodies.quayside.invalid/';
/** Never stale, and a response without a lifetime would leave after two hours. */
export const SLICE_CACHE_CONTROL = 'public, max-age=31536000, immutable';

export type CacheApiBodies = {
  /** The slice, or null: also when the cache fails or hangs. Cost: one match. */
  match(slice: Segment): Promise<Uint8Array | null>;
  /** Never throws. Cost: one put. */
  put(slice: Segment, bytes: Uint8Array): Promise<void>;
};

export function createCacheApiBodies(log: Log, limitMs: number): CacheApiBodies {
  const keyOf = (slice: Segment): string => KEY_PREFIX + sliceName(slice);

  return {
    async match(slice) {
      const read = async () => {
        const cache = await caches.open(CACHE_NAME);
        const found = await cache.match(keyOf(slice));
        return found === undefined ? null : new Uint8Array(await found.arrayBuffer());
      };
      try {
        const bytes = await withTimeout(limitMs, 'the Cache API', read);
        return bytes?.length === slice.lengthBytes ? bytes : null;
      } catch (cause) {
        log.error('edge-cache-read-failed', { blobId: slice.blobId, cause });
        return null;
      }
    },
    async put(slice, bytes) {
      try {
        const cache = await caches.open(CACHE_NAME);
        const headers = { 'Cache-Control': SLICE_CACHE_CONTROL };
        await cache.put(keyOf(slice), new Response(bytes as BodyInit, { headers }));
      } catch (cause) {
        log.error('edge-cache-write-failed', { blobId: slice.blobId, cause });
      }
    },
  };
}
