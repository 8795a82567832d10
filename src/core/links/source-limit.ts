// How often a source may do something in a while, counted in memory by this process
// or isolate alone. For what costs little and is only annoying in numbers: ids that
// nobody has, files that are begun and given up. Called by http/links.

import { StorageError } from '../../domain/errors.ts';

/** Sources that are counted at once; the ones that began first are forgotten. */
const SOURCES_MAX = 10_000;

export type SourceLimit = {
  /** Seconds that the source must wait; 0: it may go on. Counts nothing. */
  waitSeconds(source: string, nowMs: number): number;
  /** Counts once. TooManyRequests where the source must wait. */
  take(source: string, nowMs: number): void;
  /** Counts once. */
  count(source: string, nowMs: number): void;
  /** Takes one back that was counted in the window that runs. */
  uncount(source: string, nowMs: number): void;
};

/** Makes a limit of `max` in windows of `windowMs`. Memory: about 2 MB when full. */
export function createSourceLimit(max: number, windowMs: number): SourceLimit {
  const windows = new Map<string, { readonly endMs: number; count: number }>();

  const limit: SourceLimit = {
    waitSeconds(source, nowMs) {
      const window = windows.get(source);
      if (window === undefined || window.endMs <= nowMs || window.count < max) return 0;
      return Math.max(1, Math.ceil((window.endMs - nowMs) / 1000));
    },
    count(source, nowMs) {
      const window = windows.get(source);
      if (window !== undefined && window.endMs > nowMs) {
        window.count += 1;
        return;
      }
      windows.delete(source);
      const [oldest] = windows.keys();
      if (windows.size >= SOURCES_MAX && oldest !== undefined) windows.delete(oldest);
      windows.set(source, { endMs: nowMs + windowMs, count: 1 });
    },
    uncount(source, nowMs) {
      const window = windows.get(source);
      if (window !== undefined && window.endMs > nowMs && window.count > 0) window.count -= 1;
    },
    take(source, nowMs) {
      const waitSeconds = limit.waitSeconds(source, nowMs);
      if (waitSeconds > 0) {
        const fields = { RetryAfterSeconds: `${waitSeconds}` };
        throw new StorageError('TooManyRequests', { fields });
      }
      limit.count(source, nowMs);
    },
  };
  return limit;
}
