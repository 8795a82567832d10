// The manifest of a backup: which generation in the folder is the complete one, and digests that
// prove it. Written last, in one rename: whoever kills a backup leaves the former manifest, and
// everything that it names. docs/adr/0034 says why.
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DataFolderError } from '../data-folder.ts';
import { errnoOf } from '../fs-errors.ts';
import { writeSecretFile } from '../secret-file.ts';

/** A small file of a generation. `sha256` in hex. */
export type ManifestFile = { readonly name: string; readonly sizeBytes: number; readonly sha256: string };

export type Manifest = {
  readonly format: typeof MANIFEST_FORMAT;
  /**
   * When the copy of the index was begun: what was acknowledged before is in the backup. ISO 8601.
   */
  readonly takenAt: string;
  /** Folder of the index and the keys, below the backup's folder. */
  readonly generation: string;
  readonly index: ManifestFile;
  readonly keys: readonly ManifestFile[];
  /**
   * Blobs that the index refers to, and bytes of their bodies. The index names each with its size.
   */
  readonly blobs: { readonly count: number; readonly bytes: number };
  /** Blobs that were missing or cut short in the data folder already. */
  readonly hurtBlobs: readonly string[];
};

export const MANIFEST_FORMAT = 1;
export const MANIFEST_NAME = 'manifest.json';
/** Files of a data folder that hold keys. */
export const KEY_NAMES: readonly string[] = ['master-key', 'root-key.json'];
const GENERATION = /^generation-[\w-]{1,64}$/;

/**
 * The manifest of a backup's folder; null without one. DataFolderError for what this program can't
 * read.
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
      `${path} is of format ${String(manifest.format)}, and this program knows ${MANIFEST_FORMAT} only.`,
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
export async function describeFile(folder: string, name: string): Promise<ManifestFile> {
  const path = join(folder, name);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { name, sizeBytes: statSync(path).size, sha256: hash.digest('hex') };
}

/** DataFolderError unless the index and the keys of the backup are what the manifest says. */
export async function proveFiles(folder: string, { generation, index, keys }: Manifest): Promise<void> {
  for (const file of [index, ...keys]) {
    const path = join(folder, generation);
    const found = await describeFile(path, file.name).catch(() => null);
    if (found?.sha256 === file.sha256 && found.sizeBytes === file.sizeBytes) continue;
    const what = found === null ? 'is missing' : 'is not what was written';
    throw new DataFolderError(`The backup is damaged: ${join(path, file.name)} ${what}.`);
  }
}
