// A cache that is exact although another thread writes: a value is kept with the
// count of changes of its name that was read before it, and counts only while no
// change was begun since. It takes the place of fill-barrier-cache.ts in all threads
// but the first, where no command is sent, so nothing is ever blocked.
import { LRUCache } from 'lru-cache';
import type { ChangeReader, ChangeReading } from '../../shared/fill-epochs.ts';
import type { CacheOptions, FillBarrierCache, MakeCache } from './fill-barrier-cache.ts';

type Counted<Value> = { readonly value: Value; readonly reading: ChangeReading };

/** Makes empty caches that compare with these counts. */
export function countedCaches(changes: ChangeReader): MakeCache {
  return <Key extends string, Value extends object>({
    max,
    sizes,
    nameOf,
  }: CacheOptions<Key, Value>): FillBarrierCache<Key, Value> => {
    const values = new LRUCache<Key, Counted<Value>>({
      max,
      ...(sizes === undefined
        ? {}
        : {
            maxSize: sizes.maxSize,
            sizeCalculation: ({ value }: Counted<Value>) => sizes.sizeCalculation(value),
          }),
    });

    function peek(key: Key): Value | undefined {
      const counted = values.get(key);
      return counted !== undefined && changes.isCurrent(counted.reading)
        ? counted.value
        : undefined;
    }

    function fill(key: Key, read: () => Value | null): Value | null {
      const reading = changes.read(nameOf(key));
      const value = read();
      if (value !== null && reading !== null) values.set(key, { value, reading });
      return value;
    }

    return {
      peek,
      fill,
      get: (key, read) => peek(key) ?? fill(key, read),
      block: (key) => void values.delete(key),
      unblock: () => undefined,
      blockAll: () => values.clear(),
      unblockAll: () => undefined,
    };
  };
}
