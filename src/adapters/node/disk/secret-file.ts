// Files of the data folder that hold a secret: the root key and the master key. Read and written
// while the process starts.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncNow } from '../blobs/file-calls.ts';
import { errnoOf } from '../blobs/fs-errors.ts';

/** Text of a small file, or null when there is none. */
export function readSecretFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Writes a file that only its owner may read, durably. A crash leaves all of it or nothing under
 * its name.
 */
export function writeSecretFile(path: string, text: string): void {
  const temporary = `${path}.new`;
  const fd = openSync(temporary, 'w', 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, path);
  syncNow(dirname(path));
}
