// Folders of blobs: made when first needed, synced so that a name survives a power
// cut, removed when empty. Syncs of one folder are shared (group commit): callers
// during one sync wait for the next, all together.
//
// Race: a writer knows a folder as durable; another thread removes it, because it is
// empty; a third one makes it anew and has not yet synced its name; the first moves a
// blob into it and says so. Guard: removals are counted in memory that all threads see,
// before each. Who has moved a blob compares the count once more: a folder that holds a
// blob can't be removed, so a name that is synced then is synced for good.
// test/node/blobs/blob-folders.test.ts explores the orders.
import { dirname } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { ChangeReading } from '../../shared/fill-epochs.ts';
import {
  CHANGE_COUNTERS_BYTES,
  type ChangeCounters,
  createChangeCounters,
} from '../index/change-counters.ts';
import type { BlobPath } from './blob-path.ts';
import {
  closeFile,
  makeFolder,
  openFile,
  removeFolder,
  removeQuietly,
  rename,
  syncAll,
} from './file-calls.ts';
import { errnoOf } from './fs-errors.ts';

/**
 * Folders remembered as made and synced; a bucket under writes needs a new one
 * every 33 s.
 */
const KNOWN_MAX = 1000;
/** A delete may remove the folder between its making and the rename into it. */
const RENAME_ATTEMPTS = 3;

export type BlobFolders = {
  /**
   * Renames a file and makes its name durable; on failure neither name is left, but for
   * a target that is to be kept: it may have been there before.
   */
  moveInto(temporary: string, path: BlobPath, options?: { keepsTarget: boolean }): Promise<void>;
  /**
   * Removes the folder and its parents as far as they are empty, and makes durable
   * what was deleted from them. One thread of a process may do so.
   */
  removeEmpty(folder: string): Promise<void>;
};

/** Counts of removed folders, which all threads of the process share. */
export type FolderRemovals = Pick<ChangeCounters, 'begin' | 'end' | 'read' | 'isCurrent'>;

/** What is done to files; tests order the calls of several threads. */
export type FolderCalls = {
  makeFolder(folder: string, options: { mode: number }): Promise<unknown>;
  removeFolder(folder: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  removeQuietly(file: string): Promise<void>;
  /** Makes the names in a folder durable. */
  syncFolder(folder: string): Promise<void>;
};

const FILE_CALLS: FolderCalls = { makeFolder, removeFolder, rename, removeQuietly, syncFolder };

/** Removals of a process whose one thread has all folders. */
const ownRemovals = () => createChangeCounters(new SharedArrayBuffer(CHANGE_COUNTERS_BYTES));

/** Looks after the folders below `root`, which must exist. */
export function createBlobFolders(
  root: string,
  removals: FolderRemovals = ownRemovals(),
  calls: FolderCalls = FILE_CALLS,
): BlobFolders {
  const { isDurable, remember, forget } = createKnownFolders(root, removals);
  const making = new Map<string, Promise<void>>();
  const sync = createSyncs(calls.syncFolder);

  async function make(folder: string): Promise<void> {
    const parent = dirname(folder);
    await ensure(parent);
    const reading = removals.read(folder);
    try {
      await calls.makeFolder(folder, { mode: 0o700 });
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    // Also when it was there: its maker may have died before this.
    await sync(parent);
    await confirm(parent);
    remember(folder, reading);
  }

  /** Makes the folder, so that it mostly is there for a rename. */
  async function ensure(folder: string): Promise<void> {
    if (isDurable(folder)) return;
    let promise = making.get(folder);
    if (promise === undefined) {
      promise = make(folder).finally(() => making.delete(folder));
      making.set(folder, promise);
    }
    await promise;
  }

  /** Makes durable the name of a folder that holds something, and those of its parents. */
  async function confirm(folder: string): Promise<void> {
    if (isDurable(folder)) return;
    const parent = dirname(folder);
    const reading = removals.read(folder);
    await sync(parent);
    await confirm(parent);
    remember(folder, reading);
  }

  /** False where it is not there, or is in use. */
  async function remove(folder: string): Promise<boolean> {
    removals.begin(folder);
    try {
      return await succeeds(calls.removeFolder(folder));
    } finally {
      removals.end(folder);
    }
  }

  return {
    async moveInto(temporary, path, { keepsTarget } = { keepsTarget: false }) {
      let created = temporary;
      try {
        for (let attempt = 1; created === temporary; attempt++) {
          try {
            await ensure(path.folder);
            await calls.rename(temporary, path.file);
            created = path.file;
          } catch (error) {
            if (errnoOf(error) !== 'ENOENT' || attempt === RENAME_ATTEMPTS) throw error;
            forget(path.folder);
          }
        }
        await sync(path.folder);
        await confirm(path.folder);
      } catch (error) {
        if (created === temporary || !keepsTarget) await calls.removeQuietly(created);
        throw error;
      }
    },

    async removeEmpty(folder) {
      for (let path = folder; path.startsWith(root) && path !== root; path = dirname(path)) {
        const isGone = (await remove(path)) || !(await succeeds(sync(path)));
        if (!isGone) return;
      }
      await sync(root);
    },
  };
}

/** What is known of folders: which had durable names, as of which count of removals. */
function createKnownFolders(root: string, removals: FolderRemovals) {
  const known = new LRUCache<string, ChangeReading>({ max: KNOWN_MAX });
  return {
    isDurable(folder: string): boolean {
      if (folder === root) return true;
      const reading = known.get(folder);
      return reading !== undefined && removals.isCurrent(reading);
    },
    /** `reading`: of before its name was synced; null: a removal was under way. */
    remember(folder: string, reading: ChangeReading | null): void {
      if (reading !== null) known.set(folder, reading);
    },
    /** A rename found it gone. */
    forget(folder: string): void {
      for (let path = folder; path.startsWith(root) && path !== root; path = dirname(path))
        known.delete(path);
    },
  };
}

/** Shares syncs. Each makes durable what was renamed into the folder before its call. */
function createSyncs(syncFolder: FolderCalls['syncFolder']): FolderCalls['syncFolder'] {
  const syncs = new Map<string, { running: Promise<void>; next: Promise<void> | null }>();

  function startSync(folder: string): Promise<void> {
    const running = syncFolder(folder).finally(() => {
      if (syncs.get(folder)?.running === running && syncs.get(folder)?.next === null)
        syncs.delete(folder);
    });
    syncs.set(folder, { running, next: null });
    return running;
  }

  return (folder) => {
    const state = syncs.get(folder);
    if (state === undefined) return startSync(folder);
    state.next ??= state.running.catch(() => {}).then(() => startSync(folder));
    return state.next;
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
