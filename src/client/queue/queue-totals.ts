// Sums over the files of a queue: of all, and of each folder.
import type { ItemState, QueueItem } from './queue-item.ts';

export type QueueTotals = {
  readonly files: number;
  readonly states: Readonly<Record<ItemState, number>>;
  readonly sizeBytes: number;
  readonly sentBytes: number;
  readonly bytesPerSecond: number;
  readonly secondsLeft: number | null;
};

const COUNTED: ReadonlySet<ItemState> = new Set(['waiting', 'sending', 'paused', 'done', 'failed']);

/** Sums that are kept up to date: a queue of 100,000 files is not counted again and again. */
export type Sums = {
  /** Counts an item in (1) or out (-1). */
  count(item: QueueItem, sign: 1 | -1): void;
  /** The sums of now, with the speed of those that are sent. */
  totals(sending: readonly QueueItem[]): QueueTotals;
};

/**
 * Files that were cancelled, or miss their file, are counted, but not their bytes.
 */
export function createSums(): Sums {
  const states: Record<ItemState, number> = {
    waiting: 0,
    sending: 0,
    paused: 0,
    done: 0,
    failed: 0,
    cancelled: 0,
    'needs-file': 0,
  };
  let [files, sizeBytes, sentBytes] = [0, 0, 0];
  return {
    count(item, sign) {
      files += sign;
      states[item.state] += sign;
      if (!COUNTED.has(item.state)) return;
      sizeBytes += sign * item.sizeBytes;
      sentBytes += sign * item.sentBytes;
    },
    totals(sending) {
      const bytesPerSecond = sending.reduce((sum, item) => sum + item.bytesPerSecond, 0);
      const secondsLeft = bytesPerSecond > 0 ? (sizeBytes - sentBytes) / bytesPerSecond : null;
      return { files, states: { ...states }, sizeBytes, sentBytes, bytesPerSecond, secondsLeft };
    },
  };
}

/** The sums over the items. */
export function totalsOf(items: readonly QueueItem[]): QueueTotals {
  const sums = createSums();
  for (const item of items) sums.count(item, 1);
  return sums.totals(items.filter(({ state }) => state === 'sending'));
}

/** A folder of what was added, with all that is below it. */
export type QueueFolder = {
  readonly name: string;
  readonly totals: QueueTotals;
  readonly folders: readonly QueueFolder[];
  readonly items: readonly QueueItem[];
};

/**
 * The items as the tree that their paths make. Linear in the lengths of all paths.
 */
export function treeOf(items: readonly QueueItem[], name = ''): QueueFolder {
  type Draft = { own: QueueItem[]; all: QueueItem[]; folders: Map<string, Draft> };
  const draft = (): Draft => ({ own: [], all: [], folders: new Map() });
  const root = draft();
  for (const item of items) {
    let at = root;
    at.all.push(item);
    for (const segment of item.path.split('/').slice(0, -1)) {
      const next = at.folders.get(segment) ?? draft();
      at.folders.set(segment, next);
      at = next;
      at.all.push(item);
    }
    at.own.push(item);
  }
  const finish = (one: Draft, folderName: string): QueueFolder => ({
    name: folderName,
    totals: totalsOf(one.all),
    folders: [...one.folders].map(([segment, folder]) => finish(folder, segment)),
    items: one.own,
  });
  return finish(root, name);
}
