// How many requests an account or a source may send: counted in memory, in windows
// of a minute, by this process or isolate alone. Every response says what is left.
// What must hold across isolates (attempts to sign in) is counted in the directory.
// Source: draft-ietf-httpapi-ratelimit-headers-10
import { StorageError } from '../../domain/errors.ts';

const WINDOW_MS = 60_000;
/**
 * Callers that are counted at once. The ones that were seen first are forgotten,
 * which only ever lets more through.
 */
const CALLERS_MAX = 10_000;

export type RateLimit = {
  /**
   * Counts a request. TooManyRequests, with headers to send all the same in
   * `headersOf`.
   */
  count(caller: string, nowMs: number): void;
  /**
   * Headers that say what is left to the caller, as the draft has them; none
   * without a limit.
   */
  headersOf(caller: string, nowMs: number): Record<string, string>;
};

/** Makes a limit that the headers call `name`; `perMinute` 0: no limit. */
export function createRateLimit(name: string, perMinute: number): RateLimit {
  const windows = new Map<string, { startedMs: number; count: number }>();

  function windowOf(caller: string, nowMs: number) {
    const running = windows.get(caller);
    if (running !== undefined && running.startedMs + WINDOW_MS > nowMs) return running;

    windows.delete(caller);
    const [oldest] = windows.keys();
    if (windows.size >= CALLERS_MAX && oldest !== undefined) windows.delete(oldest);

    const started = { startedMs: nowMs, count: 0 };
    windows.set(caller, started);
    return started;
  }

  const secondsLeft = (startedMs: number, nowMs: number) =>
    Math.max(1, Math.ceil((startedMs + WINDOW_MS - nowMs) / 1000));

  return {
    count(caller, nowMs) {
      if (perMinute === 0) return;
      const window = windowOf(caller, nowMs);
      window.count += 1;
      if (window.count <= perMinute) return;
      throw new StorageError('TooManyRequests', {
        fields: { RetryAfterSeconds: `${secondsLeft(window.startedMs, nowMs)}` },
      });
    },
    headersOf(caller, nowMs) {
      if (perMinute === 0) return {};
      const { startedMs, count } = windowOf(caller, nowMs);
      const left = Math.max(0, perMinute - count);
      const resetSeconds = secondsLeft(startedMs, nowMs);
      return {
        'ratelimit-policy': `"${name}";q=${perMinute};w=${WINDOW_MS / 1000}`,
        ratelimit: `"${name}";r=${left};t=${resetSeconds}`,
      };
    },
  };
}
