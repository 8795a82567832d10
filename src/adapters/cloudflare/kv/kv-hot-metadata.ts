// Pointers and read policies near the reader: first this isolate's memory, fresh for seconds, then the
// index; KV in the place of the index for keys that are too hot for it (hot-publisher.ts writes
// them, this file only reads). Between requests it shares plain values, never a promise or stream,
// so a herd of cold requests asks once each.
//
// How old an answer can be: the memory tier's bound, and for a published key the lease of its
// record more. While the index fails or hangs, what memory holds beyond that is given for a bounded
// time, and says so. But a failure of one key says little of the others: each that was old already
// is asked for itself, so that one moment of trouble, which strangers may have made, shows nobody
// what was deleted or closed long ago.

import { StorageError } from '../../../domain/errors.ts';
import type { BucketName, ObjectKey } from '../../../domain/nouns.ts';
import { canBePublic } from '../../../domain/pointer.ts';
import { isPurged } from '../../../domain/purge.ts';
import { createCircuitBreaker } from '../../../ports/circuit-breaker.ts';
import type { Found, HotMetadata, Known } from '../../../ports/hot-metadata.ts';
import { changesReadPolicy } from '../../../ports/index-calls/index-changes.ts';
import type { Background, Clock, Log } from '../../../ports/system.ts';
import { within } from '../../../ports/with-timeout.ts';
import { findAll } from '../../shared/find-all.ts';
import type { FillEpoch, Look, MemoryPointers, RecordAge } from '../../shared/memory-pointers.ts';
import {
  decodePointer,
  decodeReadPolicy,
  KV_LEASE_SECONDS,
  pointerName,
  type RecordStamp,
  readPolicyName,
} from './hot-records.ts';
import { createKvReader, KV_CACHE_TTL_SECONDS, type KvReader, withOneRead } from './kv-reader.ts';
import type { KeyLeases, KvLeases, Lease } from './kv-record-ttls.ts';

/** How long nobody but one asks again what has just failed, milliseconds. */
const PAUSE_MS = 5000;

