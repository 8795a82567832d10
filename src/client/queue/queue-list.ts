// The files of a queue and their states: who changes one tells all listeners, and
// the store.
import type { UploadTask } from '../upload/upload.ts';
import type { QueueItem, StoredItem } from './queue-item.ts';
import type { ItemStore } from './queue-storage.ts';
import { type QueueTotals, totalsOf } from './queue-totals.ts';

export type QueueSnapshot = {
  readonly items: readonly QueueItem[];
  readonly totals: QueueTotals;
};

/** A file with what sends it. */
export type Entry = {
  item: QueueItem;
  file: File | null;
  task: UploadTask | null;
  stored: StoredItem;
};

/** Shortest time between two reports to listeners, milliseconds. */
const REPORT_EVERY_MS = 50;
/** How long changes are gathered before they are stored, milliseconds. */
const SAVE_AFTER_MS = 100;

export type QueueList = {
  insert(stored: StoredItem, file: File | null): void;
  change(entry: Entry, changed: Partial<QueueItem>): void;
  /** Gives the entries with the ids; without ids all. */
  chosen(ids?: readonly string[]): Entry[];
  remove(entry: Entry): void;
  subscribe(listener: () => void): () => void;
  getSnapshot(): QueueSnapshot;
  /** Stores what is unfinished, soon. */
  save(): void;
};

export function createQueueList(store: ItemStore): QueueList {
  const listeners = new Set<() => void>();
  const entries = new Map<string, Entry>();
  let snapshot: QueueSnapshot | null = null;
  let nextId = 0;

  const report = soon(REPORT_EVERY_MS, () => {
    for (const listener of listeners) listener();
  });
  const save = soon(SAVE_AFTER_MS, () => {
    const unfinished = [...entries.values()].filter(({ item }) => !isOver(item));
    void store.save(unfinished.map(({ stored }) => stored));
  });

  function changed(): void {
    snapshot = null;
    report();
  }

  return {
    save,
    insert(stored, file) {
      const id = `${nextId++}`;
      const { bucket, key, path, sizeBytes } = stored;
      const item: QueueItem = {
        id,
        bucket,
        key,
        path,
        sizeBytes,
        sentBytes: 0,
        bytesPerSecond: 0,
        secondsLeft: null,
        state: file === null ? 'needs-file' : 'waiting',
        error: null,
      };
      entries.set(id, { item, file, task: null, stored });
      changed();
    },
    change(entry, facts) {
      entry.item = { ...entry.item, ...facts };
      changed();
    },
    chosen: (ids) =>
      ids === undefined ? [...entries.values()] : ids.flatMap((id) => entries.get(id) ?? []),
    remove(entry) {
      entries.delete(entry.item.id);
      changed();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    getSnapshot() {
      if (snapshot === null) {
        const items = [...entries.values()].map(({ item }) => item);
        snapshot = { items, totals: totalsOf(items) };
      }
      return snapshot;
    },
  };
}

/** Whether nothing of it is left to do. */
export const isOver = ({ state }: QueueItem): boolean => state === 'done' || state === 'cancelled';

/** Runs the work once, some time after the first of many calls. */
function soon(ms: number, work: () => void): () => void {
  let isPlanned = false;
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(() => {
      isPlanned = false;
      work();
    }, ms);
  };
}
