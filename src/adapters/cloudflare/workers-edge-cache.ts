// Bodies near the reader: this isolate's memory, then the Cache API of the place. An entry is keyed by blob id alone and
// never changes, so nothing is ever purged. Only plain bytes are shared between requests.
// Seam: Workers Cache (a cached entrypoint reached through ctx.exports) will take the place of the Cache API here.
import type { BlobId } from '../../ports/domain.ts';
import type { EdgeCache } from '../../ports/edge-cache.ts';
import type { Log } from '../../ports/system.ts';
import type { MemoryEdgeCache } from '../shared/memory-edge-cache.ts';

/** The cache's name: apart from what the zone itself caches. */
const CACHE_NAME = 'quayside-bodies';
/** Keys must be URLs; this host can exist nowhere (RFC 2606). */
const KEY_PREFIX = 'https://bodies.quayside.invalid/';
/**
 * Largest body kept, bytes. A body passes through memory whole, and an isolate has 128 MB for all its requests.
 * Source: https://developers.cloudflare.com/workers/platform/limits/#memory
 */
const MAX_BODY_BYTES = 1024 * 1024;
/** Never stale, and a response without a lifetime would leave after two hours. */
const CACHE_CONTROL = 'public, max-age=31536000, immutable';

/** A failing cache is a miss. Cost of a memory hit: no I/O; else one match. */
export function createWorkersEdgeCache(memory: MemoryEdgeCache, log: Log): EdgeCache {
  const keyOf = (id: BlobId): string => KEY_PREFIX + id;

  async function matchEdge(id: BlobId): Promise<{ tier: 'edge'; body: Uint8Array } | null> {
    try {
      const cache = await caches.open(CACHE_NAME);
      const found = await cache.match(keyOf(id));
      if (found === undefined) return null;
      const body = new Uint8Array(await found.arrayBuffer());
      await memory.put(id, body);
      return { tier: 'edge', body };
    } catch (cause) {
      log.error('edge-cache-read-failed', { blobId: id, cause });
      return null;
    }
  }

  return {
    maxBodyBytes: MAX_BODY_BYTES,
    match: (id) => memory.match(id) ?? matchEdge(id),
    async put(id, body) {
      if (body.length > MAX_BODY_BYTES) return;
      try {
        await memory.put(id, body);
        const cache = await caches.open(CACHE_NAME);
        await cache.put(keyOf(id), new Response(body as BodyInit, { headers: { 'Cache-Control': CACHE_CONTROL } }));
      } catch (cause) {
        log.error('edge-cache-write-failed', { blobId: id, cause });
      }
    },
  };
}
