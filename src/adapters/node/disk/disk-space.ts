// Room on the data folder's disk, and who may use it. Writes are refused while
// there is still room for what frees room: deletes, aborts, lifecycle rules, the
// sweep. The file system is asked in the background only; bytes that came in since
// the last look are counted.
import { type StatsFs, statfsSync, statfs as statfsWith } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StorageError } from '../../../domain/errors.ts';
import { type MetricFamily, metricFamily } from '../../../ports/metrics.ts';
import type { Clock } from '../../../ports/system.ts';
import type { DiskBoard } from './disk-board.ts';
import { openReserveFile, RESERVE_NAME, type ReserveFile } from './reserve-file.ts';

/**
 * Sizes of the file system. `freeBytes`: for this process; some more may be
 * reserved for root.
 */
export type DiskFigures = {
  readonly totalBytes: number;
  readonly usedBytes: number;
  readonly freeBytes: number;
};

export type DiskSpace = {
  /**
   * StorageFull where a body of that length does not fit, or writes are refused at
   * all.
   */
  requireRoom(lengthBytes: number): void;
  /**
   * Counts incoming bytes of a body. StorageFull where they would use the reserve.
   * Cost: 5 ns.
   */
  take(lengthBytes: number): void;
  /**
   * Counts what a command adds to the index, and returns how many bytes of the disk
   * that takes: free pages inside the index's file are used first. StorageFull.
   */
  takeIndex(lengthBytes: number): number;
  /** Counts bytes as on the disk by now, or as never coming there. */
  settle(lengthBytes: number): void;
  /**
   * Frees the reserve for a command that found the disk full. False: it is free
   * already.
   */
  releaseReserve(): boolean;
  /**
   * Asks the file system. `indexFreeBytes`: room inside the index's file. Rejects
   * when it does not answer.
   */
  look(indexFreeBytes: number): Promise<DiskFigures>;
  /** Makes the reserve whole again where there is room for it. */
  keepReserve(): Promise<void>;
  /** Whether nothing may be added for its own sake, such as entries of a cache. */
  isFull(): boolean;
  /** Whether the file system has not responded for a while. */
  isUnknown(): boolean;
  figures(): DiskFigures;
  families(): readonly MetricFamily[];
};

export type DiskSource = {
  readonly reserve: ReserveFile;
  readonly first: DiskFigures;
  readonly measure: () => Promise<DiskFigures>;
};

/**
 * Share of the reserve that stands in a file, so that other programs can't use that
 * half up.
 */
const FILE_SHARE = 0.5;
/**
 * Writes are refused when less than this share of the reserve's size is free beside
 * it.
 */
const FULL_SHARE = 0.0625;
/**
 * Writes are accepted again when this share is free: hysteresis, so that it does
 * not flicker.
 */
const RESUME_SHARE = 0.125;
/**
 * Bytes of a row in the index besides its body: a page, and its part of others.
 * Estimate.
 */
const ROW_BYTES = 8192;
/** A file system that has not responded for this long is unknown, milliseconds. */
const SILENT_MS = 30_000;

const statfs = promisify(statfsWith) as (path: string) => Promise<StatsFs>;

/** Opens the space of the folder's disk. `reserveBytes` 0: nothing is reserved. */
export function openDiskSpace(
  dataDir: string,
  reserveBytes: number,
  clock: Clock,
  board: DiskBoard | null = null,
): DiskSpace {
  const reserve = openReserveFile(
    join(dataDir, RESERVE_NAME),
    Math.floor(reserveBytes * FILE_SHARE),
  );
  const measure = async () => toFigures(await statfs(dataDir));
  return createDiskSpace(
    { reserve, measure, first: toFigures(statfsSync(dataDir)) },
    reserveBytes,
    clock,
    board,
  );
}

