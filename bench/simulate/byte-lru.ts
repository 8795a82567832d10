// A least recently used cache that is bounded by bytes: what a data centre keeps of one customer.
import { LRUCache } from 'lru-cache';

export type ByteLru<Value> = {
  get(key: string): Value | undefined;
  /**
   * Keeps the value; the ones unused for longest leave until all fit. One that is larger than
   * everything is not kept.
   */
  set(key: string, value: Value, sizeBytes: number): void;
  delete(key: string): void;
};

export function createByteLru<Value extends object>(maxBytes: number): ByteLru<Value> {
  const entries = new LRUCache<string, Value>({ maxSize: maxBytes });
  return {
    get: (key) => entries.get(key),
    set: (key, value, sizeBytes) => void entries.set(key, value, { size: Math.max(1, sizeBytes) }),
    delete: (key) => void entries.delete(key),
  };
}
