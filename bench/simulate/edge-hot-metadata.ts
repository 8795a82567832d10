// A candidate, not part of the product: pointers in the cache of the place, between the isolate's memory and what stands
// below (KV, or the index at once). One entry holds gate and pointer; its age goes on in memory, so that both tiers
// together are never older than `freshSeconds`. The Cache API costs nothing, a read of KV more than one of R2.

import type { MemoryHotMetadata } from '../../src/adapters/shared/memory-hot-metadata.ts';
import type { BucketGate, BucketName, ObjectKey, Pointer } from '../../src/ports/domain.ts';
import type { HotLookup, HotMetadata } from '../../src/ports/hot-metadata.ts';
import type { ByteLru } from './byte-lru.ts';
import { LATENCY_MS } from './latencies.ts';
import { CPU_MS, type Usage } from './prices.ts';
import type { Timeline } from './timeline.ts';

export type PlacePointer = {
  readonly found: { readonly gate: BucketGate | null; readonly pointer: Pointer | null };
  readonly filledAtMs: number;
};

export type EdgeHotMetadataOptions = {
  readonly timeline: Timeline;
  readonly usage: Usage;
  readonly memory: MemoryHotMetadata;
  /** What to ask when the place does not know; null: nothing but the index. */
  readonly below: HotMetadata | null;
  readonly cache: ByteLru<PlacePointer>;
  readonly freshSeconds: number;
  readonly negativeFreshSeconds: number;
};

/** A record without its inline body, estimate, bytes. */
const RECORD_BYTES = 1024;

export function createEdgeHotMetadata(options: EdgeHotMetadataOptions): HotMetadata {
  const { timeline, usage, memory, below, cache } = options;
  const nameOf = (bucket: BucketName, key: ObjectKey) => `${bucket}/${key}`;

  function keep(bucket: BucketName, key: ObjectKey, found: PlacePointer['found']): void {
    const sizeBytes = RECORD_BYTES + (found.pointer?.inlineBytes?.length ?? 0);
    cache.set(nameOf(bucket, key), { found, filledAtMs: timeline.nowMs() }, sizeBytes);
  }

  async function ask(bucket: BucketName, key: ObjectKey, known: HotLookup): Promise<HotLookup> {
    const ticket = memory.ticket();
    usage.workerCpuMs += CPU_MS.call;
    await timeline.sleep(LATENCY_MS.edge);
    const entry = cache.get(nameOf(bucket, key));
    if (entry !== undefined) {
      const { gate, pointer } = entry.found;
      const ageSeconds = (timeline.nowMs() - entry.filledAtMs) / 1000;
      if (ageSeconds < (pointer === null ? options.negativeFreshSeconds : options.freshSeconds)) {
        usage.placePointerHits += 1;
        memory.fill(bucket, key, entry.found, ticket, ageSeconds);
        return { gate: { value: gate, tier: 'kv', ageSeconds }, pointer: { value: pointer, tier: 'kv', ageSeconds } };
      }
    }
    if (below === null) return known;
    const lookup = await below.get(bucket, key);
    if (lookup.gate !== null && lookup.pointer !== null) {
      keep(bucket, key, { gate: lookup.gate.value, pointer: lookup.pointer.value });
    }
    return lookup;
  }

  return {
    get(bucket, key) {
      const known = memory.get(bucket, key);
      return known.gate !== null && known.pointer !== null ? known : ask(bucket, key, known);
    },
    ticket: memory.ticket,
    fill(bucket, key, found, ticket) {
      memory.fill(bucket, key, found, ticket);
      keep(bucket, key, found);
    },
    evict(bucket, keys) {
      memory.evict(bucket, keys);
      for (const key of keys ?? []) cache.delete(nameOf(bucket, key));
    },
  };
}
