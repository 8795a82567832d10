// How kv-hot-metadata.ts reads KV: one bulk read for what is looked up together,
// and who is sampled instead. What stands in KV is not its matter.
import { KV_SAMPLING } from './hot-records.ts';

/**
 * Seconds for which a place of Cloudflare keeps what it read from KV; the least
 * that KV allows.
 */
export const KV_CACHE_TTL_SECONDS = 30;

export type KvReader = {
  /**
   * Whether this look-up is one of those that ask the index all the same, which so
   * sees how hot its keys are.
   */
  isSampled(): boolean;
  read(names: readonly string[]): Promise<Map<string, string | null>>;
};

/**
 * Draws and reads for each look-up. `random` gives 0 to 1. Cost of a read: one
 * operation of KV for each name.
 */
export function createKvReader(kv: Pick<KVNamespace, 'get'>, random: () => number): KvReader {
  return {
    isSampled: () => random() < 1 / KV_SAMPLING,
    read: (names) => kv.get([...names], { type: 'text', cacheTtl: KV_CACHE_TTL_SECONDS }),
  };
}

/**
 * Runs `work` with a reader that samples once and reads in one call all names that
 * `work` requests before it first waits; later ones are read by themselves. For one
 * request: no other shares the promise inside.
 */
export function withOneRead<Result>(alone: KvReader, work: (reader: KvReader) => Result): Result {
  const requestedNames = new Set<string>();
  let isSampled: boolean | null = null;
  let reading: Promise<Map<string, string | null>> | null = null;
  let isOver = false;
  const { promise: begin, resolve: readNow } = Promise.withResolvers<void>();
  try {
    return work({
      isSampled() {
        isSampled ??= alone.isSampled();
        return isSampled;
      },
      read(names) {
        if (isOver) return alone.read(names);
        for (const name of names) requestedNames.add(name);
        reading ??= begin.then(() => alone.read([...requestedNames]));
        return reading;
      },
    });
  } finally {
    isOver = true;
    readNow();
  }
}
