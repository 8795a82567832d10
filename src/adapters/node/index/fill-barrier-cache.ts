// A cache that is exact in front of a writer that answers later: what a command touches is held
// from before it is sent until it was answered, and what is held is neither kept nor given.
// sqlite-metadata-index.ts has one for each kind of thing.
import { LRUCache } from 'lru-cache';

export type FillBarrierCache<Key extends string, Value extends object> = {
  peek(key: Key): Value | undefined;
  /** Keeps it, unless its key, or all keys, are held. */
  set(key: Key, value: Value): void;
  /** What is known, or else what `read` gives now, which is kept. "There is none" is not. */
  get(key: Key, read: () => Value | null): Value | null;
  /** Drops it and keeps none until it was released as often. */
  hold(key: Key): void;
  release(key: Key): void;
  holdAll(): void;
  releaseAll(): void;
};

/** At most `max` values; `sizes` bounds the bytes that they take together as well. */
export function createFillBarrierCache<Key extends string, Value extends object>(
  max: number,
  sizes: { readonly maxSize?: number; readonly sizeCalculation?: (value: Value) => number } = {},
): FillBarrierCache<Key, Value> {
  const values = new LRUCache<Key, Value>({ max, ...sizes });
  const holds = new Map<Key, number>();
  let holdsOnAll = 0;
  function set(key: Key, value: Value): void {
    if (holdsOnAll === 0 && !holds.has(key)) values.set(key, value);
  }
  return {
    peek: (key) => values.get(key),
    set,
    get(key, read) {
      const known = values.get(key);
      if (known !== undefined) return known;
      const value = read();
      if (value !== null) set(key, value);
      return value;
    },
    hold(key) {
      holds.set(key, (holds.get(key) ?? 0) + 1);
      values.delete(key);
    },
    release(key) {
      const left = (holds.get(key) ?? 0) - 1;
      if (left > 0) holds.set(key, left);
      else holds.delete(key);
    },
    holdAll() {
      holdsOnAll += 1;
      values.clear();
    },
    releaseAll() {
      holdsOnAll -= 1;
    },
  };
}
