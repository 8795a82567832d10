// The memory tier of pointers and gates: least recently used ones leave first. On Node it is all there is and exact;
// on Cloudflare KV stands behind it. It never asks anybody; delivery fills it with what the index said.
//
// Why no stale fill survives. A fill brings what was read after its ticket was taken. `evict` notes the number of
// the last ticket, and a fill with that or an older ticket is dropped, because its read may be older than the commit.
// Where many evictions were noted the oldest note is forgotten, and then every fill with a ticket that old is dropped.
// On Node the commit is seen by readers before its evict is called; `hold` closes that window: from before the
// commit is sent until after it was answered the key is not kept at all, so all its readers ask the index.
import { LRUCache } from 'lru-cache';
import type { BucketGate, BucketId, BucketName, ObjectKey, Pointer } from '../../ports/domain.ts';
import type { FillTicket, HotLookup, HotMetadata, HotRecord } from '../../ports/hot-metadata.ts';
import type { Clock } from '../../ports/system.ts';
import type { CacheStats } from './cache-metrics.ts';

export type MemoryHotMetadataOptions = {
  readonly clock: Clock;
  /** Entries and estimated bytes of pointers and gates together. */
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** Seconds for which "there is none" is kept. */
  readonly negativeFreshSeconds: number;
  /** Seconds after which a record is no longer given at all; null when every change evicts (Node): then age is 0. */
  readonly maxAgeSeconds: number | null;
};

export type MemoryHotMetadata = Omit<HotMetadata, 'get' | 'fill'> & {
  get(bucket: BucketName, key: ObjectKey): HotLookup;
  /** As the port's; `ageSeconds` is how old the values are already (they came from KV). */
  fill(
    bucket: BucketName,
    key: ObjectKey,
    found: { gate: BucketGate | null; pointer: Pointer | null },
    ticket: FillTicket,
    ageSeconds?: number,
  ): void;
  /** Evicts, and keeps nothing of these keys (null: of the gate) until `release` was called as often. */
  hold(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
  release(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
  /** Of pointers and gates, and of "there is none". */
  stats(): readonly CacheStats[];
};

/** Evictions remembered; at 5,000 writes a second this is a second of them, and a fill takes milliseconds. */
const EVICTIONS_REMEMBERED = 4096;
/** Share of `maxEntries` that "there is none" may fill, so that a scan of missing keys cannot push pointers out. */
const NEGATIVE_SHARE = 1 / 8;
/** What a pointer costs besides its texts and inline bytes: objects, prepared headers, list links. Estimate, bytes. */
const POINTER_OVERHEAD_BYTES = 2048;
const GATE_OVERHEAD_BYTES = 512;

/** `gateId`: the life of the bucket that a pointer was read from; it is no answer for a later life of that name. */
type Entry<Value> = { readonly value: Value; readonly filledAtMs: number; readonly gateId: BucketId | null };

/** Makes an empty tier. Cost of a hit: two look-ups, about 0.3 µs, no I/O. */
export function createMemoryHotMetadata(options: MemoryHotMetadataOptions): MemoryHotMetadata {
  const { clock, maxAgeSeconds } = options;
  const evicted = { pointers: 0, missing: 0 };
  const found = new LRUCache<string, Entry<Pointer | BucketGate>>({
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

  /** The entry, if it is young enough to be given. */
  function live(name: string): Entry<Pointer | BucketGate | null> | null {
    const entry = found.get(name) ?? missing.get(name);
    if (entry === undefined) return null;
    const limitSeconds = entry.value === null ? options.negativeFreshSeconds : maxAgeSeconds;
    return limitSeconds !== null && ageOf(entry) >= limitSeconds ? null : entry;
  }

  function ageOf(entry: Entry<unknown>): number {
    return Math.max(0, (clock.nowMs() - entry.filledAtMs) / 1000);
  }

  function toRecord<Value>(entry: Entry<unknown> | null): HotRecord<Value> | null {
    if (entry === null) return null;
    const ageSeconds = maxAgeSeconds === null ? 0 : ageOf(entry);
    return { value: entry.value as Value | null, tier: 'memory', ageSeconds };
  }

  function keep(name: string, value: Pointer | BucketGate | null, gateId: BucketId | null, filledAtMs: number): void {
    if (value === null) {
      found.delete(name);
      missing.set(name, { value, filledAtMs, gateId });
    } else {
      missing.delete(name);
      found.set(name, { value, filledAtMs, gateId });
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
    get(bucket, key) {
      const gate = live(gateName(bucket));
      const pointer = live(pointerName(bucket, key));
      const isOfThisLife = gate === null || gate.gateId === pointer?.gateId;
      return { gate: toRecord<BucketGate>(gate), pointer: isOfThisLife ? toRecord<Pointer>(pointer) : null };
    },
    ticket: evictions.ticket,
    fill(bucket, key, { gate, pointer }, ticket, ageSeconds = 0) {
      const filledAtMs = clock.nowMs() - ageSeconds * 1000;
      const gateId = gate?.bucketId ?? null;
      const isFillable = (name: string) => !holds.has(name) && !evictions.hasOvertaken(name, ticket);
      // Both or neither: a pointer whose gate moved on meanwhile may be of another life of the bucket.
      const [ofGate, ofPointer] = [gateName(bucket), pointerName(bucket, key)];
      if (!isFillable(ofGate)) return;
      keep(ofGate, gate, gateId, filledAtMs);
      if (isFillable(ofPointer)) keep(ofPointer, pointer, gateId, filledAtMs);
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
    stats: () => [
      {
        cache: 'pointers',
        entries: found.size,
        bytes: found.calculatedSize,
        maxBytes: options.maxBytes,
        evictions: evicted.pointers,
      },
      { cache: 'missing', entries: missing.size, bytes: null, maxBytes: null, evictions: evicted.missing },
    ],
  };
}

// No bucket name contains a slash, so a gate's name is never a pointer's.
const gateName = (bucket: BucketName): string => bucket;
const pointerName = (bucket: BucketName, key: ObjectKey): string => `${bucket}/${key}`;

function namesOf(bucket: BucketName, keys: readonly ObjectKey[] | null): string[] {
  return keys === null ? [gateName(bucket)] : keys.map((key) => pointerName(bucket, key));
}

function sizeOf(value: Pointer | BucketGate): number {
  if ('access' in value) {
    const { policyJson } = value.access;
    const { cors, website, hosting } = value.settings;
    // Objects of some short strings each take a few times what their text does.
    const isPlain = cors === null && website === null && hosting === null;
    const settingsLength = isPlain ? 0 : JSON.stringify(value.settings).length;
    return GATE_OVERHEAD_BYTES + 4 * (policyJson?.length ?? 0) + 6 * settingsLength;
  }
  let sizeBytes = POINTER_OVERHEAD_BYTES + (value.inlineBytes?.length ?? 0) + 256 * value.segments.length;
  for (const [name, text] of Object.entries(value.userMetadata)) sizeBytes += 2 * (name.length + text.length) + 64;
  for (const text of Object.values(value.headers)) sizeBytes += 2 * text.length + 32;
  return sizeBytes;
}

/** Numbers the evictions. A ticket is the number of the last one before it. */
function createEvictionMemory() {
  const numbers = new Map<string, number>();
  let last = 0;
  /** Number of the youngest eviction that was forgotten. */
  let forgotten = 0;
  return {
    ticket: (): FillTicket => last,
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
    hasOvertaken: (name: string, ticket: FillTicket): boolean =>
      ticket < forgotten || (numbers.get(name) ?? 0) > ticket,
  };
}
