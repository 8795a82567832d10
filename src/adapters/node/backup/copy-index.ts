// A copy of the index of a running server, consistent to one commit. SQLite's
// online backup starts anew whenever another process commits, so on a busy server
// it would never end. Guard: the copy is made inside a read transaction, whose
// snapshot no commit changes and which blocks no writer.
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import {
  condemnUnreferencedBlobs,
  forgetPacks,
  hasIndexTables,
} from '../../../index/maintenance/inventory.ts';
import { syncNow } from '../blobs/file-calls.ts';
import { DataFolderError, INDEX_NAME } from '../disk/data-folder.ts';
import { openSqlite, sqliteOver } from '../index/node-sqlite.ts';

/** Pages copied in one step, 16 MiB. */
const STEP_PAGES = 4096;
/**
 * Bytes of the copy that may be mapped for its check: all. Unmapped it takes half
 * as long again.
 */
const MAPPED_BYTES = 2 ** 40;
/** How long a lock of the server's may be waited for, milliseconds. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Copies the index of a data folder into another folder, durably, without a
 * write-ahead log. Blobs that nothing refers to are condemned in the copy, and bodies
 * that wait for packs stay inline there. DataFolderError when it is no sound database.
 */
export async function copyIndex(dataDir: string, folder: string): Promise<void> {
  const target = join(folder, INDEX_NAME);
  const source = new DatabaseSync(join(dataDir, INDEX_NAME), { readOnly: true });
  try {
    source.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; BEGIN`);
    if (!hasIndexTables(sqliteOver(source, { readOnly: true }))) {
      throw new DataFolderError(`${join(dataDir, INDEX_NAME)} is no index of Quayside.`);
    }
    await backup(source, target, { rate: STEP_PAGES });
  } finally {
    source.close();
  }
  const copy = openSqlite(target, { readOnly: false });
  try {
    copy.all(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    const [problem] = copy.all<{ quick_check: string }>('PRAGMA quick_check(1)');
    if (problem?.quick_check !== 'ok') {
      throw new DataFolderError(
        `The index is damaged, and was not backed up: ${problem?.quick_check}.`,
      );
    }
    condemnUnreferencedBlobs(copy);
    forgetPacks(copy);
    copy.all('PRAGMA journal_mode = DELETE');
  } finally {
    copy.close();
  }
  syncNow(target);
  syncNow(folder);
}
