// Refuses a folder with blobs and no index: it was lost, or copied without its
// write-ahead log. A server that started there would be ready and empty, and its
// sweeper would take every blob for an orphan. inspect-folder.ts calls it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasIndexTables, listBucketIds } from '../../../index/maintenance/inventory.ts';
import { listBlobs } from '../blobs/blob-list.ts';
import { callOf } from '../call-of.ts';
import { openSqlite } from '../index/node-sqlite.ts';
import { DataFolderError, INDEX_NAME } from './data-folder.ts';

/**
 * DataFolderError when the folder has blobs, but no index or one without buckets.
 * Called before the index is opened otherwise: none is made here. Cost: one readdir for
 * a new folder.
 */
export async function refuseLostIndex(dataDir: string): Promise<void> {
  const { blobIds } = await listBlobs(join(dataDir, 'blobs'), { prefix: '', after: '', limit: 1 });
  if (blobIds.length === 0 || hasBuckets(join(dataDir, INDEX_NAME))) return;
  throw new DataFolderError(
    `${dataDir} has blobs, but its ${INDEX_NAME} is missing or empty ` +
      `(was it copied without ${INDEX_NAME}-wal?). ` +
      `Restore a backup into a new folder: ${callOf('restore')} BACKUP NEW_DATA_FOLDER. ` +
      'To begin anew without these bodies, move the folder blobs away.',
  );
}

function hasBuckets(indexPath: string): boolean {
  if (!existsSync(indexPath)) return false;
  const index = openSqlite(indexPath, { readOnly: false });
  try {
    return hasIndexTables(index) && listBucketIds(index).length > 0;
  } finally {
    index.close();
  }
}
