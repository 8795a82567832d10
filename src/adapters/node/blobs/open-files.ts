// A cache of open descriptors of blobs: opening a file costs three trips to the
// thread pool. A descriptor closes when it has left the cache and its last user has
// released it, never earlier.
import { LRUCache } from 'lru-cache';
import { closeFile, openFile, statFile } from './file-calls.ts';
import { type KnownPages, newKnownPages } from './known-pages.ts';
import { type Mapping, newMapping } from './mapped-files.ts';

export type OpenBlob = {
  readonly fd: number;
  readonly fileBytes: number;
  /** Which of its pages the page cache most likely has. */
  readonly pages: KnownPages;
  /** Whether it is mapped into memory. */
  readonly mapping: Mapping;
};

export type OpenFiles = {
  /**
   * The file, if it is open and cached. Good for the current tick of the event
   * loop; later the caller asks `isCached` first.
   */
  peek(name: string): OpenBlob | null;
  /** Whether a file from `peek` is sure to be open still. */
  isCached(file: OpenBlob): boolean;
  /**
   * Opens the file or takes it from the cache. Each `acquire` needs exactly one
   * `release`. Throws what `open` throws.
   */
  acquire(name: string): Promise<OpenBlob>;
  release(file: OpenBlob): void;
  /** Drops a file that is about to be deleted from the cache. */
  forget(name: string): void;
  /** Files in the cache and files in use, for tests and metrics. */
  counts(): { cached: number; inUse: number };
  close(): void;
};

type CacheEntry = OpenBlob & { users: number; isCached: boolean };
/**
 * `waiters` become users of the file before another file can push it out of the
 * cache.
 */
type Opening = { promise: Promise<CacheEntry>; waiters: number; isForgotten: boolean };

/**
 * Caches at most `maxFiles` descriptors besides those in use. `pathOf`: the path
 * for a name; may throw. `onOpen` hears of each file that was opened, `onForget` of
 * each that leaves the cache.
 */
export function createOpenFiles(
  maxFiles: number,
  pathOf: (name: string) => string,
  onOpen: (name: string, file: OpenBlob) => void = () => {},
  onForget: (file: OpenBlob) => void = () => {},
): OpenFiles {
  const inUse = new Set<CacheEntry>();
  const openings = new Map<string, Opening>();
  const cache = new LRUCache<string, CacheEntry>({
    max: maxFiles,
    dispose(entry) {
      entry.isCached = false;
      onForget(entry);
      if (entry.users === 0) closeQuietly(entry.fd);
    },
  });

  async function open(name: string, opening: Opening): Promise<CacheEntry> {
    try {
      const fd = await openFile(pathOf(name), 'r');
      const entry: CacheEntry = {
        fd,
        fileBytes: await sizeOf(fd),
        pages: newKnownPages(),
        mapping: newMapping(),
        users: opening.waiters,
        isCached: false,
      };
      inUse.add(entry);
      onOpen(name, entry);
      if (!opening.isForgotten) {
        entry.isCached = true;
        cache.set(name, entry);
      }
      return entry;
    } finally {
      openings.delete(name);
    }
  }

  return {
    peek: (name) => cache.get(name) ?? null,
    isCached: (file) => (file as CacheEntry).isCached,
    acquire(name) {
      const entry = cache.get(name);
      if (entry !== undefined) {
        entry.users += 1;
        inUse.add(entry);
        return Promise.resolve(entry);
      }
      const openingNow = openings.get(name);
      if (openingNow !== undefined) {
        openingNow.waiters += 1;
        return openingNow.promise;
      }
      const opening: Opening = {
        promise: Promise.resolve({} as CacheEntry),
        waiters: 1,
        isForgotten: false,
      };
      openings.set(name, opening);
      opening.promise = open(name, opening);
      return opening.promise;
    },
    release(file) {
      const entry = file as CacheEntry;
      entry.users -= 1;
      if (entry.users > 0) return;
      inUse.delete(entry);
      if (!entry.isCached) closeQuietly(entry.fd);
    },
    forget(name) {
      const opening = openings.get(name);
      if (opening !== undefined) opening.isForgotten = true;
      cache.delete(name);
    },
    counts: () => ({ cached: cache.size, inUse: inUse.size }),
    close: () => cache.clear(),
  };
}

async function sizeOf(fd: number): Promise<number> {
  try {
    return (await statFile(fd)).size;
  } catch (error) {
    closeQuietly(fd);
    throw error;
  }
}

/**
 * A descriptor that was only read from has nothing to lose when closing it fails.
 */
function closeQuietly(fd: number): void {
  closeFile(fd).catch(() => {});
}
