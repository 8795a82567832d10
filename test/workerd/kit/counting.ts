// Bindings that count what is asked of them: what the tests of call budgets look at.

type Caches = Pick<CacheStorage, 'open'>;

/**
 * Runs `work` with the global `caches` replaced by one that counts, over the real one or over
 * `base`.
 */
export async function countingCaches(
  work: () => Promise<void>,
  base: Caches = caches,
): Promise<{ match: number; put: number }> {
  const calls = { match: 0, put: 0 };
  const counting: Caches = {
    async open(name) {
      const cache = await base.open(name);
      return {
        match(key: string) {
          calls.match += 1;
          return cache.match(key);
        },
        delete: (key: string) => cache.delete(key),
        put(key: string, response: Response) {
          calls.put += 1;
          return cache.put(key, response);
        },
      } as unknown as Cache;
    },
  };
  const original = Object.getOwnPropertyDescriptor(globalThis, 'caches');
  Object.defineProperty(globalThis, 'caches', { value: counting, configurable: true });
  try {
    await work();
  } finally {
    if (original === undefined) Reflect.deleteProperty(globalThis, 'caches');
    else Object.defineProperty(globalThis, 'caches', original);
  }
  return calls;
}

/** The object with every method call counted by name. */
export function counting<Target extends object>(
  target: Target,
): { target: Target; calls: Record<string, number> } {
  const calls: Record<string, number> = {};
  const proxy = new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name);
      if (typeof value !== 'function') return value;
      return (...values: unknown[]) => {
        calls[String(name)] = (calls[String(name)] ?? 0) + 1;
        return Reflect.apply(value, object, values);
      };
    },
  });
  return { target: proxy, calls };
}
