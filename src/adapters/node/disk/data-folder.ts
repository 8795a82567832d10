// The data folder: made when missing, and locked for one process. The lock is
// SQLite's on a file of its own: the system drops it when the process dies in
// whatever way, and it works between containers that share a disk.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { releaseReserveToStart } from './reserve-file.ts';

/**
 * File of the index. Beside it stand its write-ahead log (`-wal`) and shared memory
 * (`-shm`).
 */
export const INDEX_NAME = 'index.sqlite';

export type DataFolder = {
  /** Absolute path. */
  readonly path: string;
  /** Releases the lock: another process may have the folder. */
  unlock(): void;
};

/**
 * The folder can't be used; the message is for the person who started the program.
 */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

/**
 * Makes and locks the folder. On a full disk its reserve is released, so that the
 * server can start. DataFolderError when another process has it, or it can't be
 * made or written.
 */
export function openDataFolder(dataDir: string): DataFolder {
  const path = resolve(dataDir);
  let opened: DatabaseSync | null = null;
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const lock = new DatabaseSync(join(path, 'lock.sqlite'), { timeout: 0 });
    opened = lock;
    // A rollback journal in memory: the lock is all there is, nothing is ever
    // written.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    releaseReserveToStart(path);
    return { path, unlock: () => lock.close() };
  } catch (cause) {
    opened?.close();
    const isTaken = cause instanceof Error && /database is locked/.test(cause.message);
    const reason = isTaken ? 'another Quayside process is using it' : String(cause);
    throw new DataFolderError(`Can't use the data folder ${path}: ${reason}.`, { cause });
  }
}
