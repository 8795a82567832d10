// How much room the data folder's disk has, and who may use it. Writes are refused while there is
// still room for what gives room back: deletes, aborts, lifecycle rules, the sweep. The file system
// is asked in the background only; what came in and was not on the disk at the last look is
// counted.
import { type StatsFs, statfsSync, statfs as statfsWith } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StorageError } from '../../../domain/errors.ts';
import { type MetricFamily, metricFamily } from '../../../ports/metrics.ts';
import type { Clock } from '../../../ports/system.ts';
import { openReserveFile, RESERVE_NAME, type ReserveFile } from './reserve-file.ts';

/** `freeBytes`: for this process; a file system may keep some for root beside them. */
export type DiskFigures = {
  readonly totalBytes: number;
  readonly usedBytes: number;
  readonly freeBytes: number;
};

export type DiskSpace = {
  /** StorageFull where a body of so many bytes does not fit, or writes are refused at all. */
  requireRoom(lengthBytes: number): void;
  /**
   * Counts bytes of a body that come in. StorageFull where they would use the reserve. Cost: 5 ns.
   */
  take(lengthBytes: number): void;
  /**
   * Counts what a command adds to the index, where room inside its file counts too. StorageFull.
   * Gives how many bytes of the disk it takes.
   */
  takeIndex(lengthBytes: number): number;
  /** Bytes that were taken are on the disk now, or will never come there. */
  settle(lengthBytes: number): void;
  /** Gives the reserve to whoever found the disk full. False: it is given already. */
  releaseReserve(): boolean;
  /**
   * Asks the file system. `indexFreeBytes`: room inside the index's file. Rejects when it does not
   * answer.
   */
  look(indexFreeBytes: number): Promise<DiskFigures>;
  /** Makes the reserve whole again where there is room for it. */
  keepReserve(): Promise<void>;
  /** Whether nothing may be added for its own sake, such as entries of a cache. */
  isFull(): boolean;
  /** Whether the file system has not answered for a while. */
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
 * The whole reserve; half of it stands in a file, so that other programs can't use that half up.
 */
const FILE_SHARE = 0.5;
/**
 * All writes are refused when less of the reserve's size is free beside it: who sees that it is
 * full should be right.
 */
const FULL_SHARE = 0.0625;
/** They begin again when so much is. */
const RESUME_SHARE = 0.125;
/**
 * What a row takes in the index beside its body: a page, and its part of others. Estimate, bytes.
 */
const ROW_BYTES = 8192;
/** A file system that has not answered for so long is unknown, milliseconds. */
const SILENT_MS = 30_000;

const statfs = promisify(statfsWith) as (path: string) => Promise<StatsFs>;

/** The space of the disk that the folder is on. `reserveBytes` 0: nothing is reserved. */
export function openDiskSpace(dataDir: string, reserveBytes: number, clock: Clock): DiskSpace {
  const reserve = openReserveFile(
    join(dataDir, RESERVE_NAME),
    Math.floor(reserveBytes * FILE_SHARE),
  );
  const measure = async () => toFigures(await statfs(dataDir));
  return createDiskSpace(
    { reserve, measure, first: toFigures(statfsSync(dataDir)) },
    reserveBytes,
    clock,
  );
}

export function createDiskSpace(source: DiskSource, reserveBytes: number, clock: Clock): DiskSpace {
  const { reserve } = source;
  let figures = source.first;
  let lookedAtMs = clock.nowMs();
  // The look's own values: what moves between the file and the free bytes meanwhile changes
  // nothing.
  let inFileBytes = reserve.bytes();
  let indexFreeBytes = 0;
  // A look sees what was settled when it began; the rest may be on its way to the disk still.
  let takenBytes = 0;
  let settledBytes = 0;
  let seenBytes = 0;
  let refusedWrites = 0;
  let releases = 0;
  let isFull = roomBytes() < reserveBytes * FULL_SHARE;

  /** Room for writes: what is free, less what of the reserve does not stand in its file. */
  function roomBytes(): number {
    return figures.freeBytes - (reserveBytes - inFileBytes) - (takenBytes - seenBytes);
  }

  function refuse(): never {
    refusedWrites += 1;
    throw new StorageError('StorageFull');
  }

  function requireRoom(lengthBytes: number): void {
    if (reserveBytes === 0) return;
    const room = roomBytes();
    if (room < reserveBytes * FULL_SHARE) isFull = true;
    if (isFull || lengthBytes > room) refuse();
  }

  return {
    requireRoom,
    take(lengthBytes) {
      requireRoom(lengthBytes);
      takenBytes += lengthBytes;
    },
    takeIndex(lengthBytes) {
      const bytes = lengthBytes + ROW_BYTES;
      // Rows that were deleted leave room inside the file, which the file system knows nothing of.
      const onDiskBytes = Math.max(0, bytes - indexFreeBytes);
      if (onDiskBytes > 0) requireRoom(onDiskBytes);
      takenBytes += onDiskBytes;
      indexFreeBytes = Math.max(0, indexFreeBytes - bytes);
      return onDiskBytes;
    },
    settle(lengthBytes) {
      settledBytes += lengthBytes;
    },
    releaseReserve() {
      if (!reserve.release()) return false;
      releases += 1;
      isFull = true;
      return true;
    },
    async look(freeInIndexBytes) {
      const settledBefore = settledBytes;
      const inFileBefore = reserve.bytes();
      figures = await source.measure();
      seenBytes = settledBefore;
      inFileBytes = Math.min(inFileBefore, reserve.bytes());
      indexFreeBytes = freeInIndexBytes;
      lookedAtMs = clock.nowMs();
      isFull = roomBytes() < reserveBytes * (isFull ? RESUME_SHARE : FULL_SHARE);
      return figures;
    },
    async keepReserve() {
      const isRoomy = !isFull && figures.freeBytes >= reserveBytes;
      if (isRoomy) await reserve.fill();
    },
    isFull: () => isFull && reserveBytes > 0,
    isUnknown: () => clock.nowMs() - lookedAtMs > SILENT_MS,
    figures: () => figures,
    families: () => [
      gauge(
        'quayside_disk_total_bytes',
        'Size of the file system of the data folder.',
        figures.totalBytes,
      ),
      gauge(
        'quayside_disk_free_bytes',
        'Bytes of it that are free for this process.',
        figures.freeBytes,
      ),
      gauge(
        'quayside_disk_reserve_bytes',
        'Bytes that stand in the reserve file.',
        reserve.bytes(),
      ),
      gauge(
        'quayside_disk_full',
        'Whether writes are refused for want of room: 0 or 1.',
        Number(isFull),
      ),
      counter(
        'quayside_disk_refused_writes_total',
        'Writes refused before the disk was full.',
        refusedWrites,
      ),
      counter(
        'quayside_disk_reserve_releases_total',
        'How often the reserve was needed.',
        releases,
      ),
    ],
  };
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
