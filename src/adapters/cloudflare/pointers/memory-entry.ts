// What this isolate's memory has for a look-up where it suffices for a response:
// records of the memory tier, which are filled anew with what the change feed proves.
// workers-hot-metadata.ts and read-pointer.ts ask it.
import type { BucketName, BucketReadPolicy, ObjectKey } from '../../../domain/nouns.ts';
import { canBePublic } from '../../../domain/pointer.ts';
import type { KnownMetadata, MetadataLookup } from '../../../ports/caches/hot-metadata.ts';
import type { FillEpoch } from '../../shared/fill-epochs.ts';
import type { Look, MemoryPointers, RecordAge } from '../../shared/memory-pointers.ts';
import type { BucketFeeds } from './bucket-feeds.ts';

/** One lookup on its way through the tiers. */
export type Lookup = {
  readonly bucket: BucketName;
  readonly key: ObjectKey;
  readonly load: () => Promise<KnownMetadata>;
  /** Taken before anything was read, so that a store by an older reader is dropped. */
  readonly epoch: FillEpoch;
  /** Whether the reader was let in by a link, past the read policy. */
  readonly isInvited: boolean;
  /** Memory has nothing of the key: somebody may have made it up. */
  readonly isUnknown?: boolean;
};

/** What memory has of a key; it is as old as its older half. */
export type MemoryEntry = KnownMetadata & {
  readonly age: RecordAge;
  readonly stalenessSeconds: number;
};

export type MemoryEntries = {
  /** What memory has, where it suffices for a response. */
  recall(lookup: Lookup): MemoryEntry | null;
  /** Fills memory with what the feed proves, if that is younger, and recalls. */
  refill(lookup: Lookup): MemoryEntry | null;
};

export function createMemoryEntries(memory: MemoryPointers, feeds: BucketFeeds): MemoryEntries {
  const recall = ({ bucket, key, isInvited }: Lookup): MemoryEntry | null =>
    sufficient(memory.look(bucket, key), key, isInvited);

  return {
    recall,
    refill(lookup) {
      const { bucket, key, epoch, isInvited } = lookup;
      const entry = recall(lookup);
      const proven = feeds.prove(bucket, key, isInvited);
      if (proven === null) return entry;

      const seconds = Math.max(0, epoch.atMs - proven.atMs) / 1000;
      if (entry !== null && entry.age.sinceValidated <= seconds) return entry;
      const age = { sinceStored: seconds, sinceValidated: seconds };
      memory.fill(bucket, key, proven, epoch, { ...age, revision: proven.revision });
      return recall(lookup);
    },
  };
}

/** The lookup that a fresh entry gives. */
export function toFresh(
  { readPolicy, pointer }: MemoryEntry,
  tier: MetadataLookup['tier'],
): MetadataLookup {
  return { readPolicy, pointer, tier, stale: null };
}

/** The lookup that a stale entry gives. */
export function toStale(
  { readPolicy, pointer, age, stalenessSeconds }: MemoryEntry,
  tier: MetadataLookup['tier'],
  reason: 'revalidating' | 'error',
  isForwarded = false,
): MetadataLookup {
  const staleness = { reason, isForwarded, ageSeconds: age.sinceValidated, stalenessSeconds };
  return { readPolicy, pointer, tier, stale: staleness };
}

/** Whether the bucket is there and its policy lets nobody read the key. */
const isClosed = (readPolicy: BucketReadPolicy | null, key: ObjectKey): boolean =>
  readPolicy !== null && !canBePublic(readPolicy.access, key);

function sufficient(
  { readPolicy, pointer }: Look,
  key: ObjectKey,
  isInvited: boolean,
): MemoryEntry | null {
  if (readPolicy === null) return null;
  const isShut = isClosed(readPolicy.value, key);
  // That memory has no pointer of such a key may come from the feed: it proves nothing.
  if (isShut && isInvited && (pointer?.value ?? null) === null) return null;
  if (readPolicy.value === null || (isShut && !isInvited)) {
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
