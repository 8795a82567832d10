// Folders of blobs: made when first needed, synced so that a name survives a power
// cut, removed when empty. Syncs of one folder are shared (group commit): callers
// during one sync wait for the next, all together.
import { dirname } from 'node:path';
import { LRUCache } from 'lru-cache';
import { closeFile, makeFolder, openFile, removeFolder, syncAll } from './file-calls.ts';
import { errnoOf } from './fs-errors.ts';

/**
 * Folders remembered as made and synced; a bucket under writes needs a new one
 * every 33 s.
 */
const KNOWN_MAX = 1000;

export type BlobFolders = {
  /** Makes the folder and its parents durable. */
  ensure(folder: string): Promise<void>;
  /** Makes durable what was renamed into the folder before this call. */
  sync(folder: string): Promise<void>;
  /** Forgets that the folder is there: a write found it gone. */
  forget(folder: string): void;
  /**
   * Removes the folder and its parents as far as they are empty, and makes durable
   * what was deleted from them.
   */
  removeEmpty(folder: string): Promise<void>;
};

/** Looks after the folders below `root`, which must exist. */
export function createBlobFolders(root: string): BlobFolders {
  const known = new LRUCache<string, true>({ max: KNOWN_MAX });
  const making = new Map<string, Promise<void>>();
  const syncs = new Map<string, { running: Promise<void>; next: Promise<void> | null }>();

  async function make(folder: string): Promise<void> {
    const parent = dirname(folder);
    await ensure(parent);
    try {
      await makeFolder(folder, { mode: 0o700 });
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    // Also when it was there: its maker may have died before this.
    await sync(parent);
    known.set(folder, true);
  }

  async function ensure(folder: string): Promise<void> {
    if (folder === root || known.has(folder)) return;
    let promise = making.get(folder);
    if (promise === undefined) {
      promise = make(folder).finally(() => making.delete(folder));
      making.set(folder, promise);
    }
    await promise;
  }

  function startSync(folder: string): Promise<void> {
    const running = syncFolder(folder).finally(() => {
      if (syncs.get(folder)?.running === running && syncs.get(folder)?.next === null)
        syncs.delete(folder);
    });
    syncs.set(folder, { running, next: null });
    return running;
  }

  function sync(folder: string): Promise<void> {
    const state = syncs.get(folder);
    if (state === undefined) return startSync(folder);
    state.next ??= state.running.catch(() => {}).then(() => startSync(folder));
    return state.next;
  }

  function forget(folder: string): void {
    for (let path = folder; path.startsWith(root) && path !== root; path = dirname(path))
      known.delete(path);
  }

  return {
    ensure,
    sync,
    forget,
    async removeEmpty(folder) {
      for (let path = folder; path.startsWith(root) && path !== root; path = dirname(path)) {
        const isGone = (await succeeds(removeFolder(path))) || !(await succeeds(sync(path)));
        if (!isGone) return;
        known.delete(path);
      }
      await sync(root);
    },
  };
}

/**
 * False where the folder is not there, or where rmdir finds it in use, as it mostly
 * does.
 */
async function succeeds(call: Promise<void>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTEMPTY' || errno === 'EEXIST') return false;
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const fd = await openFile(folder, 'r');
  try {
    await syncAll(fd);
  } finally {
    await closeFile(fd);
  }
}
