// Reads and writes small files durably, readable by their owner only: the root key,
// the master key, and the manifest of a backup. Blocks, so only a start and
// commands call it.
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
 * Writes a file that only its owner may read, durably. A crash leaves all of it or
 * nothing under its name.
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
