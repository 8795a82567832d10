// Ids of the master keys that a data folder needs, stored in its index: every key
// that was ever the first one, and so encrypted something. A start without one of
// them is refused. A new key made in its place would decrypt nothing, and the loss
// would be noticed when it is too late.
import { join } from 'node:path';
import type { Config } from '../../../config.ts';
import { withStoredMasterKeys } from '../../../config.ts';
import { countMasterKeyUses } from '../../../index/maintenance/inventory.ts';
import { DIRECTORY_SCHEMA } from '../../../index/tables/directory-schema.ts';
import { compareSchemas, migrate, type Schema } from '../../../index/tables/schema.ts';
import type { Sql } from '../../../ports/sql.ts';
import { callOf } from '../call-of.ts';
import { DataFolderError, INDEX_NAME } from '../disk/data-folder.ts';
import { openSqlite } from '../index/node-sqlite.ts';
import { loadMasterKeyText } from './master-key-file.ts';

export const MASTER_KEY_SCHEMA: Schema = {
  name: 'master_keys',
  migrations: [
    [
      'CREATE TABLE master_keys (id TEXT NOT NULL PRIMARY KEY, ' +
        'first_used_at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID',
    ],
  ],
};

/**
 * Reads the master keys of the settings and of the folder's file, which is made
 * where no key is missing. To be called before the index is opened otherwise.
 * DataFolderError names missing keys; those of QUAYSIDE_WITHOUT_MASTER_KEYS may be.
 */
export function openMasterKeys(
  dataDir: string,
  settings: Pick<Config, 'masterKeys' | 'withoutMasterKeys'>,
): Config['masterKeys'] {
  const index = openSqlite(join(dataDir, INDEX_NAME), { readOnly: false });
  try {
    migrate(index, MASTER_KEY_SCHEMA);
    const presentKeys = withStoredMasterKeys(
      settings.masterKeys,
      loadMasterKeyText(dataDir, false),
    );
    const presentIds = new Set([...presentKeys.map(({ id }) => id), ...settings.withoutMasterKeys]);
    const missing = neededKeys(index).filter((id) => !presentIds.has(id));
    if (missing.length > 0) throw new DataFolderError(missingText(dataDir, missing));

    const keyText = loadMasterKeyText(dataDir, presentKeys.length === 0);
    const keys = withStoredMasterKeys(settings.masterKeys, keyText);
    for (const { id } of keys.slice(0, 1)) recordKey(index, id);
    return keys;
  } finally {
    index.close();
  }
}

/**
 * Ids of keys that encrypted something; of an index without a record, by what is
 * encrypted.
 */
function neededKeys(index: Sql): string[] {
  const recorded = recordedMasterKeys(index);
  if (recorded.length > 0) return recorded;
  return compareSchemas(index, [DIRECTORY_SCHEMA]) === 'same'
    ? [...countMasterKeyUses(index).keys()]
    : [];
}

/**
 * Ids in the record, the oldest first; none in an older index without the table.
 */
export function recordedMasterKeys(index: Sql): string[] {
  const tables = index.all(
    "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'master_keys'",
  );
  if (tables.length === 0) return [];
  return index
    .all<{ id: string }>('SELECT id FROM master_keys ORDER BY first_used_at_ms')
    .map(({ id }) => id);
}

function recordKey(index: Sql, id: string): void {
  const recorded = index.all('SELECT 1 FROM master_keys WHERE id = ?', id);
  if (recorded.length === 0)
    index.all('INSERT INTO master_keys (id, first_used_at_ms) VALUES (?, ?)', id, Date.now());
}

function missingText(dataDir: string, ids: readonly string[]): string {
  const [first, are] =
    ids.length === 1
      ? [`The master key ${ids[0]}`, 'is']
      : [`The master keys ${ids.join(', ')}`, 'are'];
  return (
    `${first} ${are} missing, by which ${dataDir} was encrypted, or may have been: ` +
    `${callOf('check')} ${dataDir} says how much. ` +
    'Put the file master-key of your backup back into the folder, ' +
    'or set QUAYSIDE_MASTER_KEY to it (with a newer key: new,old). ' +
    'If nothing needs it, or it is lost for good, ' +
    `start with QUAYSIDE_WITHOUT_MASTER_KEYS=${ids.join(',')}: ` +
    "what it encrypted can't be read again."
  );
}
