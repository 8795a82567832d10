// Many uploads as one thing that a page can show: files and folders wait, go a few
// at a time, stop and go on, each by itself or all. It knows no framework:
// subscribe and getSnapshot are what React's useSyncExternalStore wants, and what
// every other framework can use.
import type { UploadOptions } from '../upload/upload.ts';
import { isSameFile, type QueueFile, type StoredItem, toQueueFiles } from './queue-item.ts';
import { createQueueList, type Entry, isOver, type QueueSnapshot } from './queue-list.ts';
import { createItemStore, type QueueStorage } from './queue-storage.ts';
import { cancelEntry, type QueueClient, sendEntry } from './send-entry.ts';

export type QueueOptions = {
  readonly client: QueueClient;
  readonly bucket: string;
  /** What keys begin with, before the paths of files. */
  readonly prefix?: string | undefined;
  /** Files under way at once, 3. Each may send several parts at once. */
  readonly concurrency?: number | undefined;
  /**
   * Further files go beyond `concurrency` while all that are under way have at most so
   * many bytes, 0: many small files then share requests for URLs.
   */
  readonly eagerBytes?: number | undefined;
  /**
   * Where unfinished uploads are remembered: `localStorage`. Without it a reload
   * forgets them.
   */
  readonly storage?: QueueStorage | undefined;
  /** What is said of each object, and how it is sent. */
  readonly optionsFor?: ((file: File, key: string) => UploadOptions) | undefined;
};

/** Without `ids` a verb is for all files. */
export type UploadQueue = {
  subscribe(listener: () => void): () => void;
  /** Gives the same object until something changes. */
  getSnapshot(): QueueSnapshot;
  /** Adds files; one that is known from before a reload goes on where it was. */
  add(files: Iterable<File | QueueFile>): void;
  pause(ids?: readonly string[]): void;
  resume(ids?: readonly string[]): void;
  /** Resolves when nothing of them is left on the server. Done files stay. */
  cancel(ids?: readonly string[]): Promise<void>;
  /** Begins the failed ones again, where they were; the options come in place of theirs. */
  retry(ids?: readonly string[], options?: UploadOptions): void;
  /** Takes what is done or cancelled off the list. */
  clear(): void;
  /** Resolves when nothing waits or is sent any more. */
  settled(): Promise<void>;
  /** Resolves when what was unfinished before the reload is on the list. */
  readonly restored: Promise<void>;
};

const CONCURRENCY = 3;
/** Files under way at once, however small they are. */
const EAGER_MAX = 48;

/** An object's name among those of all buckets: no bucket's name has a slash. */
const keyOf = ({ bucket, key }: StoredItem): string => `${bucket}/${key}`;

/** Whether one more may go: by number, or because all that go are small. */
function hasRoom(
  sending: ReadonlySet<Entry>,
  next: Entry,
  concurrency: number,
  eagerBytes: number,
): boolean {
  if (sending.size < concurrency) return true;
  if (eagerBytes === 0 || sending.size >= EAGER_MAX) return false;
  let bytes = next.item.sizeBytes;
  for (const { item } of sending) bytes += item.sizeBytes;
  return bytes <= eagerBytes;
}

export function createUploadQueue(options: QueueOptions): UploadQueue {
  const { client, bucket, prefix = '', concurrency = CONCURRENCY, eagerBytes = 0 } = options;
  const store = createItemStore(options.storage);
  const list = createQueueList(store);
  const restored = store.load().then((items) => {
    // What was added before this stands on the list already.
    const keys = new Set(list.chosen().map(({ stored }) => stored.key));
    for (const stored of items) if (!keys.has(stored.key)) list.insert(stored, null);
  });

  /** Begins what waits, as far as there is room. */
  function advance(): void {
    for (const entry of list.inState('waiting')) {
      if (!hasRoom(list.inState('sending'), entry, concurrency, eagerBytes)) return;
      if (entry.file === null) continue;
      if (entry.task === null) {
        const own = { ...options.optionsFor?.(entry.file, entry.stored.key), ...entry.options };
        void sendEntry(list, client, entry, own).then(advance);
      } else {
        list.change(entry, { state: 'sending' });
        entry.task.resume();
      }
    }
  }

  function add(files: Iterable<File | QueueFile>): void {
    const awaited = new Map(
      [...list.inState('needs-file')].map((entry) => [keyOf(entry.stored), entry]),
    );
    for (const one of toQueueFiles(files)) {
      const { file, path, bucket: ownBucket = bucket, uploadId = null } = one;
      const { size: sizeBytes, lastModified: modifiedAtMs } = file;
      const key = one.key ?? `${prefix}${path}`;
      const stored = { bucket: ownBucket, key, path, sizeBytes, modifiedAtMs, uploadId };
      const known = awaited.get(keyOf(stored));
      if (known !== undefined && isSameFile(known.stored, key, file)) {
        known.file = file;
        list.change(known, { state: 'waiting' });
      } else {
        list.insert(stored, file, one.options);
      }
    }
    list.save();
    advance();
  }

  const isBusy = () => list.inState('waiting').size + list.inState('sending').size > 0;

  return {
    restored,
    subscribe: list.subscribe,
    getSnapshot: list.getSnapshot,
    add,
    pause(ids) {
      for (const entry of list.chosen(ids)) {
        if (entry.item.state !== 'waiting' && entry.item.state !== 'sending') continue;
        entry.task?.pause();
        list.change(entry, { state: 'paused', bytesPerSecond: 0, secondsLeft: null });
      }
      // Others may go meanwhile, if only some were meant.
      if (ids !== undefined) advance();
    },
    resume(ids) {
      for (const entry of list.chosen(ids)) {
        if (entry.item.state === 'paused') list.change(entry, { state: 'waiting' });
      }
      advance();
    },
    async cancel(ids) {
      await Promise.all(list.chosen(ids).map((entry) => cancelEntry(list, client, entry)));
      list.save();
      advance();
    },
    retry(ids, changed) {
      for (const entry of list.chosen(ids)) {
        if (entry.item.state !== 'failed') continue;
        const { ifMatch, ifNoneMatch, ...others } = entry.options;
        if (changed !== undefined) entry.options = { ...others, ...changed };
        list.change(entry, { state: 'waiting', error: null });
      }
      advance();
    },
    clear() {
      list.removeWhere(isOver);
    },
    settled: () =>
      new Promise((resolve) => {
        const look = () => {
          if (isBusy()) return;
          stop();
          resolve();
        };
        const stop = list.subscribe(look);
        look();
      }),
  };
}
