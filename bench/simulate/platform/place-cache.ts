// The caches of data centres. Flat, as the Cache API is: each place alone, every concurrent miss
// for itself. Tiered, as Workers Cache is: a miss asks an upper tier that all places share, and
// concurrent misses of one key wait for the first. Sources:
// https://developers.cloudflare.com/workers/runtime-apis/cache/,
// https://developers.cloudflare.com/workers/cache/
import { type ByteLru, createByteLru } from '../byte-lru.ts';
import { LATENCY_MS } from '../latencies.ts';
import type { Usage } from '../prices.ts';
import type { Timeline } from '../timeline.ts';

/** `storedAtMs`: when the copy left the origin; its age goes on from tier to tier. */
export type CachedEntry = {
  readonly etag: string;
  readonly sizeBytes: number;
  readonly storedAtMs: number;
};

export type PlaceCache = {
  /**
   * The entry if it is younger than `maxAgeMs`. After null of a tiered cache the caller must `put`:
   * others wait for it.
   */
  match(place: number, key: string, maxAgeMs: number): Promise<CachedEntry | null>;
  put(place: number, key: string, entry: CachedEntry): void;
  /** Nothing will be put after a miss. */
  abandon(key: string): void;
  /** Takes the key out of that place, or with null out of all and the upper tier. */
  purge(place: number | null, key: string): void;
};

export type PlaceCacheOptions = {
  readonly timeline: Timeline;
  readonly usage: Usage;
  readonly places: number;
  readonly placeBytes: number;
  /** Null for a flat cache. */
  readonly upperBytes: number | null;
};

export function createPlaceCache({ timeline, usage, ...options }: PlaceCacheOptions): PlaceCache {
  const lower = Array.from({ length: options.places }, () =>
    createByteLru<CachedEntry>(options.placeBytes),
  );
  const upper = options.upperBytes === null ? null : createByteLru<CachedEntry>(options.upperBytes);
  /** Misses that somebody is filling; only a tiered cache collapses. */
  const filling = new Map<string, PromiseWithResolvers<void>>();

  function young(
    cache: ByteLru<CachedEntry> | undefined,
    key: string,
    maxAgeMs: number,
  ): CachedEntry | null {
    const found = cache?.get(key);
    return found !== undefined && timeline.nowMs() - found.storedAtMs < maxAgeMs ? found : null;
  }

  async function look(place: number, key: string, maxAgeMs: number): Promise<CachedEntry | null> {
    await timeline.sleep(LATENCY_MS.edge);
    const near = young(lower[place], key, maxAgeMs);
    if (near !== null || upper === null) return near;
    await timeline.sleep(LATENCY_MS.upper);
    const far = young(upper, key, maxAgeMs);
    if (far === null) return null;
    usage.upperHits += 1;
    lower[place]?.set(key, far, far.sizeBytes);
    return far;
  }

  function abandon(key: string): void {
    filling.get(key)?.resolve();
    filling.delete(key);
  }

  return {
    async match(place, key, maxAgeMs) {
      for (;;) {
        const found = await look(place, key, maxAgeMs);
        if (found !== null || upper === null) return found;
        const leader = filling.get(key);
        if (leader === undefined) {
          filling.set(key, Promise.withResolvers<void>());
          return null;
        }
        await leader.promise;
      }
    },
    put(place, key, entry) {
      lower[place]?.set(key, entry, entry.sizeBytes);
      upper?.set(key, entry, entry.sizeBytes);
      abandon(key);
    },
    abandon,
    purge(place, key) {
      for (const cache of place === null ? [...lower, upper] : [lower[place]]) cache?.delete(key);
    },
  };
}
