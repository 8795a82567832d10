// Pointers and read policies near the reader: this isolate's memory first, fresh
// for seconds, then the index. Keys that are too hot for the index are read from KV
// instead (kv-lookup.ts). Requests share plain values, never a promise or stream,
// so each request of a cold herd looks up for itself.
//
// A response is at most as old as the memory tier's bound, plus a record's TTL for
// a published key. While the index fails, memory gives what it has for a bounded
// time and says so. The failure of one key says little of others: each that was
// stale already is looked up for itself, so that a moment of trouble, which
// strangers may have made, shows nobody what was deleted or closed long ago.

import { StorageError } from '../../../domain/errors.ts';
import type { ObjectKey } from '../../../domain/nouns.ts';
import { canBePublic } from '../../../domain/pointer.ts';
import { createCircuitBreaker } from '../../../ports/circuit-breaker.ts';
import type { HotMetadata, KnownMetadata, MetadataLookup } from '../../../ports/hot-metadata.ts';
import { changesReadPolicy } from '../../../ports/index-calls/index-changes.ts';
import type { Background, Clock, Log } from '../../../ports/system.ts';
import { findAll } from '../../shared/find-all.ts';
import type { Look, MemoryPointers, RecordAge } from '../../shared/memory-pointers.ts';
import { KV_RECORD_TTL_SECONDS, pointerName } from './hot-records.ts';
import { COOLDOWN_MS, createIndexFailures } from './index-failures.ts';
import type { Lookup } from './kv-lookup.ts';
import { createKvReader, type KvReader, withOneRead } from './kv-reader.ts';
import type { KvRecordTtls } from './kv-record-ttls.ts';
import { createPointerReader } from './read-pointer.ts';

export type KvHotMetadataOptions = {
  readonly kv: Pick<KVNamespace, 'get'>;
  readonly memory: MemoryPointers;
  readonly ttls: KvRecordTtls;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
  /** Settings of the same names; src/config has their meaning and units. */
  readonly settings: {
    readonly pointerFreshSeconds: number;
    readonly staleWhileRevalidateSeconds: number;
    readonly staleIfErrorSeconds: number;
    readonly negativeFreshSeconds: number;
    readonly tierLimitMs: number;
  };
  /** From 0 to 1. */
  readonly random?: () => number;
};

/**
 * What memory has for a key, where it suffices for a response, and how old it is.
 */
type MemoryEntry = KnownMetadata & { readonly age: RecordAge; readonly stalenessSeconds: number };

/**
 * A lookup that memory can't answer costs one call of the index, or one bulk read
 * of KV.
 */