/** `board`: what the other threads of the process see of the room, and take of it. */
export function createDiskSpace(
  source: DiskSource,
  reserveBytes: number,
  clock: Clock,
  board: DiskBoard | null = null,
): DiskSpace {
  const { reserve } = source;
  const counts = { refusedWrites: 0, releases: 0 };
  let figures = source.first;
  let lookedAtMs = clock.nowMs();
  // Both are of the last look, so bytes that move between the reserve's file and
  // the free ones since then count once.
  let inFileBytes = reserve.bytes();
  let indexFreeBytes = 0;
  // A look sees what was settled when it began; the rest may be on its way to the
  // disk still.
  let takenBytes = 0;
  let settledBytes = 0;
  let seenBytes = 0;
  let isFull = roomBytes() < reserveBytes * FULL_SHARE;

  /**
   * Room for writes: free bytes, less the part of the reserve that does not stand
   * in its file.
   */
  function roomBytes(): number {
    const reserveOutsideBytes = reserveBytes - inFileBytes;
    const unseenBytes = takenBytes + (board?.takenBytes() ?? 0) - seenBytes;
    return figures.freeBytes - reserveOutsideBytes - unseenBytes;
  }

  function requireRoom(lengthBytes: number): void {
    if (reserveBytes === 0) return;
    const room = roomBytes();
    if (room < reserveBytes * FULL_SHARE) isFull = true;
    if (!isFull && lengthBytes <= room) return;
    counts.refusedWrites += 1;
    throw new StorageError('StorageFull');
  }

  /** The room that the other threads go by until it is shown anew. */
  const showRoom = () =>
    board?.show(isFull && reserveBytes > 0 ? 0 : reserveBytes === 0 ? null : roomBytes());
  showRoom();

  return {
    requireRoom,
    take(lengthBytes) {
      requireRoom(lengthBytes);
      takenBytes += lengthBytes;
      board?.lessen(lengthBytes);
    },
    takeIndex(lengthBytes) {
      const bytes = lengthBytes + ROW_BYTES;
      // Deleted rows leave free pages inside the file, which the file system knows
      // nothing of.
      const onDiskBytes = Math.max(0, bytes - indexFreeBytes);
      if (onDiskBytes > 0) requireRoom(onDiskBytes);
      takenBytes += onDiskBytes;
      board?.lessen(onDiskBytes);
      indexFreeBytes = Math.max(0, indexFreeBytes - bytes);
      return onDiskBytes;
    },
    settle(lengthBytes) {
      settledBytes += lengthBytes;
    },
    releaseReserve() {
      if (!reserve.release()) return false;
      counts.releases += 1;
      isFull = true;
      showRoom();
      return true;
    },
    async look(freeInIndexBytes) {
      const settledBefore = settledBytes + (board?.settledBytes() ?? 0);
      const inFileBefore = reserve.bytes();
      figures = await source.measure();

      seenBytes = settledBefore;
      inFileBytes = Math.min(inFileBefore, reserve.bytes());
      indexFreeBytes = freeInIndexBytes;
      lookedAtMs = clock.nowMs();
      isFull = roomBytes() < reserveBytes * (isFull ? RESUME_SHARE : FULL_SHARE);
      showRoom();
      return figures;
    },
    async keepReserve() {
      const isRoomy = !isFull && figures.freeBytes >= reserveBytes;
      if (isRoomy) await reserve.fill();
    },
    isFull: () => isFull && reserveBytes > 0,
    isUnknown: () => clock.nowMs() - lookedAtMs > SILENT_MS,
    figures: () => figures,
    families: () => {
      const refusedWrites = counts.refusedWrites + (board?.refusedWrites() ?? 0);
      return diskFamilies(figures, reserve.bytes(), isFull, { ...counts, refusedWrites });
    },
  };
}

function diskFamilies(
  { totalBytes, freeBytes }: DiskFigures,
  reserveBytes: number,
  isFull: boolean,
  counts: { readonly refusedWrites: number; readonly releases: number },
): readonly MetricFamily[] {
  return [
    gauge('quayside_disk_total_bytes', 'Size of the file system of the data folder.', totalBytes),
    gauge('quayside_disk_free_bytes', 'Bytes of it that are free for this process.', freeBytes),
    gauge('quayside_disk_reserve_bytes', 'Bytes that stand in the reserve file.', reserveBytes),
    gauge(
      'quayside_disk_full',
      'Whether writes are refused for want of room: 0 or 1.',
      Number(isFull),
    ),
    counter(
      'quayside_disk_refused_writes_total',
      'Writes refused before the disk was full.',
      counts.refusedWrites,
    ),
    counter(
      'quayside_disk_reserve_releases_total',
      'How often the reserve was needed.',
      counts.releases,
    ),
  ];
}

const gauge = (name: string, help: string, value: number) =>
  metricFamily('gauge', name, help, [[{}, value]]);
const counter = (name: string, help: string, value: number) =>
  metricFamily('counter', name, help, [[{}, value]]);

function toFigures({ bsize, blocks, bfree, bavail }: StatsFs): DiskFigures {
  return {
    totalBytes: blocks * bsize,
    usedBytes: (blocks - bfree) * bsize,
    freeBytes: bavail * bsize,
  };
}
