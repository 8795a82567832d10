// The memory tier of bodies: slices of blobs, least recently used ones leave first.
// On Node it is the only body tier above the disk; on Cloudflare it stands in front
// of the edge tier. Plain bytes only, never a stream.
//
// Once it is full a slice gets in only past slices that were asked for clearly less
// often of late (TinyLFU, with exact counts of the slices that are known). So
// neither a scan of cold objects washes out the hot ones, nor do the slices of a
// hot set that is larger than the tier push out each other (measured,
// bench/admission, bench/body-memory).
import { LRUCache } from 'lru-cache';
import type { BlobId, Segment } from '../../domain/nouns.ts';
import type { CacheStats } from './cache-metrics.ts';
import { createPairMemo } from './pair-memo.ts';

/**
 * What one entry costs besides its bytes: key, list links, typed array. Estimate,
 * bytes.
 */
const ENTRY_OVERHEAD_BYTES = 512;
/**
 * Requests after which all counts are halved, as a multiple of the slices that are
 * kept: old fame fades. With half of it hits are a point fewer, and twice it learns a
 * change of what is hot more slowly.
 */
const AGED_EVERY = 10;
const AGED_EVERY_MIN = 1024;
/**
 * How much oftener than those that leave a slice must have been asked for: slices
 * that are alike would take turns otherwise, each of which costs a read and a
 * megabyte for the collector. Of a hot set five times as large as the tier 0.4 % of
 * the requests admit one, where "oftener" alone lets 8 % in.
 */
const OFTENER_FACTOR = 2;
const OFTENER_REQUESTS = 2;
/** At least so many slices are known, kept or not. */
const KNOWN_MIN = 8192;
/**
 * Share of the budget that one read may take: the readers of one longer file push
 * out each other's slices for ever.
 */
const READ_MAX_SHARE = 1 / 4;

export type MemoryBodies = {
  readonly maxSliceBytes: number;
  /** Counts as a request for `readBytes` of the slice, or for all. */
  peek(slice: Segment, readBytes?: number): Uint8Array | null;
  keep(slice: Segment, bytes: Uint8Array): void;
  /**
   * Says whether a slice is worth loading whole for a read of `readBytes`. It is
   * where there is room. Else the read must be short, and the slice requested clearly
   * oftener than the slices that would be evicted. The call counts as a request for
   * the slice; a read of a part of it counts in proportion.
   */
  admits(slice: Segment, readBytes: number): boolean;
  stats(): CacheStats;
};

/** The name of a slice; equal names hold equal bytes. */
export function sliceName({ blobId, offsetBytes, lengthBytes }: Segment): string {
  return `${blobId}:${offsetBytes}+${lengthBytes}`;
}

/** A slice that was asked for lately: its bytes, if they are kept, and how often. */
type Slice = {
  readonly name: string;
  readonly lengthBytes: number;
  bytes: Uint8Array | null;
  /** Requests, as they count in `age`. */
  requests: number;
  /** How often all counts had been halved when that was counted. */
  age: number;
  /** Whether memory keeps the slice once it is loaded. */
  isAdmitted: boolean;
};

/**
 * Keeps slices of at most `maxSliceBytes` each and `maxBytes` together. A cost of
 * 0.1 µs a hit, no I/O.
 */
