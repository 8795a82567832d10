// Keeps what is unfinished from one page load to the next: texts under one name, in
// localStorage or in whatever else the user of the queue has.
import type { StoredItem } from './queue-item.ts';

/** What localStorage is, or something that answers later. */
export type QueueStorage = {
  getItem(name: string): string | null | Promise<string | null>;
  setItem(name: string, text: string): unknown;
};

const NAME = 'quayside-uploads';

export type ItemStore = {
  /** Whether anything is remembered at all. */
  readonly isKept: boolean;
  load(): Promise<readonly StoredItem[]>;
  save(items: readonly StoredItem[]): Promise<void>;
};

/**
 * A store that fails (a full disk, a private window) costs the resuming, never an
 * upload.
 */
export function createItemStore(storage: QueueStorage | undefined, name = NAME): ItemStore {
  /** Writes go one after the other: the last state must be the one that stays. */
  let last: Promise<unknown> = Promise.resolve();
  async function load(): Promise<readonly StoredItem[]> {
    try {
      const items: unknown = JSON.parse((await storage?.getItem(name)) ?? '[]');
      return Array.isArray(items) ? items : [];
    } catch {
      return [];
    }
  }

  return {
    isKept: storage !== undefined,
    load() {
      const loaded = load();
      last = loaded;
      return loaded;
    },
    async save(items) {
      last = last.then(() => storage?.setItem(name, JSON.stringify(items))).catch(() => {});
      await last;
    },
  };
}
