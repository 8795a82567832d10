// The memory tier of pointers and bucket read policies. On Node it is all there is
// and exact; on Cloudflare KV and the index stand behind it. It calls nobody; the
// hot metadata of the platform fills it with what was read.
//
// A race: a reader loads a pointer; a writer commits and evicts it; the reader
// stores the old one. Guard: each load takes an epoch (fill-epochs.ts), and a fill
// that an eviction overtook is dropped. On Node readers see a commit before its
// `evict` is called. Guard: `block`, a fill barrier, from before the commit is sent
// until it was answered; nothing of the key is kept meanwhile, so all its readers
// read the index.
import type { BucketName, BucketReadPolicy, ObjectKey, Pointer } from '../../domain/nouns.ts';
import { canBePublic } from '../../domain/pointer.ts';
import { isPurged } from '../../domain/purge.ts';
import type { KnownMetadata } from '../../ports/caches/hot-metadata.ts';
import type { Clock } from '../../ports/system.ts';
import type { CacheStats } from './cache-metrics.ts';
import {
  type ChangeReader,
  type ChangeReading,
  createFillBarrier,
  createFillEpochs,
  type FillBarrier,
  type FillEpoch,
} from './fill-epochs.ts';
import { createPairMemo } from './pair-memo.ts';
import { createPointerRecords, type PointerRecord } from './pointer-records.ts';

export type MemoryPointersOptions = {
  readonly clock: Clock;
  /** Entries and estimated bytes of pointers and read policies together. */
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** How long the negative cache keeps an absence, seconds. */
  readonly negativeFreshSeconds: number;
  /**
   * Seconds for which a record is fresh; null when every change evicts (Node): then
   * it always is.
   */
  readonly freshSeconds: number | null;
  /**
   * Seconds for which a record that is fresh no more is kept all the same, for
   * `look`.
   */
  readonly staleSeconds: number;
  /** The counts of changes, where another thread writes: epochs bring readings of them. */
  readonly changes?: ChangeReader;
  /**
   * How long what a bucket's record or pointers say is fresh, where buckets differ; by
   * default as above.
   */
  readonly freshnessOf?: (readPolicy: BucketReadPolicy | null) => {
    readonly freshSeconds: number;
    readonly negativeSeconds: number;
  };
};

/** A record of the tier, and how old it is. */
export type CacheEntry<Value> = {
  readonly value: Value | null;
  readonly age: RecordAge;
  /** Seconds since the record stopped being fresh; negative while it is. */
  readonly stalenessSeconds: number;
};

/**
 * What the tier has of a key, however old. A pointer counts only for the
 * incarnation of the bucket that the read policy names.
 */
export type Look = {
  readonly readPolicy: CacheEntry<BucketReadPolicy> | null;
  readonly pointer: CacheEntry<Pointer> | null;
};

/**
 * How old a record is, seconds: since it was stored, and since the index validated
 * it (RFC 9111).
 */
export type RecordAge = { readonly sinceStored: number; readonly sinceValidated: number };
/**
 * Ages of values that a fill brings from elsewhere than the index, counted at its
 * epoch. `revision`: the bucket's, of the pointer.
 */
export type FillOrigin = RecordAge & { readonly revision?: number };

