// Candidates for the memory tier of bodies, all bounded by bytes: plain LRU, and ways to keep a
// scan of cold objects from washing the hot ones out. They see keys and sizes only.
import { LRUCache } from 'lru-cache';

/**
 * One request: true when the key was held. A key that was not held may be taken in, at the price of
 * others.
 */
export type Policy = (key: number, sizeBytes: number) => boolean;

/** Takes everything in; what was unused for longest leaves. */
export function createLru(maxBytes: number): Policy {
  const held = new LRUCache<number, number>({
    maxSize: maxBytes,
    sizeCalculation: (sizeBytes) => sizeBytes,
  });
  return (key, sizeBytes) => {
    if (held.get(key) !== undefined) return true;
    held.set(key, sizeBytes);
    return false;
  };
}

/**
 * "Second request" remembers one name for so many bytes of its budget: a few times as many as it
 * holds bodies.
 */
const BYTES_PER_NAME = 32 * 1024;

/**
 * Takes a key in on the second request for it, as long as the first is remembered. What leaves is
 * forgotten at once.
 */
export function createSecondRequest(maxBytes: number): Policy {
  const held = new LRUCache<number, number>({
    maxSize: maxBytes,
    sizeCalculation: (sizeBytes) => sizeBytes,
  });
  const seen = new LRUCache<number, true>({ max: Math.ceil(maxBytes / BYTES_PER_NAME) });
  return (key, sizeBytes) => {
    if (held.get(key) !== undefined) return true;
    if (seen.has(key)) held.set(key, sizeBytes);
    seen.set(key, true);
    return false;
  };
}

/**
 * Share of the bytes for keys that were asked for again while they were held. The usual one of
 * segmented LRUs.
 */
const PROTECTED_SHARE = 0.8;

/**
 * Two LRUs: new keys go into the small one, and into the large one at their next request; scans
 * pass the small one only.
 */
export function createSegmented(maxBytes: number): Policy {
  const sizeCalculation = (sizeBytes: number) => sizeBytes;
  const hotBytes = Math.floor(maxBytes * PROTECTED_SHARE);
  const probation = new LRUCache<number, number>({ maxSize: maxBytes - hotBytes, sizeCalculation });
  const hot = new LRUCache<number, number>({
    maxSize: hotBytes,
    sizeCalculation,
    dispose(sizeBytes, key, reason) {
      if (reason === 'evict') demoted.push([key, sizeBytes]);
    },
  });
  const demoted: [key: number, sizeBytes: number][] = [];
  return (key, sizeBytes) => {
    if (hot.get(key) !== undefined) return true;
    if (!probation.delete(key)) {
      probation.set(key, sizeBytes);
      return false;
    }
    hot.set(key, sizeBytes);
    for (const [old, oldBytes] of demoted.splice(0)) probation.set(old, oldBytes);
    return true;
  };
}

/**
 * Counters of the sketch: a power of two; and requests after which all are halved, so that old fame
 * fades.
 */
const COUNTERS = 65_536;
const SAMPLE_REQUESTS = 10 * COUNTERS;
const HASHES = [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35] as const;
const COUNTER_MAX = 255;

/**
 * LRU whose door is kept by an estimate of how often a key was asked for: a newcomer gets in only
 * past victims that were asked for less. Source: Einziger et al., TinyLFU,
 * https://arxiv.org/abs/1512.00727
 */
export function createTinyLfu(maxBytes: number): Policy {
  const held = new LRUCache<number, number>({
    maxSize: maxBytes,
    sizeCalculation: (sizeBytes) => sizeBytes,
  });
  const counters = new Uint8Array(COUNTERS);
  let sampled = 0;
  const slotsOf = (key: number) => HASHES.map((hash) => Math.imul(key + 1, hash) >>> 16);
  const estimate = (key: number) => Math.min(...slotsOf(key).map((slot) => counters[slot] ?? 0));

  function note(key: number): void {
    for (const slot of slotsOf(key))
      counters[slot] = Math.min(COUNTER_MAX, (counters[slot] ?? 0) + 1);
    if (++sampled < SAMPLE_REQUESTS) return;
    sampled = 0;
    for (const [slot, count] of counters.entries()) counters[slot] = count >> 1;
  }

  /** Whether the newcomer is wanted more than everything that must leave for it. */
  function isWorthIt(key: number, sizeBytes: number): boolean {
    const wanted = estimate(key);
    let freeBytes = maxBytes - held.calculatedSize;
    for (const victim of held.rkeys()) {
      if (freeBytes >= sizeBytes) break;
      if (estimate(victim) >= wanted) return false;
      freeBytes += held.peek(victim) ?? 0;
    }
    return freeBytes >= sizeBytes;
  }

  return (key, sizeBytes) => {
    note(key);
    if (held.get(key) !== undefined) return true;
    if (isWorthIt(key, sizeBytes)) held.set(key, sizeBytes);
    return false;
  };
}

/** The product's numbers: src/adapters/shared/memory-bodies.ts says what they are. */
const KNOWN_KEYS = 8192;
const AGED_EVERY = 10;
const AGED_EVERY_MIN = 1024;
const OFTENER_FACTOR = 2;
const OFTENER_REQUESTS = 2;

/**
 * TinyLFU with exact counts of the keys that are known, halved so often that a change is learned,
 * and a margin, so that keys which are alike do not take turns.
 */
export function createAgedCounts(maxBytes: number): Policy {
  const held = new LRUCache<number, number>({
    maxSize: maxBytes,
    sizeCalculation: (sizeBytes) => sizeBytes,
  });
  const known = new LRUCache<number, { count: number; age: number }>({ max: KNOWN_KEYS });
  let age = 0;
  let requestsLeft = AGED_EVERY_MIN;

  function countOf(key: number): number {
    const record = known.peek(key);
    if (record === undefined) return 0;
    record.count /= 2 ** (age - record.age);
    record.age = age;
    return record.count;
  }

  function note(key: number): void {
    known.set(key, { count: countOf(key) + 1, age });
    requestsLeft -= 1;
    if (requestsLeft > 0) return;
    age += 1;
    requestsLeft = Math.max(AGED_EVERY_MIN, AGED_EVERY * held.size);
  }

  function isWorthIt(key: number, sizeBytes: number): boolean {
    const wanted = countOf(key);
    let freeBytes = maxBytes - held.calculatedSize;
    for (const victim of held.rkeys()) {
      if (freeBytes >= sizeBytes) break;
      if (countOf(victim) * OFTENER_FACTOR + OFTENER_REQUESTS >= wanted) return false;
      freeBytes += held.peek(victim) ?? 0;
    }
    return freeBytes >= sizeBytes;
  }

  return (key, sizeBytes) => {
    note(key);
    if (held.get(key) !== undefined) return true;
    if (isWorthIt(key, sizeBytes)) held.set(key, sizeBytes);
    return false;
  };
}
