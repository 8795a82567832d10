// Bounds what strangers can make an isolate call the directory for: look-ups of ids,
// names and hosts that nobody has, which anybody can make up. A token bucket of those
// that found nothing; what exists takes none of it. Where the directory is
// overloaded, look-ups of strangers are the first that it is spared.
import { createTokenBucket } from '../../../domain/concurrency/token-bucket.ts';
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
  const tokens = createTokenBucket(BURST, PER_SECOND, clock.nowMs());
  let sparedUntilMs = 0;

  return {
    async run(read) {
      const nowMs = clock.nowMs();
      if (!tokens.has(nowMs) || nowMs < sparedUntilMs) throw new StorageError('SlowDown');
      // Taken before the call, so that many at once do not pass together.
      tokens.take(nowMs);
      try {
        const value = await read();
        if (value !== null) tokens.giveBack();
        return value;
      } catch (error) {
        tokens.giveBack();
        if (hasCode(error, 'SlowDown')) sparedUntilMs = clock.nowMs() + COOLDOWN_MS;
        throw error;
      }
    },
  };
}
