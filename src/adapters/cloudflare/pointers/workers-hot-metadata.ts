// Pointers and read policies near the reader. This isolate's memory comes first:
// pointers that are fresh for seconds, and pages of them that the bucket's change
// feed proves. Then the tier of the colo, KV where the bucket's object nears its
// limit, and the index. Requests share plain values, never a promise or stream; of a
// cold herd one request of each colo calls the index (cold-start.ts).
//
// Every tier counts ages from when a call of the index began, so they never add up: a
// response is at most as old as the bucket's bound (freshness.ts). While the index
// is down, memory gives what it has for a bounded time and says so; while it is busy,
// what is seconds old (index-failures.ts). The failure of one key says little of
// others: each that was stale already is looked up for itself, so that a moment of
// trouble, which strangers may have made, shows nobody what was deleted or closed long
// ago.

import { StorageError } from '../../../domain/errors.ts';
import type { HotMetadata, MetadataLookup } from '../../../ports/caches/hot-metadata.ts';
import { createCircuitBreaker } from '../../../ports/circuit-breaker.ts';
import type { Background, Clock, Log } from '../../../ports/system.ts';
import { findAll } from '../../shared/find-all.ts';
import type { MemoryPointers } from '../../shared/memory-pointers.ts';
import type { BucketFeeds } from './bucket-feeds.ts';
import type { ColoTier } from './colo-tier.ts';
import { boundMs, createFreshness, type FreshnessSettings } from './freshness.ts';
import { COOLDOWN_MS, createIndexFailures, isFailure } from './index-failures.ts';
import { createKvPages } from './kv-pages.ts';
import { createMemoryEntries, type Lookup, toFresh, toStale } from './memory-entry.ts';
import { createPointerReader } from './read-pointer.ts';
import type { RelayPages } from './relay-pages.ts';

export type WorkersHotMetadataOptions = {
  readonly kv: Pick<KVNamespace, 'get'>;
  /** Made with `freshnessOf` of the same settings. */
  readonly memory: MemoryPointers;
  readonly feeds: BucketFeeds;
  readonly colo: ColoTier;
  /** Absent: the bucket's object is called for each look-up. */
  readonly relays?: RelayPages;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
  /** A call that got no word for so long waits in no queue, milliseconds. */
  readonly hungMs?: number;
  /** Settings of the same names; src/config has their meaning and units. */
  readonly settings: FreshnessSettings & {
    readonly staleIfErrorSeconds: number;
    readonly tierLimitMs: number;
  };
};

/** A bucket's state is taken out of the colo once in so long, however much changes. */
const FORGET_GAP_MS = 1000;

/**
 * A lookup that memory can't answer costs calls of the Cache API, and if the colo
 * does not know either, one call of the index or one read of KV.
 */
export function createWorkersHotMetadata(options: WorkersHotMetadataOptions): HotMetadata {
  const { memory, feeds, colo, clock, background, log, settings } = options;
  const freshnessOf = createFreshness(settings);
  const failures = createIndexFailures({ clock, settings, freshnessOf });
  const entries = createMemoryEntries(memory, feeds);
  const limitMs = settings.tierLimitMs;
  const kvPages = createKvPages({ kv: options.kv, clock, log, limitMs });
  const reader = createPointerReader({
    ...options,
    entries,
    kvPages,
    freshnessOf,
    failures,
    limitMs,
  });
  /** Open for a key while a refresh of it is under way. */
  const refreshing = createCircuitBreaker(clock, COOLDOWN_MS);

  const forgetting = createCircuitBreaker(clock, FORGET_GAP_MS);

  const read = (lookup: Lookup): Promise<MetadataLookup> =>
    reader.read(lookup, () => refresh(lookup));

  async function readOrStale(lookup: Lookup): Promise<MetadataLookup> {
    try {
      return await read(lookup);
    } catch (error) {
      // Looked up again: a write may have taken it away meanwhile.
      const entry = entries.recall(lookup);
      if (!isFailure(error)) throw error;
      failures.note(lookup, error);
      if (entry === null || !failures.mayShow(lookup, entry, error)) throw error;
      log.error('index-read-failed', { bucket: lookup.bucket, cause: error });
      return toStale(entry, 'memory', 'error', true);
    }
  }

  /** Looks up behind the response, unless another request does already. */
  function refresh(lookup: Lookup): void {
    const name = `${lookup.bucket}/${lookup.key}`;
    if (refreshing.isOn(name)) return;
    refreshing.begin(name);
    background.run('refresh-pointer', async () => {
      try {
        await reader.readBehind({ ...lookup, epoch: memory.epoch() });
      } catch (error) {
        if (isFailure(error)) failures.note(lookup, error);
        throw error;
      } finally {
        refreshing.end(name);
      }
    });
  }

  const find: HotMetadata['find'] = (bucket, key, load, isInvited = false) => {
    const lookup = { bucket, key, load, epoch: memory.epoch(), isInvited };
    let entry = entries.recall(lookup);
    if (entry === null || entry.stalenessSeconds >= 0) entry = entries.refill(lookup);
    if (entry === null) return read({ ...lookup, isUnknown: true });
    if (entry.stalenessSeconds < 0) return toFresh(entry, 'memory');

    if (failures.isDown(lookup, entry)) return toStale(entry, 'memory', 'error');
    const { revalidateSeconds } = freshnessOf(entry.readPolicy?.settings.metadata ?? null);
    if (entry.stalenessSeconds < revalidateSeconds) {
      refresh(lookup);
      return toStale(entry, 'memory', 'revalidating');
    }

    // Whoever repeats what a busy object has just refused makes it worse.
    if (failures.isBusy(lookup)) return Promise.reject(new StorageError('SlowDown'));

    // After a failure one request reads, for as long as it takes; the others
    // answer by what becomes of that.
    failures.renew(lookup);
    return readOrStale(lookup);
  };

  return {
    peek: memory.peek,
    find,
    findAll: (bucket, keys, load) => findAll(find, bucket, keys, load),
    evict(bucket, keys) {
      memory.evict(bucket, keys);
      feeds.revoke(bucket, keys);
      reader.leave(bucket);
      if (forgetting.isOn(bucket)) return;
      forgetting.begin(bucket);
      background.run('forget-state', () => colo.removeState(bucket));
    },
    staleForMs: (mode) =>
      mode === 'unknown'
        ? Math.max(...(['strict', 'balanced', 'kv'] as const).map(boundOf))
        : boundOf(mode),
  };

  function boundOf(mode: Parameters<typeof freshnessOf>[0]): number {
    return boundMs(freshnessOf(mode));
  }
}
