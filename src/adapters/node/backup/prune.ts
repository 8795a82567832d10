// Removes from a backup what its manifest does not name: former generations,
// leftovers of a killed run, and blobs that the backup's index no longer refers to.
// back-up.ts calls it.
import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BlobId } from '../../../domain/nouns.ts';
import { blobPath } from '../blobs/blob-path.ts';
import { errnoOf } from '../blobs/fs-errors.ts';
import { readManifest } from '../disk/backup-manifest.ts';

/**
 * Removes every generation but the manifest's, all of them while there is no
 * manifest. Returns how many there were: a run that was killed leaves one.
 */
export function pruneGenerations(folder: string): number {
  const current = readManifest(folder)?.generation;
  let removed = 0;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith('generation-') || name === current) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

/** Removes blobs, and the folders that have none any more. */
export function pruneBlobs(folder: string, blobIds: readonly BlobId[]): void {
  const root = join(folder, 'blobs');
  for (const blobId of blobIds) {
    const path = blobPath(root, blobId);
    rmSync(path.file, { force: true });
    removeEmpty(path.folder, root);
  }
}

function removeEmpty(folder: string, root: string): void {
  try {
    for (let path = folder; path !== root; path = dirname(path)) rmdirSync(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOTEMPTY' && errnoOf(error) !== 'EEXIST') throw error;
  }
}
