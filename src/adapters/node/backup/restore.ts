// Restores a backup into a new data folder: a mark, then blobs, keys and the index.
// The mark goes last: a killed restore leaves it, and it stops a server from
// starting (unfinished-restore.ts). scripts/restore.ts calls it.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { syncNow } from '../blobs/file-calls.ts';
import { type BlobDamage, checkBlobs } from '../check/check-blobs.ts';
import { requireKnownIndex } from '../check/stored-folder.ts';
import { type Manifest, proveFiles, readManifest } from '../disk/backup-manifest.ts';
import { DataFolderError, INDEX_NAME, openDataFolder } from '../disk/data-folder.ts';
import { markRestore, unmarkRestore } from '../disk/unfinished-restore.ts';
import { openSqlite } from '../index/node-sqlite.ts';
import { copyKeys, referencedBlobs } from './back-up.ts';
import { type CopyCounts, type CopyMode, copyBlobs } from './copy-blobs.ts';
import { ALL_LENGTHS } from './length-checks.ts';

export type RestoreResult = {
  readonly manifest: Manifest;
  readonly counts: CopyCounts;
  /** Blobs that the backup has not, or not whole, by their ids. */
  readonly damage: ReadonlyMap<string, BlobDamage>;
};

/**
 * Makes a data folder of a backup; it must be empty or not there. DataFolderError,
 * before anything is written, for any other folder, and for a backup that is
 * incomplete, damaged or of a newer program.
 */
export async function restore(
  backup: string,
  dataDir: string,
  mode: CopyMode,
): Promise<RestoreResult> {
  const source = resolve(backup);
  const manifest = readManifest(source);
  if (manifest === null)
    throw new DataFolderError(`${source} is no complete backup: it has no manifest.json.`);
  requireEmpty(resolve(dataDir));
  proveFiles(source, manifest);
  const generation = join(source, manifest.generation);
  const index = openSqlite(join(generation, INDEX_NAME), { readOnly: true });
  try {
    requireKnownIndex(index, join(generation, INDEX_NAME), true);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    // Before the lock's file: a folder with that alone is one in which a server
    // would start.
    markRestore(dataDir);
    const target = openDataFolder(dataDir);
    try {
      const counts = await copyBlobs(source, target.path, referencedBlobs(index), {
        mode,
        lengthChecks: ALL_LENGTHS,
      });
      const { damage } = checkBlobs(index, join(target.path, 'blobs'));
      copyKeys(generation, target.path);
      installIndex(generation, target.path);
      unmarkRestore(target.path);
      return { manifest, counts, damage };
    } finally {
      target.unlock();
    }
  } finally {
    index.close();
  }
}

/** Copies the index, durably, once all that it refers to is there. */
function installIndex(from: string, to: string): void {
  const temporary = join(to, `${INDEX_NAME}.new`);
  copyFileSync(join(from, INDEX_NAME), temporary);
  chmodSync(temporary, 0o600);
  syncNow(temporary);
  renameSync(temporary, join(to, INDEX_NAME));
  syncNow(to);
}

function requireEmpty(path: string): void {
  if (!existsSync(path) || readdirSync(path).length === 0) return;
  throw new DataFolderError(
    `${path} is not empty: nothing was written to it. Restore into a new folder.`,
  );
}
