// The manifest of a backup: which generation in the folder is the complete one, and
// digests that prove it. It is written last, in one rename: a killed backup leaves
// the former manifest and everything that it names (docs/adr/0034). Backup, restore
// and check read it.
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../blobs/fs-errors.ts';
import { DataFolderError } from './data-folder.ts';
import { writeSecretFile } from './secret-file.ts';

/** A file of a generation. `sha256` in hex. */
export type ManifestFile = {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
};

export type Manifest = {
  readonly format: typeof MANIFEST_FORMAT;
  /**
   * When the copy of the index began, ISO 8601: writes acknowledged before are in
   * the backup.
   */
  readonly takenAt: string;
  /** Folder of the index and the keys, below the backup's folder. */
  readonly generation: string;
  readonly index: ManifestFile;
  readonly keys: readonly ManifestFile[];
  /** Blobs that the index refers to, and bytes of their bodies. */
  readonly blobs: { readonly count: number; readonly bytes: number };
  /** Blobs that were missing or cut short in the data folder already. */
  readonly hurtBlobs: readonly string[];
  /**
   * Cursor of the length checks: the next run goes on behind it. Empty or absent:
   * at the first.
   */
  readonly lengthsCheckedTo?: string;
};

export const MANIFEST_FORMAT = 1;
export const MANIFEST_NAME = 'manifest.json';
/** Files of a data folder that hold keys. */
export const KEY_NAMES: readonly string[] = ['master-key', 'root-key.json'];
/** Bytes of a file read at a time for its digest. */
const READ_BYTES = 1024 * 1024;
const GENERATION = /^generation-[\w-]{1,64}$/;

/**
 * The manifest of a backup's folder; null without one. DataFolderError for an
 * unreadable one.
 */
export function readManifest(folder: string): Manifest | null {
  const path = join(folder, MANIFEST_NAME);
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return null;
    throw new DataFolderError(`${path} can't be read: ${String(cause)}.`, { cause });
  }
  if (manifest.format !== MANIFEST_FORMAT) {
    throw new DataFolderError(
      `${path} is of format ${String(manifest.format)}, ` +
        `and this program knows ${MANIFEST_FORMAT} only.`,
    );
  }
  if (!GENERATION.test(manifest.generation)) throw new DataFolderError(`${path} is damaged.`);
  return manifest;
}

/** Puts the manifest in the place of the former one, durably. */
export function writeManifest(folder: string, manifest: Manifest): void {
  writeSecretFile(join(folder, MANIFEST_NAME), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Size and digest of a file as it is on the disk now. */
export function describeFile(folder: string, name: string): ManifestFile {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  let sizeBytes = 0;
  const fd = openSync(join(folder, name), 'r');
  try {
    for (let readBytes = readSync(fd, buffer); readBytes > 0; readBytes = readSync(fd, buffer)) {
      hash.update(buffer.subarray(0, readBytes));
      sizeBytes += readBytes;
    }
  } finally {
    closeSync(fd);
  }
  return { name, sizeBytes, sha256: hash.digest('hex') };
}

/**
 * DataFolderError unless the index and the keys of the backup are what the manifest
 * says.
 */
export function proveFiles(folder: string, { generation, index, keys }: Manifest): void {
  for (const file of [index, ...keys]) {
    const path = join(folder, generation);
    const stored = describeReadable(path, file.name);
    if (stored?.sha256 === file.sha256 && stored.sizeBytes === file.sizeBytes) continue;
    const what = stored === null ? 'is missing' : 'is not what was written';
    throw new DataFolderError(`The backup is damaged: ${join(path, file.name)} ${what}.`);
  }
}

/** Null for a file that is not there or can't be read. */
function describeReadable(folder: string, name: string): ManifestFile | null {
  try {
    return describeFile(folder, name);
  } catch {
    return null;
  }
}
