// The memory tier of pointers and read policies: least recently used ones leave first. On Node it is all
// there is and exact; on Cloudflare others stand behind it. It never asks anybody; the hot metadata
// of the home fills it with what was said.
//
// Why no stale fill survives. A fill brings what was read after its ticket was taken. `evict` notes
// the number of the last ticket, and a fill with that or an older ticket is dropped, because its
// read may be older than the commit. Where many evictions were noted the oldest note is forgotten,
// and then every fill with a ticket that old is dropped. On Node the commit is seen by readers
// before its evict is called; `hold` closes that window: from before the commit is sent until after
// it was answered the key is not kept at all, so all its readers ask the index.
import { LRUCache } from 'lru-cache';
import type {
  BucketId,
  BucketName,
  BucketReadPolicy,
  ObjectKey,
  Pointer,
} from '../../domain/nouns.ts';
import { canBePublic } from '../../domain/pointer.ts';
import { isPurged } from '../../domain/purge.ts';
import type { Known } from '../../ports/hot-metadata.ts';
import type { Clock } from '../../ports/system.ts';
import type { CacheStats } from './cache-metrics.ts';
import { createPairMemo } from './pair-memo.ts';

export type MemoryPointersOptions = {
  readonly clock: Clock;
  /** Entries and estimated bytes of pointers and read policies together. */
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** Seconds for which "there is none" is kept. */
  readonly negativeFreshSeconds: number;
  /**
   * Seconds for which a record is fresh; null when every change evicts (Node): then it always is.
   */
  readonly freshSeconds: number | null;
  /** Seconds for which a record that is fresh no more is kept all the same, for `look`. */
  readonly staleSeconds: number;
};

/** A record as memory holds it. */
export type Held<Value> = {
  readonly value: Value | null;
  /** Since it was asked for, and since the index vouched for it. */
  readonly age: RecordAge;
  /** Since it stopped being fresh; negative while it is. */
  readonly stalenessSeconds: number;
};

/**
 * What memory holds of a key, however old. A pointer counts only for the life of the bucket that
 * the read policy names.
 */
export type Look = {
  readonly readPolicy: Held<BucketReadPolicy> | null;
  readonly pointer: Held<Pointer> | null;
};

/**
 * Taken before the question, given back with what was read: a fill that an eviction overtook is
 * dropped, and what was read counts as no younger than the question.
 */
export type FillEpoch = { readonly lastEviction: number; readonly atMs: number };

/** How old a record is, seconds: since it was asked for, and since the index vouched for it. */
export type RecordAge = { readonly sinceStored: number; readonly sinceValidated: number };
/**
 * Where the values of a fill come from, if not from the index; ages at the ticket. `revision`: the
 * bucket's, of the pointer.
 */
export type FillOrigin = RecordAge & { readonly revision?: number };