export type MemoryPointers = {
  /** Returns what is fresh, as the port's `peek` does. */
  peek(bucket: BucketName, key: ObjectKey, isInvited?: boolean): KnownMetadata | null;
  look(bucket: BucketName, key: ObjectKey): Look;
  epoch(): FillEpoch;
  fill(
    bucket: BucketName,
    key: ObjectKey,
    known: KnownMetadata,
    epoch: FillEpoch,
    origin?: FillOrigin,
  ): void;
  evict(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
  /**
   * Evicts, and keeps nothing of these keys (null: of the read policy) until as
   * many `unblock`.
   */
  block(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
  unblock(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
  /** Whether the key or the read policy is blocked. */
  isBlocked(bucket: BucketName, key: ObjectKey): boolean;
  /** Counts of pointers with read policies, and of the negative cache. */
  stats(): readonly CacheStats[];
};

/** Names of pointers that are remembered as strings; about 250 B each. */
const NAMES_MAX = 8192;

const NEW: FillOrigin = { sinceStored: 0, sinceValidated: 0 };

/** Names of pointers that are asked for again and again, each made once. */
function createPointerNames() {
  const names = createPairMemo<BucketName, ObjectKey, string>(NAMES_MAX);

  return (bucket: BucketName, key: ObjectKey): string => {
    let name = names.get(bucket, key);
    if (name === undefined) {
      name = pointerName(bucket, key);
      names.set(bucket, key, name);
    }
    return name;
  };
}

/** The freshness of every bucket where buckets do not differ. */
function usualFreshness({ freshSeconds, negativeFreshSeconds }: MemoryPointersOptions) {
  const usual = {
    freshSeconds: freshSeconds ?? Number.POSITIVE_INFINITY,
    negativeSeconds: negativeFreshSeconds,
  };
  return () => usual;
}

/** Makes an empty tier. Cost of a hit: two lookups, about 0.3 µs, no I/O. */
export function createMemoryPointers(options: MemoryPointersOptions): MemoryPointers {
  const { clock, maxEntries, maxBytes, changes = null } = options;
  const records = createPointerRecords(maxEntries, maxBytes, changes);
  const evictions = createFillEpochs();
  const barrier = createFillBarrier();
  const knownName = createPointerNames();

  const freshnessOf = options.freshnessOf ?? usualFreshness(options);

  /** Seconds since the record stopped being fresh; negative while it is. */
  function staleness(record: PointerRecord<unknown>): number {
    return Math.max(0, clock.nowMs() - record.storedAtMs) / 1000 - record.freshSeconds;
  }

  function entryOf<Value>(record: PointerRecord<unknown> | undefined): CacheEntry<Value> | null {
    if (record === undefined) return null;
    const stalenessSeconds = staleness(record);
    const mayBeStaleSeconds = record.value === null ? 0 : options.staleSeconds;
    if (stalenessSeconds >= 0 && stalenessSeconds >= mayBeStaleSeconds) return null;

    const since = (ms: number) => Math.max(0, clock.nowMs() - ms) / 1000;
    const { storedAtMs, validatedAtMs } = record;
    const age = { sinceStored: since(storedAtMs), sinceValidated: since(validatedAtMs) };
    return { value: record.value as Value | null, age, stalenessSeconds };
  }

  function evict(bucket: BucketName, keys: readonly ObjectKey[] | null): void {
    for (const name of namesOf(bucket, keys)) {
      records.delete(name);
      evictions.note(name);
    }
  }

  return {
    peek(bucket, key, isInvited = false) {
      const ofReadPolicy = records.get(readPolicyName(bucket));
      if (ofReadPolicy === undefined || staleness(ofReadPolicy) >= 0) return null;
      const readPolicy = ofReadPolicy.value as BucketReadPolicy | null;
      // Where nobody may read no pointer is needed to say no, so strangers can't
      // make a closed bucket cost index reads.
      if (readPolicy === null || !(isInvited || canBePublic(readPolicy.access, key)))
        return { readPolicy, pointer: null };
      const ofPointer = records.get(knownName(bucket, key));
      if (
        ofPointer === undefined ||
        ofPointer.readPolicyId !== ofReadPolicy.readPolicyId ||
        staleness(ofPointer) >= 0
      )
        return null;
      if (isPurgedRecord(readPolicy, key, ofPointer)) return null;
      return { readPolicy, pointer: ofPointer.value as Pointer | null };
    },
    look(bucket, key) {
      const ofReadPolicy = records.get(readPolicyName(bucket));
      const ofPointer = records.get(pointerName(bucket, key));
      const readPolicy = (ofReadPolicy?.value ?? null) as BucketReadPolicy | null;
      const isOfThisIncarnation =
        ofReadPolicy === undefined || ofReadPolicy.readPolicyId === ofPointer?.readPolicyId;
      const isPresent = ofPointer !== undefined && isOfThisIncarnation;
      const isUsable = isPresent && !isPurgedRecord(readPolicy, key, ofPointer);
      return {
        readPolicy: entryOf<BucketReadPolicy>(ofReadPolicy),
        pointer: isUsable ? entryOf<Pointer>(ofPointer) : null,
      };
    },
    epoch: () => ({ lastEviction: evictions.last(), atMs: clock.nowMs() }),
    fill(bucket, key, loaded, epoch, origin = NEW) {
      const { ofReadPolicy, ofPointer } = recordsOf(loaded, epoch, {
        ...freshnessOf(loaded.readPolicy),
        origin,
      });
      const isFillable = (name: string, reading: ChangeReading | null | undefined) =>
        reading !== null && !barrier.isBlocked(name) && !evictions.hasOvertaken(name, epoch);
      // Both or neither: a pointer whose read policy moved on may be of another
      // incarnation.
      const { readings } = epoch;
      const name = readPolicyName(bucket);
      const known = records.getPresent(name);
      if (!isFillable(name, readings?.readPolicy) || isOvertaken(known, ofReadPolicy)) return;
      records.set(name, ofReadPolicy);
      const ofKey = pointerName(bucket, key);
      if (isFillable(ofKey, readings?.pointer)) records.set(ofKey, ofPointer);
    },
    evict,
    block(bucket, keys) {
      for (const name of namesOf(bucket, keys)) barrier.block(name);
      evict(bucket, keys);
    },
    unblock(bucket, keys) {
      for (const name of namesOf(bucket, keys)) barrier.unblock(name);
      evict(bucket, keys);
    },
    isBlocked: (bucket, key) => barrier.isUp() && isKeyBlocked(barrier, bucket, key),
    stats: records.stats,
  };
}

/** What was read, as two records. */
function recordsOf(
  { readPolicy, pointer }: KnownMetadata,
  epoch: FillEpoch,
  times: {
    readonly freshSeconds: number;
    readonly negativeSeconds: number;
    readonly origin: FillOrigin;
  },
) {
  const { freshSeconds, negativeSeconds, origin } = times;
  const read = {
    storedAtMs: epoch.atMs - origin.sinceStored * 1000,
    validatedAtMs: epoch.atMs - origin.sinceValidated * 1000,
    readPolicyId: readPolicy?.bucketId ?? null,
    revision: readPolicy?.revision ?? 0,
  };
  return {
    ofReadPolicy: {
      ...read,
      value: readPolicy,
      freshSeconds: readPolicy === null ? negativeSeconds : freshSeconds,
      reading: epoch.readings?.readPolicy ?? undefined,
    },
    ofPointer: {
      ...read,
      value: pointer,
      revision: origin.revision ?? read.revision,
      freshSeconds: pointer === null ? negativeSeconds : freshSeconds,
      reading: epoch.readings?.pointer ?? undefined,
    },
  };
}

/**
 * Whether memory has a later state of the bucket already: a slower read must not
 * bring its older invalidation watermarks back.
 */
function isOvertaken(
  known: PointerRecord<unknown> | undefined,
  read: Pick<PointerRecord<unknown>, 'readPolicyId' | 'revision'>,
): boolean {
  return (
    known !== undefined &&
    known.readPolicyId === read.readPolicyId &&
    known.revision > read.revision
  );
}

function isPurgedRecord(
  readPolicy: BucketReadPolicy | null,
  key: ObjectKey,
  { value, revision }: PointerRecord<unknown>,
): boolean {
  const purges = readPolicy?.settings.purges ?? null;
  return purges !== null && isPurged(purges, key, value as Pointer | null, revision);
}

function isKeyBlocked(barrier: FillBarrier, bucket: BucketName, key: ObjectKey): boolean {
  return barrier.isBlocked(readPolicyName(bucket)) || barrier.isBlocked(pointerName(bucket, key));
}

// No bucket name contains a slash, so a read policy's name is never a pointer's.
const readPolicyName = (bucket: BucketName): string => bucket;
const pointerName = (bucket: BucketName, key: ObjectKey): string => `${bucket}/${key}`;

function namesOf(bucket: BucketName, keys: readonly ObjectKey[] | null): string[] {
  return keys === null ? [readPolicyName(bucket)] : keys.map((key) => pointerName(bucket, key));
}
