// A file in the data folder that reserves room on the disk. It is emptied when a
// delete finds the disk full, so that the delete can commit, and fills again when
// there is room. disk-space.ts decides when.
import { randomFill } from 'node:crypto';
import { rmSync, statfsSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { closeFile, openFile, syncAll, writeAll } from '../blobs/file-calls.ts';
import { errnoOf } from '../blobs/fs-errors.ts';

export type ReserveFile = {
  /** Bytes that it reserves now. */
  bytes(): number;
  /**
   * Writes what is missing. Rejects with the system's error; bytes written before
   * it stay.
   */
  fill(): Promise<void>;
  /** Empties the file at once. False: it was empty, or could not be emptied. */
  release(): boolean;
};

const random = promisify(randomFill);

/** Name of the file in the data folder. */
export const RESERVE_NAME = 'reserve';
/** Bytes of one write. */
const PIECE_BYTES = 1024 * 1024;
/**
 * Free bytes that a start needs at most: SQLite makes 32 KiB, and a write-ahead
 * log.
 */
const START_BYTES = 1024 * 1024;

/**
 * Empties the reserve of a folder on a full disk: SQLite opens nothing there, not
 * even to delete.
 */
export function releaseReserveToStart(dataDir: string): void {
  const { bavail, bsize } = statfsSync(dataDir);
  const path = join(dataDir, RESERVE_NAME);
  if (bavail * bsize < START_BYTES && sizeOf(path) > 0) truncateSync(path, 0);
}

/**
 * Opens the file. `sizeBytes` 0: there is none, and one of an earlier setting is
 * removed.
 */
export function openReserveFile(path: string, sizeBytes: number): ReserveFile {
  let bytes = sizeOf(path);
  let releases = 0;
  if (sizeBytes === 0) rmSync(path, { force: true });
  else if (bytes > sizeBytes) truncateSync(path, sizeBytes);
  bytes = Math.min(bytes, sizeBytes);

  async function append(fd: number): Promise<void> {
    const releasesBefore = releases;
    while (bytes < sizeBytes && releases === releasesBefore) {
      const piece = new Uint8Array(Math.min(PIECE_BYTES, sizeBytes - bytes));
      // Zeros would take no room on a file system that compresses.
      await random(piece);
      if (releases !== releasesBefore) return;
      await writeAll(fd, [piece]);
      // A release emptied the file before this piece was written behind.
      if (releases !== releasesBefore) truncateSync(path, 0);
      else bytes += piece.length;
    }
    await syncAll(fd);
  }

  return {
    bytes: () => bytes,
    async fill() {
      if (bytes >= sizeBytes) return;
      // A write that failed may have left some of its bytes.
      bytes = Math.min(sizeOf(path), sizeBytes);
      const fd = await openFile(path, 'a', 0o600);
      try {
        await append(fd);
      } finally {
        await closeFile(fd);
      }
    },
    release() {
      releases += 1;
      if (bytes === 0) return false;
      bytes = 0;
      try {
        truncateSync(path, 0);
        return true;
      } catch {
        // The command that needed the room fails as it would have without a
        // reserve.
        return false;
      }
    },
  };
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 0;
    throw error;
  }
}
