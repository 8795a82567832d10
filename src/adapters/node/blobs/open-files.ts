// Descriptors of blobs that were read lately, kept open: opening a file costs three trips to the
// thread pool. A descriptor is closed when it has left the cache and its last user has let go,
// never earlier.
import { LRUCache } from 'lru-cache';
import { closeFile, openFile, statFile } from './file-calls.ts';
import { type Mapping, newMapping } from './mapped-files.ts';
import { type KnownPages, newKnownPages } from './quick-reads.ts';

export type OpenBlob = {
  readonly fd: number;
  readonly fileBytes: number;
  /** What quick-reads.ts knows of it. */
  readonly pages: KnownPages;
  /** What mapped-files.ts knows of it. */
  readonly mapping: Mapping;
};

export type OpenFiles = {
  /**
   * The file, if it is open and cached, for whoever has done with it before anything else can
   * happen, or asks `isCached` first.
   */
  peek(name: string): OpenBlob | null;
  /** Whether what `peek` gave is sure to be open still. */
  isCached(file: OpenBlob): boolean;
  /**
   * Opens the file or takes it from the cache. Each `acquire` needs exactly one `release`. Throws
   * what `open` throws.
   */
  acquire(name: string): Promise<OpenBlob>;
  release(file: OpenBlob): void;
  /** Lets go of a file that is about to be deleted. */
  forget(name: string): void;
  /** Files in the cache and files in use, for tests and metrics. */
  counts(): { cached: number; inUse: number };
  close(): void;
};

type Entry = OpenBlob & { users: number; isCached: boolean };
/** `waiters` get their share of the file before anybody can push it out of the cache. */
type Opening = { promise: Promise<Entry>; waiters: number; isForgotten: boolean };

/**
 * Keeps at most `maxFiles` descriptors besides those in use. `pathOf`: where the file of a name
 * lies; may throw. `onOpen` hears of each file that was opened, `onForget` of each that leaves the
 * cache.
 */
export function createOpenFiles(
  maxFiles: number,
  pathOf: (name: string) => string,
  onOpen: (name: string, file: OpenBlob) => void = () => {},
  onForget: (file: OpenBlob) => void = () => {},
): OpenFiles {
  const inUse = new Set<Entry>();
  const openings = new Map<string, Opening>();
  const cache = new LRUCache<string, Entry>({
    max: maxFiles,
    dispose(entry) {
      entry.isCached = false;
      onForget(entry);
      if (entry.users === 0) closeQuietly(entry.fd);
    },
  });

  async function open(name: string, opening: Opening): Promise<Entry> {
    try {
      const fd = await openFile(pathOf(name), 'r');
      const entry: Entry = {
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
    isCached: (file) => (file as Entry).isCached,
    acquire(name) {
      const entry = cache.get(name);
      if (entry !== undefined) {
        entry.users += 1;
        inUse.add(entry);
        return Promise.resolve(entry);
      }
      const known = openings.get(name);
      if (known !== undefined) {
        known.waiters += 1;
        return known.promise;
      }
      const opening: Opening = {
        promise: Promise.resolve({} as Entry),
        waiters: 1,
        isForgotten: false,
      };
      openings.set(name, opening);
      opening.promise = open(name, opening);
      return opening.promise;
    },
    release(file) {
      const entry = file as Entry;
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

/** A descriptor that was only read from has nothing to lose when closing it fails. */
function closeQuietly(fd: number): void {
  closeFile(fd).catch(() => {});
}
