// Where index, blobs and keys lie in a folder that is checked: a data folder, or a
// backup of one.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hasIndexTables } from '../../../index/maintenance/inventory.ts';
import { DIRECTORY_SCHEMA } from '../../../index/tables/directory-schema.ts';
import { INDEX_SCHEMA } from '../../../index/tables/index-schema.ts';
import { LEDGER_SCHEMA } from '../../../index/tables/ledger-schema.ts';
import { compareSchemas } from '../../../index/tables/schema.ts';
import type { Sql } from '../../../ports/sql.ts';
import { readManifest } from '../disk/backup-manifest.ts';
import { DataFolderError, INDEX_NAME } from '../disk/data-folder.ts';

export type StoredFolder = {
  readonly kind: 'data' | 'backup';
  readonly path: string;
  readonly indexPath: string;
  readonly blobRoot: string;
  /** Where the files with keys are. */
  readonly keyFolder: string;
};

/** DataFolderError when the folder is neither. */
export function findStoredFolder(folder: string): StoredFolder {
  const path = resolve(folder);
  const manifest = readManifest(path);
  const keyFolder = manifest === null ? path : join(path, manifest.generation);
  const indexPath = join(keyFolder, INDEX_NAME);
  if (!existsSync(indexPath))
    throw new DataFolderError(`${path} is no data folder and no complete backup.`);
  return {
    kind: manifest === null ? 'data' : 'backup',
    path,
    indexPath,
    blobRoot: join(path, 'blobs'),
    keyFolder,
  };
}

/**
 * DataFolderError for an index of a newer program and, unless `mayBeOlder`, of an
 * older one.
 */
export function requireKnownIndex(index: Sql, path: string, mayBeOlder: boolean): void {
  if (!hasIndexTables(index)) throw new DataFolderError(`${path} is no index of Quayside.`);
  const age = compareSchemas(index, [INDEX_SCHEMA, DIRECTORY_SCHEMA, LEDGER_SCHEMA]);
  if (age === 'newer')
    throw new DataFolderError(`${path} was written by a newer Quayside: use that program.`);
  if (age === 'same' || mayBeOlder) return;
  throw new DataFolderError(
    `${path} was written by an older Quayside: start the server once, which brings it up to date.`,
  );
}
