// The memory tier of bodies: slices of blobs, least recently used ones leave first. On Node it is the only body tier
// above the disk; on Cloudflare it stands in front of the edge tier. Plain bytes only, never a stream.
//
// Once it is full a slice gets in on its second request only, so that a scan of cold objects can't wash out the hot
// ones. On Zipf traces that gives 2 to 9 points more hits than plain LRU, and 16 to 20 during a scan; a frequency sketch
// keeps some more but needs long to see that the hot set has changed (measured, bench/admission).
import { LRUCache } from 'lru-cache';
import type { BlobId, Segment } from '../../ports/domain.ts';
import type { CacheStats } from './cache-metrics.ts';

/** What one entry costs besides its bytes: key, list links, typed array. Estimate, bytes. */
const ENTRY_OVERHEAD_BYTES = 512;
/** One slice that was asked for once is remembered by name for so many bytes of the budget. */
const BYTES_PER_SEEN_NAME = 32 * 1024;
/**
 * One slice of which a part was read is remembered by name for so many slices that have room. Of a file that fits, every
 * slice is soon admitted; of ranges all over a larger one few are, and that must be so: each costs sixteen times the
 * reading of a range, and the collector much more. Measured 2026-11, 64 KiB ranges of 1 GiB: bench/README.md, delivery.
 */
const SLICES_PER_PARTLY_READ_NAME = 4;
const PARTS_BEFORE_ADMISSION = 2;
/** Share of the budget that one read may take: the readers of one longer file push out each other's slices for ever. */
const READ_MAX_SHARE = 1 / 4;

export type MemoryBodies = {
  readonly maxSliceBytes: number;
  peek(slice: Segment): Uint8Array | null;
  keep(slice: Segment, bytes: Uint8Array): void;
  /**
   * Whether a slice is worth loading whole for a read of `readBytes` of which it is a part, or which is a part of it: there
   * is room, or it was asked for twice a short while ago, and the read is no long one. Counts as a request for the slice.
   */
  admits(slice: Segment, readBytes: number): boolean;
  stats(): CacheStats;
};

/** Names of slices that are known; 150 B each. With more, all are forgotten and made anew. */
const NAMES_MAX = 8192;
type Name = { readonly lengthBytes: number; readonly text: string };
let namesOfBlobs = new Map<BlobId, Map<number, Name>>();
let nameCount = 0;

/**
 * The name of a slice; equal names hold equal bytes. Known ones are given again: a map takes a microsecond longer to find a
 * text that was only just made, as V8 first looks for an equal one among all that it has. Cost: 50 ns.
 */
export function sliceName({ blobId, offsetBytes, lengthBytes }: Segment): string {
  const known = namesOfBlobs.get(blobId)?.get(offsetBytes);
  if (known?.lengthBytes === lengthBytes) return known.text;
  const text = `${blobId}:${offsetBytes}+${lengthBytes}`;
  if (nameCount === NAMES_MAX) {
    namesOfBlobs = new Map();
    nameCount = 0;
  }
  const names = namesOfBlobs.get(blobId) ?? new Map<number, Name>();
  namesOfBlobs.set(blobId, names.set(offsetBytes, { lengthBytes, text }));
  nameCount += 1;
  return text;
}

/** Keeps slices of at most `maxSliceBytes` each and `maxBytes` together. A cost of 0.1 µs a hit, no I/O. */
export function createMemoryBodies(options: { maxBytes: number; maxSliceBytes: number }): MemoryBodies {
  const maxSliceBytes = Math.max(0, Math.min(options.maxSliceBytes, options.maxBytes - ENTRY_OVERHEAD_BYTES));
  const empty: CacheStats = { cache: 'bodies', entries: 0, bytes: 0, maxBytes: options.maxBytes, evictions: 0 };
  if (maxSliceBytes === 0) {
    return { maxSliceBytes, peek: () => null, keep: () => undefined, admits: () => false, stats: () => empty };
  }
  let evictions = 0;
  const slices = new LRUCache<string, Uint8Array>({
    maxSize: options.maxBytes,
    sizeCalculation: (bytes) => bytes.length + ENTRY_OVERHEAD_BYTES,
    dispose(_bytes, _name, reason) {
      if (reason === 'evict') evictions += 1;
    },
  });
  const seen = new LRUCache<string, true>({ max: Math.ceil(options.maxBytes / BYTES_PER_SEEN_NAME) });
  const partlyRead = createLateCounts(Math.ceil(options.maxBytes / maxSliceBytes / SLICES_PER_PARTLY_READ_NAME));
  const hasRoomFor = (lengthBytes: number) =>
    slices.calculatedSize + lengthBytes + ENTRY_OVERHEAD_BYTES <= options.maxBytes;
  return {
    maxSliceBytes,
    peek: (slice) => slices.get(sliceName(slice)) ?? null,
    keep(slice, bytes) {
      if (bytes.length > maxSliceBytes || bytes.length !== slice.lengthBytes) return;
      const name = sliceName(slice);
      if (hasRoomFor(bytes.length) || seen.has(name)) slices.set(name, exact(bytes));
      seen.set(name, true);
    },
    admits(slice, readBytes) {
      if (readBytes > options.maxBytes * READ_MAX_SHARE) return false;
      const name = sliceName(slice);
      const requestsBefore = partlyRead(name);
      const isAdmitted = hasRoomFor(slice.lengthBytes) || requestsBefore >= PARTS_BEFORE_ADMISSION;
      // It is to be kept when it comes.
      if (isAdmitted) seen.set(name, true);
      return isAdmitted;
    },
    stats: () => ({ ...empty, entries: slices.size, bytes: slices.calculatedSize, evictions }),
  };
}

/**
 * Counts a name, and gives how often it was counted before, among the last `max` different ones at most and half as many at
 * least. Two maps in turn: every range of a large file is counted, and a list in order of use costs three times as much.
 */
function createLateCounts(max: number): (name: string) => number {
  const mapMax = Math.max(1, Math.floor(max / 2));
  let late = new Map<string, number>();
  let earlier = new Map<string, number>();
  return (name) => {
    const before = late.get(name) ?? earlier.get(name) ?? 0;
    if (late.size >= mapMax) {
      const emptied = earlier;
      emptied.clear();
      earlier = late;
      late = emptied;
    }
    late.set(name, before + 1);
    return before;
  };
}

/** A window on a larger buffer (a socket read, Node's pool) would keep all of that buffer alive. */
function exact(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength === bytes.length ? bytes : new Uint8Array(bytes);
}
