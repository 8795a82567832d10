// Bounds what strangers can make an isolate call the directory for: look-ups of ids,
// names and hosts that nobody has, which anybody can make up. A token bucket of those
// that found nothing; what exists takes none of it. Where the directory is
// overloaded, look-ups of strangers are the first that it is spared.
import { hasCode, StorageError } from '../../../domain/errors.ts';
import type { Clock } from '../../../ports/system.ts';

/**
 * Look-ups of one kind that may find nothing: at once, and a second. A thousand
 * isolates under attack at once reach 5,000 a second, and are spared by the cooldown.
 */
const BURST = 50;
const PER_SECOND = 5;
/** How long an overloaded directory is spared, milliseconds. */
const COOLDOWN_MS = 5000;

export type StrangerLimit = {
  /**
   * Calls, unless too many calls found nothing lately. SlowDown, without a call. Null
   * means: found nothing.
   */
  run<Value>(read: () => Promise<Value | null>): Promise<Value | null>;
};

/** Makes one of a kind of look-ups, for an isolate. */
export function createStrangerLimit(clock: Clock): StrangerLimit {
  let tokens = BURST;
  let filledAtMs = clock.nowMs();
  let sparedUntilMs = 0;

  function refill(): void {
    const nowMs = clock.nowMs();
    tokens = Math.min(BURST, tokens + (Math.max(0, nowMs - filledAtMs) / 1000) * PER_SECOND);
    filledAtMs = nowMs;
  }

  return {
    async run(read) {
      refill();
      if (tokens < 1 || clock.nowMs() < sparedUntilMs) throw new StorageError('SlowDown');
      // Taken before the call, so that many at once do not pass together.
      tokens -= 1;
      try {
        const value = await read();
        if (value !== null) tokens += 1;
        return value;
      } catch (error) {
        tokens += 1;
        if (hasCode(error, 'SlowDown')) sparedUntilMs = clock.nowMs() + COOLDOWN_MS;
        throw error;
      }
    },
  };
}
