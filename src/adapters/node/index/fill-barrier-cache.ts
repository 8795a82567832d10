// A cache that is exact in front of a writer that responds later. Race: a command
// commits; a reader fills the cache with the old value before the response comes.
// Guard: what a command touches has a fill barrier from before it is sent until its
// response, and a blocked key is neither filled nor found. sqlite-metadata-index.ts
// has one cache for each kind of record.
import { LRUCache } from 'lru-cache';

export type FillBarrierCache<Key extends string, Value extends object> = {
  peek(key: Key): Value | undefined;
  /** Stores the value, unless its key, or all keys, are blocked. */
  set(key: Key, value: Value): void;
  /**
   * The cached value, else the one that `read` returns now, which is stored. Null
   * is not.
   */
  get(key: Key, read: () => Value | null): Value | null;
  /**
   * Drops the value of a key and blocks fills of it, until it was unblocked as
   * often.
   */
  block(key: Key): void;
  unblock(key: Key): void;
  /** Drops all values and blocks all fills, until unblocked as often. */
  blockAll(): void;
  unblockAll(): void;
};

/**
 * At most `max` values; `sizes` bounds the bytes that they take together as well.
 */
export function createFillBarrierCache<Key extends string, Value extends object>(
  max: number,
  sizes: { readonly maxSize?: number; readonly sizeCalculation?: (value: Value) => number } = {},
): FillBarrierCache<Key, Value> {
  const values = new LRUCache<Key, Value>({ max, ...sizes });
  const barriers = new Map<Key, number>();
  let barriersOnAll = 0;

  function set(key: Key, value: Value): void {
    if (barriersOnAll === 0 && !barriers.has(key)) values.set(key, value);
  }

  return {
    peek: (key) => values.get(key),
    set,
    get(key, read) {
      const cached = values.get(key);
      if (cached !== undefined) return cached;
      const value = read();
      if (value !== null) set(key, value);
      return value;
    },
    block(key) {
      barriers.set(key, (barriers.get(key) ?? 0) + 1);
      values.delete(key);
    },
    unblock(key) {
      const left = (barriers.get(key) ?? 0) - 1;
      if (left > 0) barriers.set(key, left);
      else barriers.delete(key);
    },
    blockAll() {
      barriersOnAll += 1;
      values.clear();
    },
    unblockAll() {
      barriersOnAll -= 1;
    },
  };
}
