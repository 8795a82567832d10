// One lookup in KV, in the place of the index: reads the records that the bucket's
// Durable Object has published, and trusts only those that are new enough.
// kv-hot-metadata.ts decides when.
import type { BucketName, ObjectKey } from '../../../domain/nouns.ts';
import { isPurged } from '../../../domain/purge.ts';
import type { CircuitBreaker } from '../../../ports/circuit-breaker.ts';
import type { KnownMetadata, MetadataLookup } from '../../../ports/hot-metadata.ts';
import type { Clock, Log } from '../../../ports/system.ts';
import { withTimeout } from '../../../ports/with-timeout.ts';
import type { FillEpoch } from '../../shared/fill-epochs.ts';
import type { MemoryPointers, RecordAge } from '../../shared/memory-pointers.ts';
import {
  decodePointer,
  decodeReadPolicy,
  type PointerRecord,
  pointerName,
  type RecordStamp,
  readPolicyName,
} from './hot-records.ts';
import type { KvReader } from './kv-reader.ts';
import type { KeyTtls, KvRecordTtls, RecordTtl } from './kv-record-ttls.ts';

/** One lookup on its way through the tiers. */
export type Lookup = {
  readonly bucket: BucketName;
  readonly key: ObjectKey;
  readonly load: () => Promise<KnownMetadata>;
  /**
   * Taken before anything was read, so that a store by an older reader is dropped.
   */
  readonly epoch: FillEpoch;
  readonly reader: KvReader;
  /** See HotMetadata.peek. */
  readonly isInvited: boolean;
};

type KvLookupOptions = {
  readonly memory: MemoryPointers;
  readonly ttls: KvRecordTtls;
  readonly breaker: CircuitBreaker;
  readonly clock: Clock;
  readonly log: Log;
  /** A read of KV that takes longer has failed, milliseconds. */
  readonly limitMs: number;
};

/**
 * Reads a key from KV, and fills memory with it; null: ask the index. Cost: one
 * bulk read.
 */
export function createKvLookup(options: KvLookupOptions) {
  const { memory, ttls, breaker, clock, log, limitMs } = options;

  /** The record, if it is of the present sequence and its TTL is not over. */
  function trusted<Record extends RecordStamp>(
    record: Record | null,
    ttl: RecordTtl,
  ): Record | null {
    const isTrusted =
      record !== null && record.sequence >= ttl.sequence && record.untilMs > clock.nowMs();
    return isTrusted ? record : null;
  }

  async function readTexts({ bucket, reader }: Lookup, names: string[]) {
    try {
      return await withTimeout(limitMs, 'KV', () => reader.read(names));
    } catch (cause) {
      breaker.begin('kv');
      log.error('kv-read-failed', { bucket, cause });
      return null;
    }
  }

  /**
   * Puts both halves together and into memory; null where they are not of one
   * state.
   */
  function store(
    { bucket, key, epoch }: Lookup,
    readPolicy: KnownMetadata['readPolicy'],
    record: PointerRecord | null,
    age: RecordAge,
  ): MetadataLookup | null {
    if (readPolicy === null || record === null || record.bucketId !== readPolicy.bucketId)
      return null;
    const { purges } = readPolicy.settings;
    if (purges !== null && isPurged(purges, key, record.pointer, record.revision)) return null;

    const known = { readPolicy, pointer: record.pointer };
    // What memory had already keeps its age: a fresh pointer must not make the read
    // policy younger.
    const sinceValidated = Math.max(age.sinceValidated, secondsBefore(epoch, record.atMs));
    memory.fill(bucket, key, known, epoch, { ...age, sinceValidated, revision: record.revision });
    return { ...known, tier: 'kv', stale: null };
  }

  return async function readKv(lookup: Lookup, ttl: KeyTtls): Promise<MetadataLookup | null> {
    const { bucket, key, epoch } = lookup;
    const { readPolicy: remembered } = memory.look(bucket, key);
    const isFresh = remembered !== null && remembered.stalenessSeconds < 0;
    const policyName = readPolicyName(bucket);
    const name = pointerName(bucket, key);

    const texts = await readTexts(lookup, isFresh ? [name] : [policyName, name]);
    if (texts === null) return null;

    const pointer = trusted(decodePointer(texts.get(name)), ttl.pointer);
    if (pointer !== null) ttls.extend(name, pointer.untilMs);
    if (isFresh) return store(lookup, remembered.value, pointer, remembered.age);

    const readPolicy = trusted(decodeReadPolicy(texts.get(policyName)), ttl.readPolicy);
    if (readPolicy === null) return null;
    ttls.extend(policyName, readPolicy.untilMs);
    return store(lookup, readPolicy.readPolicy, pointer, {
      sinceStored: 0,
      sinceValidated: secondsBefore(epoch, readPolicy.atMs),
    });
  };
}

/** Seconds from then until the lookup began, from where ages are counted. */
function secondsBefore(epoch: FillEpoch, atMs: number): number {
  return Math.max(0, epoch.atMs - atMs) / 1000;
}
