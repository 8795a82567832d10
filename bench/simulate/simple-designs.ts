// The three simpler designs that ours must not be worse than. All of them store an object under its
// own name in R2 and serve it from one Worker; they differ in what stands in front. None of them
// meters, checks access or knows a version.

import type { MakeDesign, World } from './design.ts';
import { LATENCY_MS } from './latencies.ts';
import { type CachedEntry, createPlaceCache, type PlaceCache } from './platform/place-cache.ts';
import { transferMs } from './platform/simulated-bucket.ts';
import { CPU_MS } from './prices.ts';

/**
 * Purges that Workers Cache takes: 5 a minute, 25 saved up, each of up to 100 names. Sources:
 * https://developers.cloudflare.com/workers/cache/limitations/ (always those of the Free plan),
 * https://developers.cloudflare.com/cache/how-to/purge-cache/#availability-and-limits
 */
const PURGES_PER_MINUTE = 5;
const PURGES_SAVED = 25;
const NAMES_PER_PURGE = 100;
const PURGE_MS = 150;

/** A bucket of plain objects: the truth of these designs. */
function createObjects({ timeline, usage, truth, catalogue }: World) {
  const versions = new Map<number, number>();
  const etagOf = (object: number) => `${object}/${versions.get(object) ?? 0}`;
  for (const object of catalogue.keys())
    truth.commit(`${object}`, etagOf(object), timeline.nowMs());
  return {
    async get(object: number): Promise<string | null> {
      usage.classB += 1;
      if (object >= 0) usage.fromBucket += 1;
      usage.workerCpuMs += CPU_MS.call;
      await timeline.sleep(LATENCY_MS.bucket);
      return object < 0 ? null : etagOf(object);
    },
    async put(object: number): Promise<void> {
      usage.workerRequests += 1;
      usage.invocations += 1;
      usage.workerCpuMs += CPU_MS.invocation + CPU_MS.call;
      usage.classA += 1;
      await timeline.sleep(LATENCY_MS.bucketWrite);
      versions.set(object, (versions.get(object) ?? 0) + 1);
      truth.commit(`${object}`, etagOf(object), timeline.nowMs());
    },
  };
}

const plain = { busiestSecond: () => 0, busiestLedgerSecond: () => 0, close: () => undefined };

/** Each request is a read of R2. Exact. */
export const createBucketAlone: MakeDesign = (world) => {
  const objects = createObjects(world);
  return {
    ...plain,
    read(_place, object) {
      world.usage.workerRequests += 1;
      world.usage.invocations += 1;
      world.usage.workerCpuMs += CPU_MS.invocation;
      return objects.get(object);
    },
    write: (_place, object) => objects.put(object),
  };
};

/**
 * A Worker that asks the Cache API by URL, then R2. An overwrite deletes the copy of the writer's
 * own place only.
 */
export function createCacheApiFront(maxAgeSeconds: number): MakeDesign {
  return (world) => {
    const { usage } = world;
    const objects = createObjects(world);
    const cache = createPlaceCache({ ...world, places: world.trace.places, upperBytes: null });
    return {
      ...plain,
      async read(place, object) {
        usage.workerRequests += 1;
        usage.invocations += 1;
        usage.workerCpuMs += CPU_MS.invocation + CPU_MS.call;
        const found = await cache.match(place, `${object}`, maxAgeSeconds * 1000);
        if (found !== null) return hit(world, found);
        return fill(world, cache, place, object, await objects.get(object));
      },
      async write(place, object) {
        await objects.put(object);
        cache.purge(place, `${object}`);
      },
    };
  };
}

/**
 * Workers Cache in front of the Worker, by URL: a hit costs a request and no CPU, and nobody counts
 * or checks it.
 */
export function createWorkersCacheFront(
  maxAgeSeconds: number,
  options: { readonly isPurging: boolean },
): MakeDesign {
  return (world) => {
    const { usage } = world;
    const objects = createObjects(world);
    const cache = createPlaceCache({ ...world, places: world.trace.places });
    const purge = createPurger(world, (object) => cache.purge(null, `${object}`));
    return {
      ...plain,
      async read(place, object) {
        usage.workerRequests += 1;
        const found = await cache.match(place, `${object}`, maxAgeSeconds * 1000);
        if (found !== null) return hit(world, found);
        usage.invocations += 1;
        usage.workerCpuMs += CPU_MS.invocation;
        return fill(world, cache, place, object, await objects.get(object));
      },
      async write(_place, object) {
        await objects.put(object);
        if (options.isPurging) purge(object);
      },
    };
  };
}

function hit({ usage }: World, { etag }: CachedEntry): string {
  usage.fromEdge += 1;
  return etag;
}

/**
 * Keeps what R2 said; "no such key" is not kept. Bodies stream through, so the reader does not wait
 * for the copy.
 */
function fill(
  world: World,
  cache: PlaceCache,
  place: number,
  object: number,
  etag: string | null,
): string | null {
  const key = `${object}`;
  if (etag === null) {
    cache.abandon(key);
    return null;
  }
  const sizeBytes = world.catalogue[object] ?? 0;
  const storedAtMs = world.timeline.nowMs();
  world.timeline.at(storedAtMs + transferMs(sizeBytes), () =>
    cache.put(place, key, { etag, sizeBytes, storedAtMs }),
  );
  return etag;
}

/**
 * Purges as soon as the limit allows, what has gathered meanwhile in one go: the best that somebody
 * who sees all overwrites could do. Nothing is saved up at the start, so that a short run shows
 * what a long one would.
 */
function createPurger(
  { timeline }: World,
  purge: (object: number) => void,
): (object: number) => void {
  const due = new Set<number>();
  const gapMs = 60_000 / PURGES_PER_MINUTE;
  /** When the next purge may go; a time in the past stands for purges saved up. */
  let nextMs = timeline.nowMs();
  let isWaiting = false;

  function flush(): void {
    isWaiting = false;
    const names = [...due].slice(0, NAMES_PER_PURGE);
    for (const object of names) due.delete(object);
    nextMs = Math.max(nextMs, timeline.nowMs() - (PURGES_SAVED - 1) * gapMs) + gapMs;
    timeline.at(timeline.nowMs() + PURGE_MS, () => names.forEach(purge));
    if (due.size > 0) wait();
  }

  function wait(): void {
    if (isWaiting) return;
    isWaiting = true;
    timeline.at(nextMs, flush);
  }

  return (object) => {
    due.add(object);
    wait();
  };
}