export type MemoryPointers = {
  /** As the port's. */
  peek(bucket: BucketName, key: ObjectKey): Known | null;
  look(bucket: BucketName, key: ObjectKey): Look;
  epoch(): FillEpoch;
  fill(
    bucket: BucketName,
    key: ObjectKey,
    known: Known,
    epoch: FillEpoch,
    origin?: FillOrigin,
  ): void;
  evict(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
  /**
   * Evicts, and keeps nothing of these keys (null: of the read policy) until `release` was called as
   * often.
   */
  hold(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
  release(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
  /** Whether the key or the read policy is held. */
  isHeld(bucket: BucketName, key: ObjectKey): boolean;
  /** Of pointers and read policies, and of "there is none". */
  stats(): readonly CacheStats[];
};

/**
 * Evictions remembered; at 5,000 writes a second this is a second of them, and a fill takes
 * milliseconds.
 */
const EVICTIONS_REMEMBERED = 4096;
/**
 * Share of `maxEntries` that "there is none" may fill, so that a scan of missing keys cannot push
 * pointers out.
 */
const NEGATIVE_SHARE = 1 / 8;
/** Names of pointers that are kept; about 250 B each. */
const NAMES_MAX = 8192;
/**
 * What a pointer costs besides its texts and inline bytes: objects, prepared headers, list links.
 * Estimate, bytes.
 */
const POINTER_OVERHEAD_BYTES = 2048;
const GATE_OVERHEAD_BYTES = 512;

const NEW: FillOrigin = { sinceStored: 0, sinceValidated: 0 };

/**
 * `readPolicyId`: the life of the bucket that a pointer was read from; it is no answer for a later life
 * of that name.
 */
type Entry<Value> = {
  readonly value: Value;
  readonly storedAtMs: number;
  readonly validatedAtMs: number;
  readonly readPolicyId: BucketId | null;
  /** Revision of the bucket that it was read at. */
  readonly revision: number;
};

/** Makes an empty tier. Cost of a hit: two look-ups, about 0.3 µs, no I/O. */
export function createMemoryPointers(options: MemoryPointersOptions): MemoryPointers {
  const { clock, freshSeconds, negativeFreshSeconds } = options;
  const evicted = { pointers: 0, missing: 0 };
  const found = new LRUCache<string, Entry<Pointer | BucketReadPolicy>>({
    max: options.maxEntries,
    maxSize: options.maxBytes,
    sizeCalculation: ({ value }, name) => sizeOf(value) + 2 * name.length,
    dispose(_entry, _name, reason) {
      if (reason === 'evict') evicted.pointers += 1;
    },
  });
  const missing = new LRUCache<string, Entry<null>>({
    max: Math.max(1, Math.ceil(options.maxEntries * NEGATIVE_SHARE)),
    dispose(_entry, _name, reason) {
      if (reason === 'evict') evicted.missing += 1;
    },
  });
  const evictions = createEvictionMemory();
  const holds = new Map<string, number>();

  const names = createPairMemo<BucketName, ObjectKey, string>(NAMES_MAX);

  /** The name of a pointer that is asked for again and again. */
  function knownName(bucket: BucketName, key: ObjectKey): string {
    let name = names.get(bucket, key);
    if (name === undefined) {
      name = pointerName(bucket, key);
      names.set(bucket, key, name);
    }
    return name;
  }

  const entryOf = (name: string): Entry<Pointer | BucketReadPolicy | null> | undefined =>
    found.get(name) ?? missing.get(name);

  /** Seconds since the record stopped being fresh; negative while it is. */
  function overdue({ value, storedAtMs }: Entry<unknown>): number {
    const limit = value === null ? negativeFreshSeconds : freshSeconds;
    if (limit === null) return Number.NEGATIVE_INFINITY;
    return Math.max(0, clock.nowMs() - storedAtMs) / 1000 - limit;
  }

  function held<Value>(entry: Entry<unknown> | undefined): Held<Value> | null {
    if (entry === undefined) return null;
    const stalenessSeconds = overdue(entry);
    if (stalenessSeconds >= 0 && (entry.value === null || stalenessSeconds >= options.staleSeconds))
      return null;
    const since = (ms: number) => Math.max(0, clock.nowMs() - ms) / 1000;
    const age = {
      sinceStored: since(entry.storedAtMs),
      sinceValidated: since(entry.validatedAtMs),
    };
    return { value: entry.value as Value | null, age, stalenessSeconds };
  }

  function keep(name: string, entry: Entry<Pointer | BucketReadPolicy | null>): void {
    if (entry.value === null) {
      found.delete(name);
      missing.set(name, entry as Entry<null>);
    } else {
      missing.delete(name);
      found.set(name, entry as Entry<Pointer | BucketReadPolicy>);
    }
  }

  function evict(bucket: BucketName, keys: readonly ObjectKey[] | null): void {
    for (const name of namesOf(bucket, keys)) {
      found.delete(name);
      missing.delete(name);
      evictions.note(name);
    }
  }

  return {
    peek(bucket, key) {
      const ofReadPolicy = entryOf(readPolicyName(bucket));
      if (ofReadPolicy === undefined || overdue(ofReadPolicy) >= 0) return null;
      const readPolicy = ofReadPolicy.value as BucketReadPolicy | null;
      // Where nobody may read no pointer is needed to say no, so strangers can't make a closed
      // bucket cost index reads.
      if (readPolicy === null || !canBePublic(readPolicy.access, key))
        return { readPolicy, pointer: null };
      const ofPointer = entryOf(knownName(bucket, key));
      if (
        ofPointer === undefined ||
        ofPointer.readPolicyId !== ofReadPolicy.readPolicyId ||
        overdue(ofPointer) >= 0
      )
        return null;
      if (isBelowFloor(readPolicy, key, ofPointer)) return null;
      return { readPolicy, pointer: ofPointer.value as Pointer | null };
    },
    look(bucket, key) {
      const ofReadPolicy = entryOf(readPolicyName(bucket));
      const ofPointer = entryOf(pointerName(bucket, key));
      const readPolicy = (ofReadPolicy?.value ?? null) as BucketReadPolicy | null;
      const isOfThisIncarnation =
        ofReadPolicy === undefined || ofReadPolicy.readPolicyId === ofPointer?.readPolicyId;
      const isUsable =
        ofPointer !== undefined && isOfThisIncarnation && !isBelowFloor(readPolicy, key, ofPointer);
      return {
        readPolicy: held<BucketReadPolicy>(ofReadPolicy),
        pointer: isUsable ? held<Pointer>(ofPointer) : null,
      };
    },
    epoch: () => ({ lastEviction: evictions.last(), atMs: clock.nowMs() }),
    fill(bucket, key, { readPolicy, pointer }, epoch, origin = NEW) {
      const read = {
        storedAtMs: epoch.atMs - origin.sinceStored * 1000,
        validatedAtMs: epoch.atMs - origin.sinceValidated * 1000,
        readPolicyId: readPolicy?.bucketId ?? null,
        revision: readPolicy?.revision ?? 0,
      };
      const isFillable = (name: string) => !holds.has(name) && !evictions.hasOvertaken(name, epoch);
      // Both or neither: a pointer whose read policy moved on meanwhile may be of another life of the
      // bucket.
      const [ofReadPolicy, ofPointer] = [readPolicyName(bucket), pointerName(bucket, key)];
      if (!isFillable(ofReadPolicy) || isOvertaken(found.get(ofReadPolicy), read)) return;
      keep(ofReadPolicy, { ...read, value: readPolicy });
      const revision = origin.revision ?? read.revision;
      if (isFillable(ofPointer)) keep(ofPointer, { ...read, revision, value: pointer });
    },
    evict,
    hold(bucket, keys) {
      for (const name of namesOf(bucket, keys)) holds.set(name, (holds.get(name) ?? 0) + 1);
      evict(bucket, keys);
    },
    release(bucket, keys) {
      for (const name of namesOf(bucket, keys)) {
        const left = (holds.get(name) ?? 0) - 1;
        if (left > 0) holds.set(name, left);
        else holds.delete(name);
      }
      evict(bucket, keys);
    },
    isHeld: (bucket, key) =>
      holds.size > 0 && (holds.has(readPolicyName(bucket)) || holds.has(pointerName(bucket, key))),
    stats: () => [
      {
        cache: 'pointers',
        entries: found.size,
        bytes: found.calculatedSize,
        maxBytes: options.maxBytes,
        evictions: evicted.pointers,
      },
      {
        cache: 'missing',
        entries: missing.size,
        bytes: null,
        maxBytes: null,
        evictions: evicted.missing,
      },
    ],
  };
}

/**
 * Whether memory knows of a later state of the bucket already: a read that took longer must not
 * bring its floors back.
 */
function isOvertaken(
  known: Entry<unknown> | undefined,
  read: Pick<Entry<unknown>, 'readPolicyId' | 'revision'>,
): boolean {
  return (
    known !== undefined &&
    known.readPolicyId === read.readPolicyId &&
    known.revision > read.revision
  );
}

function isBelowFloor(
  readPolicy: BucketReadPolicy | null,
  key: ObjectKey,
  { value, revision }: Entry<unknown>,
): boolean {
  const purges = readPolicy?.settings.purges ?? null;
  return purges !== null && isPurged(purges, key, value as Pointer | null, revision);
}

// No bucket name contains a slash, so a read policy's name is never a pointer's.
const readPolicyName = (bucket: BucketName): string => bucket;
const pointerName = (bucket: BucketName, key: ObjectKey): string => `${bucket}/${key}`;

function namesOf(bucket: BucketName, keys: readonly ObjectKey[] | null): string[] {
  return keys === null ? [readPolicyName(bucket)] : keys.map((key) => pointerName(bucket, key));
}

function sizeOf(value: Pointer | BucketReadPolicy): number {
  if ('access' in value) {
    const { policyJson } = value.access;
    const { cors, website, hosting, purges } = value.settings;
    // Objects of some short strings each take a few times what their text does.
    const isPlain = cors === null && website === null && hosting === null && purges === null;
    const settingsLength = isPlain ? 0 : JSON.stringify(value.settings).length;
    return GATE_OVERHEAD_BYTES + 4 * (policyJson?.length ?? 0) + 6 * settingsLength;
  }
  let sizeBytes =
    POINTER_OVERHEAD_BYTES + (value.inlineBytes?.length ?? 0) + 256 * value.segments.length;
  for (const [name, text] of Object.entries(value.userMetadata))
    sizeBytes += 2 * (name.length + text.length) + 64;
  for (const text of Object.values(value.headers)) sizeBytes += 2 * text.length + 32;
  return sizeBytes;
}

/** Numbers the evictions. A ticket has the number of the last one before it. */
function createEvictionMemory() {
  const numbers = new Map<string, number>();
  let last = 0;
  /** Number of the youngest eviction that was forgotten. */
  let forgotten = 0;
  return {
    last: (): number => last,
    note(name: string): void {
      last += 1;
      numbers.delete(name);
      numbers.set(name, last);
      if (numbers.size <= EVICTIONS_REMEMBERED) return;
      const [oldest] = numbers;
      if (oldest === undefined) return;
      numbers.delete(oldest[0]);
      forgotten = oldest[1];
    },
    hasOvertaken: (name: string, { lastEviction }: FillEpoch): boolean =>
      lastEviction < forgotten || (numbers.get(name) ?? 0) > lastEviction,
  };
}
