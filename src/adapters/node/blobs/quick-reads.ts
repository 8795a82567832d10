// Reads of files that the page cache most likely holds, at once and on this thread. Handing a read
// to the pool of threads and back costs several times what copying 64 KiB does (measured:
// bench/README.md, delivery). Only pages that were read before or written a while ago, of a file
// that is still open, are tried, and only a few at a time. Nothing tells what the system has
// dropped meanwhile, so the time that such reads waited for a disk is added up, and when it is too
// much there are none for a while: in the long run it is a fiftieth of this thread's time at most.
import { readSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { BlobRange } from '../../../ports/blob-store.ts';
import type { OpenBlob } from './open-files.ts';

/**
 * Pages of a file, as bits, by the index of their map; of an earlier generation they are forgotten.
 */
export type KnownPages = { generation: number; readonly maps: Map<number, Uint32Array> };

export function newKnownPages(): KnownPages {
  return { generation: 0, maps: new Map() };
}

export type QuickReads = {
  /**
   * Whether the page cache most likely has the range, and it is short enough to be read at once.
   */
  isKnown(file: OpenBlob, range: BlobRange): boolean;
  /**
   * Before such a range is sent from a mapping: the moment, to be given to `endSend` when it was.
   * Null: a disk was waited for lately, or pages may have gone; reads find out at less cost than
   * what is mapped.
   */
  beginSend(): number | null;
  endSend(startMs: number): void;
  /**
   * Reads such a range into `buffer` from `at` on: how many bytes, or null: then the read belongs
   * in the pool.
   */
  read(file: OpenBlob, buffer: Buffer, at: number, range: BlobRange): number | null;
  /** What the last quick read took, milliseconds. */
  readonly lastTookMs: number;
  /** These bytes were read or written, so the page cache has them for now. Cost: 1 ns for 4 KiB. */
  notePresent(file: OpenBlob, lengthBytes: number, position: number): void;
};

/**
 * Longer reads go to the pool: there the way matters little, and here they would hold up others.
 * Bytes.
 */
const QUICK_MAX_BYTES = 128 * 1024;
/** What the page cache holds or drops as one. Bytes. */
const PAGE_BYTES = 4096;
/** Pages are noted as bits, in maps of 128 MiB of a file each. */
const PAGES_PER_MAP = 32_768;
const PAGES_PER_WORD = 32;
/** Maps of all files together: for 128 GiB. Then all is forgotten, and learned anew. Bytes. */
const MAPS_MAX_BYTES = 4 * 1024 * 1024;
/**
 * A copy of 64 KiB takes 0.012 ms, a fast disk 0.1 and more; so may a machine with too much to do,
 * without any disk.
 */
const MAYBE_DISK_MS = 0.08;
/**
 * The same of what is sent, which takes the time of the socket as well; on a busy machine some take
 * as long without a disk.
 */
const SEND_MAYBE_DISK_MS = 0.25;
/**
 * So long is too long, whatever the reason, when it happens twice in a row: not every disk is one
 * that is counted.
 */
const TOO_LONG_MS = 2;
/** Share of this thread's time that may go into waiting for a disk. */
const WAITING_SHARE = 1 / 50;
/**
 * What may be waited ahead of that, milliseconds: a busy machine looks like a disk now and then,
 * and costs no pause.
 */
const WAITING_AHEAD_MS = 20;
/**
 * The count of disk reads is asked for again after so long: the system takes up to 0.2 ms to say
 * it.
 */
const DISK_READS_KNOWN_MS = 100;

export type QuickReadsOptions = {
  /** A clock of fine grain, milliseconds. */
  readonly nowMs?: () => number;
  /** Grows whenever this process reads from a disk. */
  readonly diskReads?: () => number;
  /** Grows whenever this process waits for a page of a mapped file. */
  readonly majorFaults?: () => number;
};

/** One for a process. Cost of a quick read: its copy, two looks at the clock, and 0.1 µs. */
export function createQuickReads(options: QuickReadsOptions = {}): QuickReads {
  const {
    nowMs = () => performance.now(),
    diskReads = () => process.resourceUsage().fsRead,
    majorFaults = () => process.resourceUsage().majorPageFault,
  } = options;
  let generation = 1;
  let mapBytes = 0;
  let knownDiskReads = 0;
  let knownMajorFaults = 0;
  let knownAtMs = Number.NEGATIVE_INFINITY;
  let waitedMs = 0;
  let waitedAtMs = 0;
  let tooLongInRow = 0;
  let lastTookMs = 0;

  function isKnown({ pages }: OpenBlob, { offsetBytes, lengthBytes }: BlobRange): boolean {
    if (lengthBytes > QUICK_MAX_BYTES || pages.generation !== generation) return false;
    const end = Math.floor((offsetBytes + lengthBytes - 1) / PAGE_BYTES) + 1;
    // Word by word: 64 KiB are 17 pages, in two words.
    for (let page = Math.floor(offsetBytes / PAGE_BYTES); page < end; ) {
      const word = pages.maps.get(Math.floor(page / PAGES_PER_MAP))?.[wordOf(page)] ?? 0;
      const count = pagesInWord(page, end);
      const wanted = bitsOf(page, count);
      if ((word & wanted) !== wanted) return false;
      page += count;
    }
    return true;
  }

  function mapOf({ pages, fileBytes }: OpenBlob, index: number): Uint32Array {
    if (mapBytes >= MAPS_MAX_BYTES) {
      generation += 1;
      mapBytes = 0;
    }
    if (pages.generation !== generation) {
      pages.maps.clear();
      pages.generation = generation;
    }
    let map = pages.maps.get(index);
    if (map === undefined) {
      const pagesInIt = Math.min(
        PAGES_PER_MAP,
        Math.ceil(fileBytes / PAGE_BYTES) - index * PAGES_PER_MAP,
      );
      map = new Uint32Array(Math.ceil(pagesInIt / PAGES_PER_WORD));
      pages.maps.set(index, map);
      mapBytes += map.byteLength;
    }
    return map;
  }

  /** Whether the read had to wait for a disk, as far as one can know. */
  function wasDisk(tookMs: number): boolean {
    tooLongInRow = tookMs > TOO_LONG_MS ? tooLongInRow + 1 : 0;
    if (tookMs < MAYBE_DISK_MS) return false;
    return diskReads() !== knownDiskReads || tooLongInRow > 1;
  }

  /** What was waited for disks, less what was free meanwhile. */
  function waitedUpTo(momentMs: number): number {
    return waitedMs === 0 ? 0 : Math.max(0, waitedMs - (momentMs - waitedAtMs) * WAITING_SHARE);
  }

  function begin(): number | null {
    const startMs = nowMs();
    if (waitedUpTo(startMs) > WAITING_AHEAD_MS) return null;
    if (startMs - knownAtMs > DISK_READS_KNOWN_MS) {
      knownDiskReads = diskReads();
      knownMajorFaults = majorFaults();
      knownAtMs = startMs;
    }
    return startMs;
  }

  function waited(startMs: number, endMs: number): void {
    waitedMs = waitedUpTo(startMs) + endMs - startMs;
    waitedAtMs = endMs;
  }

  return {
    isKnown,
    beginSend() {
      const startMs = begin();
      return startMs === null || waitedUpTo(startMs) > 0 ? null : startMs;
    },
    endSend(startMs) {
      const endMs = nowMs();
      if (endMs - startMs < SEND_MAYBE_DISK_MS) return;
      const faults = majorFaults();
      if (faults !== knownMajorFaults) waited(startMs, endMs);
      knownMajorFaults = faults;
    },
    read(file, buffer, at, { offsetBytes, lengthBytes }) {
      const startMs = begin();
      if (startMs === null) return null;
      try {
        const readBytes = readSync(file.fd, buffer, at, lengthBytes, offsetBytes);
        const endMs = nowMs();
        lastTookMs = endMs - startMs;
        if (wasDisk(lastTookMs)) waited(startMs, endMs);
        return readBytes;
      } catch {
        // The pool's read fails as well, and tells why.
        return null;
      }
    },
    get lastTookMs() {
      return lastTookMs;
    },
    notePresent(file, lengthBytes, position) {
      const end = Math.floor((position + lengthBytes - 1) / PAGE_BYTES) + 1;
      for (let page = Math.floor(position / PAGE_BYTES); page < end; ) {
        const map = mapOf(file, Math.floor(page / PAGES_PER_MAP));
        const word = wordOf(page);
        const count = pagesInWord(page, end);
        map[word] = (map[word] ?? 0) | bitsOf(page, count);
        page += count;
      }
    },
  };
}

/** Which word of its map has the bit of a page. */
function wordOf(page: number): number {
  return ((page % PAGES_PER_MAP) / PAGES_PER_WORD) | 0;
}

/** How many pages from `page` up to `end` have their bits in the same word of 32. */
function pagesInWord(page: number, end: number): number {
  return Math.min(PAGES_PER_WORD - (page % PAGES_PER_WORD), end - page);
}

/** The bits of so many pages of one word. */
function bitsOf(page: number, count: number): number {
  return (count === PAGES_PER_WORD ? -1 : (1 << count) - 1) << (page % PAGES_PER_WORD);
}