export type KvHotMetadataOptions = {
  readonly kv: Pick<KVNamespace, 'get'>;
  readonly memory: MemoryPointers;
  readonly leases: KvLeases;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
  /** As in src/config.ts. */
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

/** What memory holds, when that is enough for an answer, and how old it is. */
type Held = Known & { readonly age: RecordAge; readonly stalenessSeconds: number };

/** One look-up on its way down. */
type Question = {
  readonly bucket: BucketName;
  readonly key: ObjectKey;
  readonly load: () => Promise<Known>;
  readonly epoch: FillEpoch;
  readonly reader: KvReader;
};

/** Cost of a look-up that memory can't answer: one call of the index, or one bulk read of KV. */
export function createKvHotMetadata(options: KvHotMetadataOptions): HotMetadata {
  const { kv, memory, leases, clock, background, log, settings } = options;
  const alone = createKvReader(kv, options.random ?? Math.random);
  const breaker = createCircuitBreaker(clock, PAUSE_MS);
  /** Of a bucket, or of one key in it, since the index failed for it. */
  const failures = createCircuitBreaker(clock, PAUSE_MS);
  /** Keys of which KV had nothing to believe: the place repeats that for as long. */
  const unbelieved = createCircuitBreaker(clock, KV_CACHE_TTL_SECONDS * 1000);

  /**
   * How long memory can show the past: a record, or "there is none", of which nothing is shown once
   * it is not fresh.
   */
  const { pointerFreshSeconds, staleWhileRevalidateSeconds, negativeFreshSeconds } = settings;
  const boundMs =
    1000 * Math.max(pointerFreshSeconds + staleWhileRevalidateSeconds, negativeFreshSeconds);

  const hold = ({ bucket, key }: Question): Held | null => enough(memory.look(bucket, key), key);

  /** From KV, where its object published the key; null: ask the index. */
  async function askKv(
    { bucket, key, epoch, reader }: Question,
    lease: KeyLeases,
  ): Promise<Found | null> {
    const { readPolicy: known } = memory.look(bucket, key);
    const freshReadPolicy = known !== null && known.stalenessSeconds < 0 ? known : null;
    const names = { readPolicy: readPolicyName(bucket), pointer: pointerName(bucket, key) };
    const read = () =>
      reader.read(freshReadPolicy === null ? [names.readPolicy, names.pointer] : [names.pointer]);
    let texts: Map<string, string | null>;
    try {
      texts = await within(settings.tierLimitMs, 'KV', read);
    } catch (cause) {
      breaker.begin('kv');
      log.error('kv-read-failed', { bucket, cause });
      return null;
    }
    const pointer = trusted(decodePointer(texts.get(names.pointer)), lease.pointer);
    if (pointer !== null) leases.extend(names.pointer, pointer.untilMs);
    if (freshReadPolicy !== null) return keep(freshReadPolicy.value, pointer, freshReadPolicy.age);
    const readPolicy = trusted(decodeReadPolicy(texts.get(names.readPolicy)), lease.readPolicy);
    if (readPolicy === null) return null;
    leases.extend(names.readPolicy, readPolicy.untilMs);
    return keep(readPolicy.readPolicy, pointer, {
      sinceStored: 0,
      sinceValidated: secondsSince(readPolicy.atMs),
    });

    /** Before the question, where ages are counted from. */
    function secondsSince(atMs: number): number {
      return Math.max(0, epoch.atMs - atMs) / 1000;
    }

    function keep(
      readPolicy: Known['readPolicy'],
      record: typeof pointer,
      age: RecordAge,
    ): Found | null {
      if (readPolicy === null || record === null || record.bucketId !== readPolicy.bucketId)
        return null;
      const { purges } = readPolicy.settings;
      if (purges !== null && isPurged(purges, key, record.pointer, record.revision)) return null;
      const found = { readPolicy, pointer: record.pointer };
      const sinceValidated = Math.max(age.sinceValidated, secondsSince(record.atMs));
      // What memory had already keeps its age: a fresh pointer must not make the read policy younger.
      memory.fill(bucket, key, found, epoch, { ...age, sinceValidated, revision: record.revision });
      return { ...found, tier: 'kv', stale: null };
    }
  }

  function trusted<Record extends RecordStamp>(record: Record | null, lease: Lease): Record | null {
    return record !== null && record.sequence >= lease.sequence && record.untilMs > clock.nowMs()
      ? record
      : null;
  }

  async function askIndex({ bucket, key, epoch, load }: Question): Promise<Found> {
    const known = await within(settings.tierLimitMs, 'the index', load);
    failures.end(bucket);
    failures.end(pointerName(bucket, key));
    memory.fill(bucket, key, known, epoch);
    return { ...known, tier: 'index', stale: null };
  }

  async function ask(question: Question): Promise<Found> {
    const lease = leases.of(question.bucket, question.key);
    if (lease === null || breaker.isOn('kv') || question.reader.isSampled())
      return askIndex(question);
    const name = pointerName(question.bucket, question.key);
    if (unbelieved.isOn(name)) return askIndex(question);
    const found = await askKv(question, lease);
    if (found !== null) return found;
    unbelieved.begin(name);
    return askIndex(question);
  }

  function noteFailure({ bucket, key }: Question): void {
    failures.begin(bucket);
    failures.begin(pointerName(bucket, key));
  }

  /**
   * Whether it is known already that the index can't say: of this key, or of a record that was good
   * when it failed last.
   */
  function isLeftAlone({ bucket, key }: Question, { stalenessSeconds }: Held): boolean {
    if (stalenessSeconds >= settings.staleIfErrorSeconds) return false;
    if (failures.isOn(pointerName(bucket, key))) return true;
    const staleThen = stalenessSeconds - failures.lastedMs(bucket) / 1000;
    return failures.isOn(bucket) && staleThen < settings.staleWhileRevalidateSeconds;
  }

  async function askOrStale(question: Question): Promise<Found> {
    try {
      return await ask(question);
    } catch (error) {
      // Looked up again: a write may have taken it away meanwhile.
      const held = hold(question);
      if (
        !isOutage(error) ||
        held === null ||
        held.stalenessSeconds >= settings.staleIfErrorSeconds
      )
        throw error;
      noteFailure(question);
      log.error('index-read-failed', { bucket: question.bucket, cause: error });
      return stale(held, 'error', true);
    }
  }

  /** Asks behind the answer, unless somebody does already. */
  function refresh(question: Question): void {
    const name = pointerName(question.bucket, question.key);
    if (breaker.isOn(name)) return;
    breaker.begin(name);
    background.run('refresh-pointer', async () => {
      try {
        await ask(question);
      } catch (error) {
        if (isOutage(error)) noteFailure(question);
        throw error;
      } finally {
        breaker.end(name);
      }
    });
  }

  const findWith =
    (reader: KvReader): HotMetadata['find'] =>
    (bucket, key, load) => {
      const question = { bucket, key, load, epoch: memory.epoch(), reader };
      const held = hold(question);
      if (held === null) return ask(question);
      if (held.stalenessSeconds < 0)
        return { readPolicy: held.readPolicy, pointer: held.pointer, tier: 'memory', stale: null };
      if (isLeftAlone(question, held)) return stale(held, 'error', false);
      if (held.stalenessSeconds < settings.staleWhileRevalidateSeconds) {
        refresh(question);
        return stale(held, 'revalidating', false);
      }
      // After a failure one asks, for as long as it takes; the others wait for what becomes of
      // that.
      failures.renew(pointerName(bucket, key));
      return askOrStale(question);
    };

  return {
    peek: memory.peek,
    find: findWith(alone),
    findAll: (bucket, keys, load) =>
      withOneRead(alone, (reader) => findAll(findWith(reader), bucket, keys, load)),
    evict(bucket, keys) {
      memory.evict(bucket, keys);
      leases.revoke(bucket, keys);
    },
    staleForMs(bucket, change) {
      if (change === 'unknown') return KV_LEASE_SECONDS * 1000 + boundMs;
      const ofKeys = change === 'readPolicy' ? 0 : leases.pastUntilMs(bucket, change);
      const ofReadPolicy = changesReadPolicy(change) ? leases.pastUntilMs(bucket, null) : 0;
      return Math.max(0, Math.max(ofKeys, ofReadPolicy) - clock.nowMs()) + boundMs;
    },
  };
}

/** What is held, when it is enough for an answer; as old as its older half. */
function enough({ readPolicy, pointer }: Look, key: ObjectKey): Held | null {
  if (readPolicy === null) return null;
  if (readPolicy.value === null || !canBePublic(readPolicy.value.access, key)) {
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

function stale(
  { readPolicy, pointer, age, stalenessSeconds }: Held,
  reason: 'revalidating' | 'error',
  isForwarded: boolean,
): Found {
  const staleness = { reason, isForwarded, ageSeconds: age.sinceValidated, stalenessSeconds };
  return { readPolicy, pointer, tier: 'memory', stale: staleness };
}

/** Whether the index could not say, as opposed to what it said. Source: RFC 5861 section 4. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof StorageError)) return true;
  return (
    error.code === 'InternalError' ||
    error.code === 'ServiceUnavailable' ||
    error.code === 'SlowDown'
  );
}
