// A file in the data folder that holds nothing but room. It is emptied when a delete finds the disk
// full, so that the delete's commit has where to go; it fills again when there is room.
import { randomFill } from 'node:crypto';
import { rmSync, statfsSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { closeFile, openFile, syncAll, writeAll } from '../blobs/file-calls.ts';
import { errnoOf } from '../blobs/fs-errors.ts';

export type ReserveFile = {
  /** Bytes that it holds now. */
  bytes(): number;
  /** Writes what is missing. Rejects with what the system says; what was written then stays. */
  fill(): Promise<void>;
  /** Gives its bytes back to the file system at once. False: there were none to give. */
  release(): boolean;
};

const random = promisify(randomFill);

/** Its name in the data folder. */
export const RESERVE_NAME = 'reserve';
/** Bytes of one write. */
const PIECE_BYTES = 1024 * 1024;
/** A start needs less: SQLite makes 32 KiB beside the index, and a write-ahead log. */
const START_BYTES = 1024 * 1024;

/**
 * Empties the reserve of a folder on a full disk: SQLite opens nothing there, not even to delete.
 */
export function releaseReserveToStart(dataDir: string): void {
  const { bavail, bsize } = statfsSync(dataDir);
  const path = join(dataDir, RESERVE_NAME);
  if (bavail * bsize < START_BYTES && sizeOf(path) > 0) truncateSync(path, 0);
}

/** `sizeBytes` 0: there is no such file, and one of an earlier setting is removed. */
export function openReserveFile(path: string, sizeBytes: number): ReserveFile {
  let bytes = sizeOf(path);
  let releases = 0;
  if (sizeBytes === 0) rmSync(path, { force: true });
  else if (bytes > sizeBytes) truncateSync(path, sizeBytes);
  bytes = Math.min(bytes, sizeBytes);

  async function append(fd: number): Promise<void> {
    const release = releases;
    while (bytes < sizeBytes && releases === release) {
      const piece = new Uint8Array(Math.min(PIECE_BYTES, sizeBytes - bytes));
      // Zeros would take no room on a file system that compresses.
      await random(piece);
      if (releases !== release) return;
      await writeAll(fd, [piece]);
      // What a release has cut off meanwhile was not all: this piece came behind it.
      if (releases !== release) truncateSync(path, 0);
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
        // What needed the room fails as it would have without a reserve.
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