export function createMemoryBodies(options: {
  maxBytes: number;
  maxSliceBytes: number;
}): MemoryBodies {
  const maxSliceBytes = Math.max(
    0,
    Math.min(options.maxSliceBytes, options.maxBytes - ENTRY_OVERHEAD_BYTES),
  );
  const empty: CacheStats = {
    cache: 'bodies',
    entries: 0,
    bytes: 0,
    maxBytes: options.maxBytes,
    evictions: 0,
  };
  if (maxSliceBytes === 0) return turnedOff(empty);
  let evictions = 0;
  const slices = new LRUCache<string, Slice>({
    maxSize: options.maxBytes,
    sizeCalculation: ({ lengthBytes }) => lengthBytes + ENTRY_OVERHEAD_BYTES,
    dispose(slice, _name, reason) {
      slice.bytes = null;
      if (reason === 'evict') evictions += 1;
    },
  });
  const fitting = Math.ceil(options.maxBytes / maxSliceBytes);
  const known = createPairMemo<BlobId, number, Slice>(Math.max(KNOWN_MIN, 2 * fitting));
  const requests = createAgedCounts(() => slices.size);
  // One read asks for the same slice several times in a row.
  let lastSegment: Segment | null = null;
  let lastSlice: Slice | null = null;

  function sliceOf(segment: Segment): Slice {
    if (segment === lastSegment && lastSlice !== null) return lastSlice;
    const { blobId, offsetBytes, lengthBytes } = segment;
    let slice = known.get(blobId, offsetBytes);
    if (slice?.lengthBytes !== lengthBytes) {
      const name = sliceName(segment);
      slice = slices.peek(name) ?? newSlice(name, lengthBytes);
      known.set(blobId, offsetBytes, slice);
    }
    lastSegment = segment;
    lastSlice = slice;
    return slice;
  }

  const hasRoomFor = (lengthBytes: number) =>
    slices.calculatedSize + lengthBytes + ENTRY_OVERHEAD_BYTES <= options.maxBytes;

  /** Whether a slice is asked for clearly oftener than all that must leave for it. */
  function isWorthIt(slice: Slice): boolean {
    const wanted = requests.of(slice);
    let freeBytes = options.maxBytes - slices.calculatedSize;
    for (const victim of slices.rvalues()) {
      if (victim === undefined) break;
      if (requests.of(victim) * OFTENER_FACTOR + OFTENER_REQUESTS >= wanted) return false;
      freeBytes += victim.lengthBytes + ENTRY_OVERHEAD_BYTES;
      if (freeBytes >= slice.lengthBytes + ENTRY_OVERHEAD_BYTES) return true;
    }
    return false;
  }

  function admit(slice: Slice, share: number): boolean {
    requests.add(slice, share);
    slice.isAdmitted = hasRoomFor(slice.lengthBytes) || isWorthIt(slice);
    return slice.isAdmitted;
  }

  return {
    maxSliceBytes,
    peek(segment, readBytes = segment.lengthBytes) {
      const slice = sliceOf(segment);
      if (slice.bytes !== null) {
        // Makes it the most recently used.
        slices.get(slice.name);
        requests.add(slice, shareOf(slice, readBytes));
      }
      return slice.bytes;
    },
    keep(segment, bytes) {
      if (bytes.length > maxSliceBytes || bytes.length !== segment.lengthBytes) return;
      const slice = sliceOf(segment);
      if (slice.bytes !== null || !(slice.isAdmitted || admit(slice, 1))) return;
      slice.isAdmitted = false;
      slices.set(slice.name, slice);
      slice.bytes = exact(bytes);
    },
    admits(segment, readBytes) {
      if (readBytes > options.maxBytes * READ_MAX_SHARE) return false;
      const slice = sliceOf(segment);
      return admit(slice, shareOf(slice, readBytes));
    },
    stats: () => ({ ...empty, entries: slices.size, bytes: slices.calculatedSize, evictions }),
  };
}

/** How much of a request a read of so many bytes is. */
function shareOf({ lengthBytes }: Slice, readBytes: number): number {
  return readBytes >= lengthBytes ? 1 : readBytes / lengthBytes;
}

/** The tier that keeps nothing. */
function turnedOff(stats: CacheStats): MemoryBodies {
  return {
    maxSliceBytes: 0,
    peek: () => null,
    keep: () => undefined,
    admits: () => false,
    stats: () => stats,
  };
}

function newSlice(name: string, lengthBytes: number): Slice {
  return { name, lengthBytes, bytes: null, requests: 0, age: 0, isAdmitted: false };
}

/**
 * Counts requests for slices, of which the latter weigh more: all counts are halved
 * now and then, each when it is looked at next. Source: Einziger et al., TinyLFU,
 * https://arxiv.org/abs/1512.00727
 */
function createAgedCounts(entryCount: () => number) {
  let age = 0;
  let requestsLeft = AGED_EVERY_MIN;

  function of(slice: Slice): number {
    if (slice.age !== age) {
      slice.requests /= 2 ** (age - slice.age);
      slice.age = age;
    }
    return slice.requests;
  }

  return {
    of,
    add(slice: Slice, share: number): void {
      slice.requests = of(slice) + share;
      requestsLeft -= 1;
      if (requestsLeft > 0) return;
      age += 1;
      requestsLeft = Math.max(AGED_EVERY_MIN, AGED_EVERY * entryCount());
    },
  };
}

/**
 * A window on a larger buffer (a socket read, Node's pool) would keep all of that
 * buffer alive.
 */
function exact(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength === bytes.length ? bytes : new Uint8Array(bytes);
}
