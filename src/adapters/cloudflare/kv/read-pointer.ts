// Reads a pointer past this isolate's memory: from KV where the bucket's Durable
// Object published the key, else from the index. Fills memory with what it reads.
// Called by kv-hot-metadata.ts.
import { createCircuitBreaker } from '../../../ports/circuit-breaker.ts';
import type { MetadataLookup } from '../../../ports/hot-metadata.ts';
import type { Clock, Log } from '../../../ports/system.ts';
import { withTimeout } from '../../../ports/with-timeout.ts';
import type { MemoryPointers } from '../../shared/memory-pointers.ts';
import { pointerName } from './hot-records.ts';
import { COOLDOWN_MS, type IndexFailures } from './index-failures.ts';
import { createKvLookup, type Lookup } from './kv-lookup.ts';
import { KV_CACHE_TTL_SECONDS } from './kv-reader.ts';
import type { KvRecordTtls } from './kv-record-ttls.ts';

type PointerReaderOptions = {
  readonly memory: MemoryPointers;
  readonly ttls: KvRecordTtls;
  readonly clock: Clock;
  readonly log: Log;
  readonly failures: IndexFailures;
  readonly settings: { readonly tierLimitMs: number };
};

/**
 * Cost of a read: one call of the index, or one bulk read of KV. Fails as the index
 * does.
 */
export function createPointerReader(options: PointerReaderOptions) {
  const { memory, ttls, clock, log, failures } = options;
  const limitMs = options.settings.tierLimitMs;
  const breaker = createCircuitBreaker(clock, COOLDOWN_MS);
  /**
   * Negative cache: keys of which KV had no valid record. The colo repeats that for
   * as long.
   */
  const absentInKv = createCircuitBreaker(clock, KV_CACHE_TTL_SECONDS * 1000);
  const readKv = createKvLookup({ memory, ttls, breaker, clock, log, limitMs });

  async function readIndex(lookup: Lookup): Promise<MetadataLookup> {
    const { bucket, key, epoch, load } = lookup;
    const known = await withTimeout(limitMs, 'the index', load);
    failures.end(lookup);
    memory.fill(bucket, key, known, epoch);
    return { ...known, tier: 'index', stale: null };
  }

  return async function readPointer(lookup: Lookup): Promise<MetadataLookup> {
    const ttl = ttls.of(lookup.bucket, lookup.key);
    if (ttl === null || breaker.isOn('kv') || lookup.reader.isSampled()) return readIndex(lookup);

    const name = pointerName(lookup.bucket, lookup.key);
    if (absentInKv.isOn(name)) return readIndex(lookup);

    const published = await readKv(lookup, ttl);
    // What is published for everyone has no pointers of what is open by a link alone.
    const isEnough = published !== null && !(lookup.isInvited && published.pointer === null);
    if (isEnough) return published;
    absentInKv.begin(name);
    return readIndex(lookup);
  };
}
