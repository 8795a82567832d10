// The mark of a folder that a backup is being restored into. A server that started
// there would be ready and empty, or have only a part: it refuses to start until
// the mark is removed.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { syncNow } from '../blobs/file-calls.ts';
import { callOf } from '../call-of.ts';
import { DataFolderError } from './data-folder.ts';

const MARK_NAME = 'restore-unfinished.txt';
const MARK = 'A backup is being restored into this folder, or was and did not get to the end.\n';

/**
 * Marks a new folder, durably. Throws EEXIST where another restore has marked it.
 */
export function markRestore(dataDir: string): void {
  writeFileSync(join(dataDir, MARK_NAME), MARK, { flag: 'wx', flush: true, mode: 0o600 });
  syncNow(dataDir);
}

/** Removes the mark: all of the backup is in the folder, durably. */
export function unmarkRestore(dataDir: string): void {
  rmSync(join(dataDir, MARK_NAME));
  syncNow(dataDir);
}

/** DataFolderError for a folder whose restore was killed or is under way. */
export function refuseUnfinishedRestore(dataDir: string): void {
  if (!existsSync(join(dataDir, MARK_NAME))) return;
  throw new DataFolderError(
    `The restore into ${dataDir} is not finished. ` +
      `Remove the folder and restore again: ${callOf('restore')} BACKUP NEW_DATA_FOLDER.`,
  );
}
