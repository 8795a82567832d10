// The tier of derived bytes below memory on Cloudflare: the Cache API of the place.
// An entry is named by what it is made of and how, so it is never stale; where it
// is missing it is made again.
import type { Log } from '../../../ports/system.ts';
import { withTimeout } from '../../../ports/with-timeout.ts';
import type { DerivedStore } from '../../shared/derived-bodies.ts';
import { SLICE_CACHE_CONTROL } from './cache-api-bodies.ts';

/** The cache's name: apart from what the zone itself caches. */
const CACHE_NAME = 'quayside-derived';
/** Keys must be URLs; this host can exist nowhere (RFC 2606). */
const KEY_PREFIX = 'https://derived.quayside.invalid/';
/** Without one the runtime may add its own. */
const NO_TYPE = 'application/octet-stream';

/**
 * A cache that fails or is asked for `limitMs` in vain knows nothing. Cost: one
 * match or one put.
 */
export function createCacheApiDerived(log: Log, limitMs: number): DerivedStore {
  const keyOf = (name: string): string => KEY_PREFIX + encodeURIComponent(name);
  return {
    async get(name) {
      const read = async () => {
        const cache = await caches.open(CACHE_NAME);
        const found = await cache.match(keyOf(name));
        if (found === undefined) return null;
        const type = found.headers.get('content-type');
        return {
          bytes: new Uint8Array(await found.arrayBuffer()),
          contentType: type === NO_TYPE ? null : type,
        };
      };
      try {
        return await withTimeout(limitMs, 'the Cache API', read);
      } catch (cause) {
        log.error('derived-read-failed', { cause });
        return null;
      }
    },
    async put(name, { bytes, contentType }) {
      try {
        const cache = await caches.open(CACHE_NAME);
        const headers = {
          'Cache-Control': SLICE_CACHE_CONTROL,
          'Content-Type': contentType ?? NO_TYPE,
        };
        await cache.put(keyOf(name), new Response(bytes as BodyInit, { headers }));
      } catch (cause) {
        log.error('derived-write-failed', { cause });
      }
    },
  };
}
