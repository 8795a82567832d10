// Folders of blobs under several threads, each with what it knows, over a file system that keeps
// after a power cut only the names that were synced: whatever the order of their calls, a blob that
// was said to be in its place is found there. Folders that empty out are removed meanwhile.
import { basename, dirname } from 'node:path';
import { expect, it } from 'vitest';
import {
  createBlobFolders,
  type FolderCalls,
} from '../../../src/adapters/node/blobs/blob-folders.ts';
import {
  CHANGE_COUNTERS_BYTES,
  createChangeCounters,
} from '../../../src/adapters/node/index/change-counters.ts';

const ROOT = '/blobs';
const FOLDER = `${ROOT}/bucket/outer/inner`;
const ORDERS = 500;

/** A file, or a folder with the names in it: those that are there, and those that would be left. */
type Entry = { readonly names: Map<string, Entry>; durable: Map<string, Entry> };

const newEntry = (): Entry => ({ names: new Map(), durable: new Map() });

class SystemError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

function createFiles() {
  const root = newEntry();

  function find(path: string, kind: 'names' | 'durable' = 'names'): Entry | null {
    let entry: Entry | undefined = root;
    for (const name of path.slice(ROOT.length).split('/').slice(1)) entry = entry?.[kind].get(name);
    return entry ?? null;
  }
  function folderOf(path: string): Entry {
    const folder = find(dirname(path));
    if (folder === null) throw new SystemError('ENOENT');
    return folder;
  }
  function remove(path: string): void {
    folderOf(path).names.delete(basename(path));
  }

  return {
    root,
    remove,
    /** Whether a power cut now would leave what is there under that name. */
    isSafe: (path: string) => find(path) !== null && find(path) === find(path, 'durable'),
    has: (path: string) => find(path) !== null,
    make(path: string): void {
      const { names } = folderOf(path);
      if (names.has(basename(path))) throw new SystemError('EEXIST');
      names.set(basename(path), newEntry());
    },
    removeFolder(path: string): void {
      const entry = find(path);
      if (entry === null) throw new SystemError('ENOENT');
      if (entry.names.size > 0) throw new SystemError('ENOTEMPTY');
      remove(path);
    },
    sync(path: string): void {
      const entry = find(path);
      if (entry === null) throw new SystemError('ENOENT');
      entry.durable = new Map(entry.names);
    },
  };
}

/** Calls that wait for their turn: to be done, and then to return. */
function createTurns(random: () => number) {
  const turns: (() => void)[] = [];
  const turn = () => new Promise<void>((resolve) => turns.push(resolve));
  return {
    async call(action: () => void): Promise<void> {
      await turn();
      try {
        action();
      } finally {
        await turn();
      }
    },
    /** Lets one go after the other, until the work is done. */
    async run(work: Promise<unknown>): Promise<void> {
      let isDone = false;
      const done = () => {
        isDone = true;
      };
      work.then(done, done);
      while (!isDone) {
        await new Promise(setImmediate);
        const [next] = turns.splice(Math.floor(random() * turns.length), 1);
        next?.();
      }
      await work;
    },
  };
}

/** Mulberry32. Source: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One order of calls; the blobs that were said to be in their places and would be lost. */
async function loseBlobs(seed: number, threads: number): Promise<string[]> {
  const files = createFiles();
  const turns = createTurns(createRandom(seed));
  const calls: FolderCalls = {
    makeFolder: (folder) => turns.call(() => files.make(folder)),
    removeFolder: (folder) => turns.call(() => files.removeFolder(folder)),
    rename: (_from, to) => turns.call(() => files.make(to)),
    removeQuietly: async () => undefined,
    syncFolder: (folder) => turns.call(() => files.sync(folder)),
  };
  const removals = createChangeCounters(new SharedArrayBuffer(CHANGE_COUNTERS_BYTES));
  const folders = Array.from({ length: threads }, () => createBlobFolders(ROOT, removals, calls));
  const lost: string[] = [];
  let made = 0;

  async function write(thread: number): Promise<string> {
    made += 1;
    const file = `${FOLDER}/blob-${made}`;
    await folders[thread]?.moveInto('/tmp/blob', { folder: FOLDER, file });
    if (!files.isSafe(file)) lost.push(file);
    return file;
  }

  const all = Array.from({ length: threads }, (_, thread) => thread);
  // Each thread has written there, and knows the folders.
  const before = Promise.all(all.map(write));
  await turns.run(before);
  for (const file of await before) files.remove(file);
  // The first thread removes the empty folder while all write.
  await turns.run(
    Promise.all([folders[0]?.removeEmpty(FOLDER), ...all.map(write), ...all.map(write)]),
  );
  return lost;
}

it.each([1, 2, 3])('a power cut leaves every blob of %i threads durable', async (threads) => {
  for (let seed = 1; seed <= ORDERS; seed++)
    expect(await loseBlobs(seed, threads), `seed ${seed}`).toEqual([]);
});
