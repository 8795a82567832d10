// How often readers call the bucket's Durable Object for each key, and so which
// keys are worth a record in KV. Counted in windows, in memory alone: whoever
// starts anew counts anew. Called by hot-publisher.ts for every `resolve`.
import type { ObjectKey } from '../../../domain/nouns.ts';

/**
 * Keys counted apart in one window; a hot key comes early, so further ones are
 * counted together. About 100 B each.
 */
const KEYS_MAX = 10_000;

export type OffloadLimits = {
  /**
   * A bucket that is called more often than this a second is offloaded; at half of
   * it, no more.
   */
  readonly bucketPerSecond: number;
  /**
   * A key that is looked up more often than this a second goes to KV; at half of
   * it, it leaves.
   */
  readonly keyPerSecond: number;
  readonly windowMs: number;
};

export type CallRates = {
  /**
   * Counts a lookup. Gives the keys that are hot from now on when a window ends
   * with it, else null.
   */
  count(key: ObjectKey, nowMs: number): ReadonlySet<ObjectKey> | null;
};

/**
 * `sampling`: of a hot key only one lookup in so many comes here, the others go to
 * KV. `hotMax`: most keys at once.
 */
export function createCallRates(
  options: OffloadLimits & { sampling: number; hotMax: number },
): CallRates {
  const { bucketPerSecond, keyPerSecond, windowMs, sampling, hotMax } = options;
  let hot: ReadonlySet<ObjectKey> = new Set();
  let counts = new Map<ObjectKey, number>();
  let startMs = 0;
  /** With those that KV answered, estimated. */
  let all = 0;

  const weightOf = (key: ObjectKey): number => (hot.has(key) ? sampling : 1);

  function judge(seconds: number): ReadonlySet<ObjectKey> {
    const isOffloaded = all / seconds >= bucketPerSecond / (hot.size > 0 ? 2 : 1);
    if (!isOffloaded) return new Set();
    const isHot = ([key, lookups]: [ObjectKey, number]) =>
      (lookups * weightOf(key)) / seconds >= keyPerSecond / (hot.has(key) ? 2 : 1);
    const rate = ([key, lookups]: [ObjectKey, number]) => lookups * weightOf(key);
    const ranked = [...counts].filter(isHot).sort((a, b) => rate(b) - rate(a));
    return new Set(ranked.slice(0, hotMax).map(([key]) => key));
  }

  return {
    count(key, nowMs) {
      if (startMs === 0) startMs = nowMs;
      const known = counts.get(key);
      if (known !== undefined || counts.size < KEYS_MAX) counts.set(key, (known ?? 0) + 1);
      all += weightOf(key);
      const elapsedMs = nowMs - startMs;
      // A flood is not let run for a whole window.
      const isFlood = elapsedMs >= windowMs / 10 && all >= (bucketPerSecond * windowMs) / 1000;
      if (elapsedMs < windowMs && !isFlood) return null;
      // After a pause the window is as long as the pause, and nothing is hot.
      hot = judge(Math.max(elapsedMs, windowMs / 10) / 1000);
      counts = new Map();
      all = 0;
      startMs = nowMs;
      return hot;
    },
  };
}
