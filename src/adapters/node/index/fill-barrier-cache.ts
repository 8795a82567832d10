// A cache that is exact in front of a writer that responds later. Race: a command
// commits; a reader fills the cache with the old value before the response comes.
// Guard: what a command touches has a fill barrier from before it is sent until its
// response, and a blocked key is neither filled nor found. sqlite-metadata-index.ts
// has one cache for each kind of record.
import { LRUCache } from 'lru-cache';

export type FillBarrierCache<Key extends string, Value extends object> = {
  peek(key: Key): Value | undefined;
  /**
   * The value that `read` returns now, which is stored unless its key, or all keys,
   * are blocked. Null is not.
   */
  fill(key: Key, read: () => Value | null): Value | null;
  /** The cached value, else as `fill`. */
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

/** How a cache is made. */
export type CacheOptions<Key extends string, Value extends object> = {
  readonly max: number;
  /** Bounds the bytes that the values take together as well. */
  readonly sizes?: {
    readonly maxSize: number;
    readonly sizeCalculation: (value: Value) => number;
  };
  /** The name that changes of a key are counted under. */
  readonly nameOf: (key: Key) => string;
};

export type MakeCache = <Key extends string, Value extends object>(
  options: CacheOptions<Key, Value>,
) => FillBarrierCache<Key, Value>;

/** Makes an empty cache. */
export const createFillBarrierCache: MakeCache = <Key extends string, Value extends object>({
  max,
  sizes = {} as CacheOptions<Key, Value>['sizes'],
}: CacheOptions<Key, Value>): FillBarrierCache<Key, Value> => {
  const values = new LRUCache<Key, Value>({ max, ...sizes });
  const barriers = new Map<Key, number>();
  let barriersOnAll = 0;

  function fill(key: Key, read: () => Value | null): Value | null {
    const value = read();
    if (value !== null && barriersOnAll === 0 && !barriers.has(key)) values.set(key, value);
    return value;
  }

  return {
    peek: (key) => values.get(key),
    fill,
    get: (key, read) => values.get(key) ?? fill(key, read),
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
};