export function createKvHotMetadata(options: KvHotMetadataOptions): HotMetadata {
  const { memory, ttls, clock, background, log, settings } = options;
  const alone = createKvReader(options.kv, options.random ?? Math.random);
  const failures = createIndexFailures(clock, settings);
  const readPointer = createPointerReader({ ...options, failures });
  /** Open for a key while a refresh of it is under way. */
  const refreshing = createCircuitBreaker(clock, COOLDOWN_MS);

  const recall = ({ bucket, key, isInvited }: Lookup): MemoryEntry | null =>
    sufficient(memory.look(bucket, key), key, isInvited);

  async function readOrStale(lookup: Lookup): Promise<MetadataLookup> {
    try {
      return await readPointer(lookup);
    } catch (error) {
      // Looked up again: a write may have taken it away meanwhile.
      const entry = recall(lookup);
      const isTooOld = entry === null || entry.stalenessSeconds >= settings.staleIfErrorSeconds;
      if (!isOutage(error) || isTooOld) throw error;
      failures.note(lookup);
      log.error('index-read-failed', { bucket: lookup.bucket, cause: error });
      return stale(entry, 'error', true);
    }
  }

  /** Looks up behind the response, unless another request does already. */
  function refresh(lookup: Lookup): void {
    const name = pointerName(lookup.bucket, lookup.key);
    if (refreshing.isOn(name)) return;
    refreshing.begin(name);
    background.run('refresh-pointer', async () => {
      try {
        await readPointer(lookup);
      } catch (error) {
        if (isOutage(error)) failures.note(lookup);
        throw error;
      } finally {
        refreshing.end(name);
      }
    });
  }

  const findWith =
    (reader: KvReader): HotMetadata['find'] =>
    (bucket, key, load, isInvited = false) => {
      const lookup = { bucket, key, load, epoch: memory.epoch(), reader, isInvited };
      const entry = recall(lookup);
      if (entry === null) return readPointer(lookup);
      if (entry.stalenessSeconds < 0) return fresh(entry);

      if (failures.isDown(lookup, entry.stalenessSeconds)) return stale(entry, 'error', false);
      if (entry.stalenessSeconds < settings.staleWhileRevalidateSeconds) {
        refresh(lookup);
        return stale(entry, 'revalidating', false);
      }

      // After a failure one request reads, for as long as it takes; the others
      // answer by what becomes of that.
      failures.renew(lookup);
      return readOrStale(lookup);
    };

  const { pointerFreshSeconds, staleWhileRevalidateSeconds, negativeFreshSeconds } = settings;
  /**
   * How long memory can show the past: a record, or an absence, which is shown only
   * while fresh.
   */
  const boundMs =
    1000 * Math.max(pointerFreshSeconds + staleWhileRevalidateSeconds, negativeFreshSeconds);

  return {
    peek: memory.peek,
    find: findWith(alone),
    findAll: (bucket, keys, load) =>
      withOneRead(alone, (reader) => findAll(findWith(reader), bucket, keys, load)),
    evict(bucket, keys) {
      memory.evict(bucket, keys);
      ttls.revoke(bucket, keys);
    },
    staleForMs(bucket, change) {
      if (change === 'unknown') return KV_RECORD_TTL_SECONDS * 1000 + boundMs;
      const ofKeys = change === 'readPolicy' ? 0 : ttls.pastUntilMs(bucket, change);
      const ofReadPolicy = changesReadPolicy(change) ? ttls.pastUntilMs(bucket, null) : 0;
      return Math.max(0, Math.max(ofKeys, ofReadPolicy) - clock.nowMs()) + boundMs;
    },
  };
}

/** What memory has, where it suffices for a response; as old as its older half. */
function sufficient(
  { readPolicy, pointer }: Look,
  key: ObjectKey,
  isInvited: boolean,
): MemoryEntry | null {
  if (readPolicy === null) return null;
  const isPointerNeeded =
    readPolicy.value !== null && (isInvited || canBePublic(readPolicy.value.access, key));
  if (!isPointerNeeded) {
    return {
      readPolicy: readPolicy.value,
      pointer: null,
      age: readPolicy.age,
      stalenessSeconds: readPolicy.stalenessSeconds,
    };
  }
  if (pointer === null) return null;
  const older = pointer.stalenessSeconds > readPolicy.stalenessSeconds ? pointer : readPolicy;
  const sinceValidated = Math.max(readPolicy.age.sinceValidated, pointer.age.sinceValidated);
  const { sinceStored } = older.age;
  return {
    readPolicy: readPolicy.value,
    pointer: pointer.value,
    age: { sinceStored, sinceValidated },
    stalenessSeconds: older.stalenessSeconds,
  };
}

function fresh({ readPolicy, pointer }: MemoryEntry): MetadataLookup {
  return { readPolicy, pointer, tier: 'memory', stale: null };
}

function stale(
  { readPolicy, pointer, age, stalenessSeconds }: MemoryEntry,
  reason: 'revalidating' | 'error',
  isForwarded: boolean,
): MetadataLookup {
  const staleness = { reason, isForwarded, ageSeconds: age.sinceValidated, stalenessSeconds };
  return { readPolicy, pointer, tier: 'memory', stale: staleness };
}

/**
 * Whether the index failed, as opposed to having answered with an error of the
 * request. Source: RFC 5861 section 4.
 */
function isOutage(error: unknown): boolean {
  if (!(error instanceof StorageError)) return true;
  return (
    error.code === 'InternalError' ||
    error.code === 'ServiceUnavailable' ||
    error.code === 'SlowDown'
  );
}
