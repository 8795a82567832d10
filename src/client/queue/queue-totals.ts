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

/**
 * Files that were cancelled, or miss their file, are counted, but not their bytes.
 */
export function totalsOf(items: readonly QueueItem[]): QueueTotals {
  const states: Record<ItemState, number> = {
    waiting: 0,
    sending: 0,
    paused: 0,
    done: 0,
    failed: 0,
    cancelled: 0,
    'needs-file': 0,
  };
  let [sizeBytes, sentBytes, bytesPerSecond] = [0, 0, 0];
  for (const item of items) {
    states[item.state]++;
    if (!COUNTED.has(item.state)) continue;
    sizeBytes += item.sizeBytes;
    sentBytes += item.sentBytes;
    if (item.state === 'sending') bytesPerSecond += item.bytesPerSecond;
  }
  const secondsLeft = bytesPerSecond > 0 ? (sizeBytes - sentBytes) / bytesPerSecond : null;
  return { files: items.length, states, sizeBytes, sentBytes, bytesPerSecond, secondsLeft };
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
