// Reads on the main thread of what the page cache most likely holds. To hand a read
// to the thread pool and back costs several times what copying 64 KiB does
// (measured: bench/README.md, delivery). Tried are only known pages of a file that
// is still open (known-pages.ts), a few at a time.
//
// Nothing tells what the system has dropped meanwhile. Guard: the time that such
// reads waited for a disk is added up, and beyond a bound there are none for a
// while. In the long run that is at most a fiftieth of this thread's time.
import { readSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { BlobRange } from '../../../ports/blob-store.ts';
import { createPagePresence, type PagePresence } from './known-pages.ts';
import type { OpenBlob } from './open-files.ts';

export type QuickReads = Pick<PagePresence, 'notePresent'> & {
  /**
   * Whether the page cache most likely has the range, and it is short enough to be
   * read at once.
   */
  isKnown(file: OpenBlob, range: BlobRange): boolean;
  /**
   * Whether the page cache most likely has the range, and it is short enough to be
   * sent at once.
   */
  isAtHand(file: OpenBlob, range: BlobRange): boolean;
  /**
   * The moment before such a range is sent from a mapping, to be given to `endSend`
   * after it. Null: a disk was waited for lately, or pages may have gone; a read
   * finds out at less cost.
   */
  beginSend(): number | null;
  endSend(startMs: number, lengthBytes: number): void;
  /**
   * Reads such a range into `buffer` from `at` on. Returns how many bytes; null:
   * the read belongs in the thread pool.
   */
  read(file: OpenBlob, buffer: Buffer, at: number, range: BlobRange): number | null;
  /** Milliseconds that the last quick read took. */
  readonly lastTookMs: number;
};

/**
 * Longer reads go to the thread pool: here they would hold up other requests.
 * Bytes.
 */
const QUICK_MAX_BYTES = 128 * 1024;
/**
 * Longer ranges are streamed, bytes. What goes to a socket is copied on this thread
 * in any case: a body of 1 MiB out of memory takes it as long.
 */
const AT_HAND_MAX_BYTES = 1024 * 1024;
/**
 * A read that takes this long may have waited for a disk, milliseconds. A copy of
 * 64 KiB takes 0.012, a fast disk 0.1 and more; a machine with too much to do takes
 * as long without any disk.
 */
const MAYBE_DISK_MS = 0.08;
/** Milliseconds that a copy takes besides for each byte: 1 ms for 1 MiB. */
const MS_PER_BYTE = 1 / (1024 * 1024);
/**
 * A send from a mapping that takes this long may have waited for a disk,
 * milliseconds. It takes the time of the socket as well; on a busy machine some
 * take as long without a disk.
 */
const SEND_MAYBE_DISK_MS = 0.25;
/**
 * Two reads in a row that take this long count as disk, ms: not every disk counts
 * its reads.
 */
const TOO_LONG_MS = 2;
/** Share of this thread's time that may go into waiting for a disk. */
const WAITING_SHARE = 1 / 50;
/**
 * Milliseconds that may be waited ahead of that share: a busy machine looks like a
 * disk now and then, and costs no cooldown.
 */
const WAITING_AHEAD_MS = 20;
/**
 * The count of disk reads is asked for again after this long, ms: the system takes
 * up to 0.2.
 */
const DISK_READS_KNOWN_MS = 100;

export type QuickReadsOptions = {
  /** A clock of fine grain, milliseconds. */
  readonly nowMs?: () => number;
  /** A count that grows whenever this process reads from a disk. */
  readonly diskReads?: () => number;
  /** A count that grows whenever this process waits for a page of a mapped file. */
  readonly majorFaults?: () => number;
};

/**
 * One for a process. Cost of a quick read: its copy, two looks at the clock, and
 * 0.1 µs.
 */
export function createQuickReads(options: QuickReadsOptions = {}): QuickReads {
  const presence = createPagePresence();
  const { begin, endRead, endSend, isWaitOver } = createDiskWaits(options);
  let lastTookMs = 0;

  return {
    isKnown: (file, range) => range.lengthBytes <= QUICK_MAX_BYTES && presence.isKnown(file, range),
    isAtHand: (file, range) =>
      range.lengthBytes <= AT_HAND_MAX_BYTES && presence.isKnown(file, range),
    notePresent: presence.notePresent,

    beginSend() {
      const startMs = begin();
      return startMs !== null && isWaitOver(startMs) ? startMs : null;
    },
    endSend,

    read(file, buffer, at, { offsetBytes, lengthBytes }) {
      const startMs = begin();
      if (startMs === null) return null;
      try {
        const readBytes = readSync(file.fd, buffer, at, lengthBytes, offsetBytes);
        lastTookMs = endRead(startMs, lengthBytes);
        return readBytes;
      } catch {
        // The thread pool's read fails as well, and says why.
        return null;
      }
    },
    get lastTookMs() {
      return lastTookMs;
    },
  };
}

/** What a long copy may take beyond a short one, milliseconds. */
function longerMs(lengthBytes: number): number {
  return lengthBytes <= QUICK_MAX_BYTES ? 0 : lengthBytes * MS_PER_BYTE;
}

/** Adds up the time that reads and sends waited for a disk, and bounds it. */
function createDiskWaits(options: QuickReadsOptions) {
  const {
    nowMs = () => performance.now(),
    diskReads = () => process.resourceUsage().fsRead,
    majorFaults = () => process.resourceUsage().majorPageFault,
  } = options;
  let knownDiskReads = 0;
  let knownMajorFaults = 0;
  let knownAtMs = Number.NEGATIVE_INFINITY;
  let waitedMs = 0;
  let waitedAtMs = 0;
  let tooLongInRow = 0;

  /** Whether the read had to wait for a disk, as far as one can know. */
  function wasDisk(tookMs: number, lengthBytes: number): boolean {
    tooLongInRow = tookMs > TOO_LONG_MS ? tooLongInRow + 1 : 0;
    if (tookMs < MAYBE_DISK_MS + longerMs(lengthBytes)) return false;
    return diskReads() !== knownDiskReads || tooLongInRow > 1;
  }

  /** Time spent on waits for disks, less the share that was free since. */
  function waitedUpTo(momentMs: number): number {
    return waitedMs === 0 ? 0 : Math.max(0, waitedMs - (momentMs - waitedAtMs) * WAITING_SHARE);
  }

  function addWait(startMs: number, endMs: number): void {
    waitedMs = waitedUpTo(startMs) + endMs - startMs;
    waitedAtMs = endMs;
  }

  return {
    /**
     * The moment before a read or send; null: too much was waited for disks lately.
     */
    begin(): number | null {
      const startMs = nowMs();
      if (waitedUpTo(startMs) > WAITING_AHEAD_MS) return null;
      if (startMs - knownAtMs > DISK_READS_KNOWN_MS) {
        knownDiskReads = diskReads();
        knownMajorFaults = majorFaults();
        knownAtMs = startMs;
      }
      return startMs;
    },

    isWaitOver: (momentMs: number): boolean => waitedUpTo(momentMs) <= 0,

    /** Counts a read. Returns how long it took, milliseconds. */
    endRead(startMs: number, lengthBytes: number): number {
      const endMs = nowMs();
      const tookMs = endMs - startMs;
      if (wasDisk(tookMs, lengthBytes)) addWait(startMs, endMs);
      return tookMs;
    },

    endSend(startMs: number, lengthBytes: number): void {
      const endMs = nowMs();
      if (endMs - startMs < SEND_MAYBE_DISK_MS + longerMs(lengthBytes)) return;
      const faults = majorFaults();
      if (faults !== knownMajorFaults) addWait(startMs, endMs);
      knownMajorFaults = faults;
    },
  };
}
