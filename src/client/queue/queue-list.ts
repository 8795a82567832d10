// The files of a queue and their states: who changes one tells all listeners, and
// the store.
import type { UploadOptions, UploadTask } from '../upload/upload.ts';
import type { ItemState, QueueItem, StoredItem } from './queue-item.ts';
import type { ItemStore } from './queue-storage.ts';
import { createSums, type QueueTotals } from './queue-totals.ts';

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
  /** Options for this file alone. */
  options: UploadOptions;
  /** Position among the items. */
  index: number;
};

/** Shortest time between two reports to listeners, milliseconds. */
const REPORT_EVERY_MS = 50;
/** How long changes are gathered before they are stored, milliseconds. */
const SAVE_AFTER_MS = 100;

export type QueueList = {
  insert(stored: StoredItem, file: File | null, options?: UploadOptions): void;
  change(entry: Entry, changed: Partial<QueueItem>): void;
  /** Gives the entries with the ids; without ids all. */
  chosen(ids?: readonly string[]): Entry[];
  /** The entries in that state, those that came to it first at the front. */
  inState(state: ItemState): ReadonlySet<Entry>;
  /** Takes away all entries that the test is true of. */
  removeWhere(isGone: (item: QueueItem) => boolean): void;
  subscribe(listener: () => void): () => void;
  getSnapshot(): QueueSnapshot;
  /** Stores what is unfinished, soon. */
  save(): void;
};

export function createQueueList(store: ItemStore): QueueList {
  const listeners = new Set<() => void>();
  const entries = new Map<string, Entry>();
  const states = new Map<ItemState, Set<Entry>>();
  const sums = createSums();
  /** All items in order: copied for a snapshot, which costs less than making them. */
  let items: QueueItem[] = [];
  let snapshot: QueueSnapshot | null = null;
  let nextId = 0;

  const report = soon(REPORT_EVERY_MS, () => {
    for (const listener of listeners) listener();
  });
  const save = soon(SAVE_AFTER_MS, () => {
    const unfinished = [...entries.values()].filter(({ item }) => !isOver(item));
    void store.save(unfinished.map(({ stored }) => stored));
  });

  const inState = (state: ItemState): Set<Entry> => {
    const known = states.get(state);
    if (known !== undefined) return known;
    const fresh = new Set<Entry>();
    states.set(state, fresh);
    return fresh;
  };

  function changed(): void {
    snapshot = null;
    report();
  }

  /** The only place where an entry gets an item. */
  function put(entry: Entry, item: QueueItem): void {
    if (entry.item.state !== item.state) inState(entry.item.state).delete(entry);
    entry.item = item;
    items[entry.index] = item;
    inState(item.state).add(entry);
    sums.count(item, 1);
    changed();
  }

  return {
    save: () => store.isKept && save(),
    insert(stored, file, options = {}) {
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
        result: null,
      };
      const entry = { item, file, task: null, stored, options, index: items.length };
      entries.set(id, entry);
      put(entry, item);
    },
    change(entry, facts) {
      // What was taken off the list may still report how it ends.
      if (!entries.has(entry.item.id)) return;
      sums.count(entry.item, -1);
      put(entry, { ...entry.item, ...facts });
    },
    chosen: (ids) =>
      ids === undefined ? [...entries.values()] : ids.flatMap((id) => entries.get(id) ?? []),
    inState,
    removeWhere(isGone) {
      for (const [id, entry] of entries) {
        if (!isGone(entry.item)) continue;
        sums.count(entry.item, -1);
        inState(entry.item.state).delete(entry);
        entries.delete(id);
      }
      items = [];
      for (const entry of entries.values()) entry.index = items.push(entry.item) - 1;
      changed();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    getSnapshot() {
      if (snapshot === null) {
        const sending = [...inState('sending')].map(({ item }) => item);
        snapshot = { items: items.slice(), totals: sums.totals(sending) };
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
