// Records of the memory tier of pointers: what is there, and a negative cache of
// what is not, each with its own bound, least recently used first out.
// memory-pointers.ts decides what counts.
import { LRUCache } from 'lru-cache';
import type { BucketId, BucketReadPolicy, Pointer } from '../../domain/nouns.ts';
import type { CacheStats } from './cache-metrics.ts';
import type { ChangeReader, ChangeReading } from './fill-epochs.ts';

/** A pointer or read policy as it was read; `value` null: there is none. */
export type PointerRecord<Value> = {
  readonly value: Value;
  readonly storedAtMs: number;
  readonly validatedAtMs: number;
  /** How long it is fresh after it was stored, seconds; Infinity: until a write evicts it. */
  readonly freshSeconds: number;
  /**
   * The incarnation of the bucket that was read; a pointer says nothing of a later
   * one.
   */
  readonly readPolicyId: BucketId | null;
  /** Revision of the bucket that it was read at. */
  readonly revision: number;
  /** Where other threads write: it counts while this reading holds. */
  readonly reading?: ChangeReading | undefined;
};

type Present = PointerRecord<Pointer | BucketReadPolicy>;
type Any = PointerRecord<Pointer | BucketReadPolicy | null>;

/**
 * Share of all entries that absences may fill: a scan of missing keys pushes no
 * pointers out.
 */
const NEGATIVE_SHARE = 1 / 8;
/**
 * A pointer besides its texts and bytes: objects, headers, list links. Estimate,
 * bytes.
 */
const POINTER_OVERHEAD_BYTES = 2048;
const READ_POLICY_OVERHEAD_BYTES = 512;

/** `changes`: the counts that readings of records are compared with. */
export function createPointerRecords(
  maxEntries: number,
  maxBytes: number,
  changes: ChangeReader | null,
) {
  const evicted = { pointers: 0, missing: 0 };
  const present = new LRUCache<string, Present>({
    max: maxEntries,
    maxSize: maxBytes,
    sizeCalculation: ({ value }, name) => sizeOf(value) + 2 * name.length,
    dispose(_record, _name, reason) {
      if (reason === 'evict') evicted.pointers += 1;
    },
  });
  const missing = new LRUCache<string, PointerRecord<null>>({
    max: Math.max(1, Math.ceil(maxEntries * NEGATIVE_SHARE)),
    dispose(_record, _name, reason) {
      if (reason === 'evict') evicted.missing += 1;
    },
  });

  const isCurrent = ({ reading }: Any): boolean =>
    reading === undefined || changes === null || changes.isCurrent(reading);

  return {
    get(name: string): Any | undefined {
      const record = present.get(name) ?? missing.get(name);
      return record !== undefined && isCurrent(record) ? record : undefined;
    },
    getPresent(name: string): Present | undefined {
      const record = present.get(name);
      return record !== undefined && isCurrent(record) ? record : undefined;
    },
    set(name: string, record: Any): void {
      if (record.value === null) {
        present.delete(name);
        missing.set(name, record as PointerRecord<null>);
      } else {
        missing.delete(name);
        present.set(name, record as Present);
      }
    },
    delete(name: string): void {
      present.delete(name);
      missing.delete(name);
    },
    stats: (): readonly CacheStats[] => [
      {
        cache: 'pointers',
        entries: present.size,
        bytes: present.calculatedSize,
        maxBytes,
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

/** Estimated bytes of a record's value in memory. */
function sizeOf(value: Pointer | BucketReadPolicy): number {
  if ('access' in value) return sizeOfReadPolicy(value);

  let sizeBytes =
    POINTER_OVERHEAD_BYTES + (value.inlineBytes?.length ?? 0) + 256 * value.segments.length;
  for (const [name, text] of Object.entries(value.userMetadata))
    sizeBytes += 2 * (name.length + text.length) + 64;
  for (const text of Object.values(value.headers)) sizeBytes += 2 * text.length + 32;
  return sizeBytes;
}

function sizeOfReadPolicy({ access, settings }: BucketReadPolicy): number {
  const { cors, website, hosting, purges } = settings;
  // Objects of some short strings each take a few times what their text does.
  const isPlain = cors === null && website === null && hosting === null && purges === null;
  const settingsLength = isPlain ? 0 : JSON.stringify(settings).length;
  return READ_POLICY_OVERHEAD_BYTES + 4 * (access.policyJson?.length ?? 0) + 6 * settingsLength;
}
