// The memory tier of bodies: slices of blobs, least recently used ones leave first.
// On Node it is the only body tier above the disk; on Cloudflare it stands in front
// of the edge tier. Plain bytes only, never a stream.
//
// Once it is full a slice gets in on its second request only, so that a scan of
// cold objects can't wash out the hot ones. On Zipf traces that gives 2 to 9 points
// more hits than plain LRU, and 16 to 20 during a scan; a frequency sketch keeps
// some more but needs long to see that the hot set has changed (measured,
// bench/admission).
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
 * One slice that was asked for once is remembered by name for so many bytes of the
 * budget.
 */
const BYTES_PER_SEEN_NAME = 32 * 1024;
/**
 * One slice of which a part was read is remembered by name for so many slices that
 * have room. Of a file that fits, every slice is soon admitted; of ranges all over
 * a larger one few are, and that must be so: each costs sixteen times the reading
 * of a range, and the collector much more. Measured 2026-11, 64 KiB ranges of 1
 * GiB: bench/README.md, delivery.
 */
const SLICES_PER_PARTLY_READ_NAME = 4;
const PARTS_BEFORE_ADMISSION = 2;
/** At least so many slices are known, kept or not. */
const KNOWN_MIN = 8192;
/**
 * Share of the budget that one read may take: the readers of one longer file push
 * out each other's slices for ever.
 */
const READ_MAX_SHARE = 1 / 4;

export type MemoryBodies = {
  readonly maxSliceBytes: number;
  peek(slice: Segment): Uint8Array | null;
  keep(slice: Segment, bytes: Uint8Array): void;
  /**
   * Whether a slice is worth loading whole for a read of `readBytes` of which it is
   * a part, or which is a part of it: there is room, or it was asked for twice a
   * short while ago, and the read is no long one. Counts as a request for the
   * slice.
   */
  admits(slice: Segment, readBytes: number): boolean;
  stats(): CacheStats;
};

/** The name of a slice; equal names hold equal bytes. */
export function sliceName({ blobId, offsetBytes, lengthBytes }: Segment): string {
  return `${blobId}:${offsetBytes}+${lengthBytes}`;
}

/**
 * A slice that was asked for lately: its bytes, if they are kept, and how often
 * parts of it were read.
 */
type Slice = {
  readonly name: string;
  readonly lengthBytes: number;
  bytes: Uint8Array | null;
  partReads: number;
  /** When that was counted. */
  generation: number;
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
  if (maxSliceBytes === 0) {
    return {
      maxSliceBytes,
      peek: () => null,
      keep: () => undefined,
      admits: () => false,
      stats: () => empty,
    };
  }
  let evictions = 0;
  const kept = new LRUCache<string, Slice>({
    maxSize: options.maxBytes,
    sizeCalculation: ({ lengthBytes }) => lengthBytes + ENTRY_OVERHEAD_BYTES,
    dispose(slice, _name, reason) {
      slice.bytes = null;
      if (reason === 'evict') evictions += 1;
    },
  });
  const seen = new LRUCache<string, true>({
    max: Math.ceil(options.maxBytes / BYTES_PER_SEEN_NAME),
  });
  const fitting = Math.ceil(options.maxBytes / maxSliceBytes);
  const countPartRead = createLateCounts(Math.ceil(fitting / SLICES_PER_PARTLY_READ_NAME));
  const known = createPairMemo<BlobId, number, Slice>(Math.max(KNOWN_MIN, 2 * fitting));
  // One read asks for the same slice several times in a row.
  let lastSegment: Segment | null = null;
  let lastSlice: Slice | null = null;

  function sliceOf(segment: Segment): Slice {
    if (segment === lastSegment && lastSlice !== null) return lastSlice;
    const { blobId, offsetBytes, lengthBytes } = segment;
    let slice = known.get(blobId, offsetBytes);
    if (slice?.lengthBytes !== lengthBytes) {
      const name = sliceName(segment);
      slice = kept.peek(name) ?? { name, lengthBytes, bytes: null, partReads: 0, generation: 0 };
      known.set(blobId, offsetBytes, slice);
    }
    lastSegment = segment;
    lastSlice = slice;
    return slice;
  }

  const hasRoomFor = (lengthBytes: number) =>
    kept.calculatedSize + lengthBytes + ENTRY_OVERHEAD_BYTES <= options.maxBytes;

  return {
    maxSliceBytes,
    peek(segment) {
      const { name, bytes } = sliceOf(segment);
      // Setting it again makes it the most recently used.
      if (bytes !== null) kept.get(name);
      return bytes;
    },
    keep(segment, bytes) {
      if (bytes.length > maxSliceBytes || bytes.length !== segment.lengthBytes) return;
      const slice = sliceOf(segment);
      const { name } = slice;
      if (hasRoomFor(bytes.length) || seen.has(name)) {
        // What is set once more is disposed of first.
        kept.set(name, slice);
        slice.bytes = exact(bytes);
      }
      seen.set(name, true);
    },
    admits(segment, readBytes) {
      if (readBytes > options.maxBytes * READ_MAX_SHARE) return false;
      const slice = sliceOf(segment);
      const readsBefore = countPartRead(slice);
      const isAdmitted = hasRoomFor(slice.lengthBytes) || readsBefore >= PARTS_BEFORE_ADMISSION;
      // It is to be kept when it comes.
      if (isAdmitted) seen.set(slice.name, true);
      return isAdmitted;
    },
    stats: () => ({ ...empty, entries: kept.size, bytes: kept.calculatedSize, evictions }),
  };
}

/**
 * Counts a part that is read, and gives how many were counted before, among the
 * last `max` different slices at most and half as many at least. By generations:
 * every range of a large file is counted, and a list in order of use costs three
 * times as much.
 */
function createLateCounts(max: number): (slice: Slice) => number {
  const generationMax = Math.max(1, Math.floor(max / 2));
  let generation = 2;
  let slicesInIt = 0;
  return (slice) => {
    const before = slice.generation >= generation - 1 ? slice.partReads : 0;
    if (slicesInIt >= generationMax) {
      generation += 1;
      slicesInIt = 0;
    }
    if (slice.generation !== generation) {
      slice.generation = generation;
      slicesInIt += 1;
    }
    slice.partReads = before + 1;
    return before;
  };
}

/**
 * A window on a larger buffer (a socket read, Node's pool) would keep all of that
 * buffer alive.
 */
function exact(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength === bytes.length ? bytes : new Uint8Array(bytes);
}
