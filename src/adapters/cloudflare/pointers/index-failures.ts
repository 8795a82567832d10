// A circuit breaker for the index: remembers for which buckets and keys it failed a
// moment ago, so that requests are answered from memory instead of waiting for the
// next failure. workers-hot-metadata.ts notes failures, read-pointer.ts ends them.
import { createCircuitBreaker } from '../../../ports/circuit-breaker.ts';
import type { Clock } from '../../../ports/system.ts';
import type { Lookup } from './memory-entry.ts';

/** How long only one request tries again what has just failed, milliseconds. */
export const COOLDOWN_MS = 5000;

type Failed = Pick<Lookup, 'bucket' | 'key'>;

export type IndexFailures = {
  /** The index failed for this key, so presumably for its bucket. */
  note(lookup: Failed): void;
  /** The index answered for this key. */
  end(lookup: Failed): void;
  /** Another request tries again: the others go on for one more cooldown. */
  renew(lookup: Failed): void;
  /**
   * Whether the index is known to fail for this key, or for a record that was good
   * by then.
   */
  isDown(lookup: Failed, stalenessSeconds: number): boolean;
};

export function createIndexFailures(
  clock: Clock,
  settings: { readonly staleIfErrorSeconds: number; readonly staleWhileRevalidateSeconds: number },
): IndexFailures {
  const breaker = createCircuitBreaker(clock, COOLDOWN_MS);
  const pointerName = (bucket: string, key: string) => `${bucket}/${key}`;

  return {
    note({ bucket, key }) {
      breaker.begin(bucket);
      breaker.begin(pointerName(bucket, key));
    },
    end({ bucket, key }) {
      breaker.end(bucket);
      breaker.end(pointerName(bucket, key));
    },
    renew: ({ bucket, key }) => breaker.renew(pointerName(bucket, key)),
    isDown({ bucket, key }, stalenessSeconds) {
      if (stalenessSeconds >= settings.staleIfErrorSeconds) return false;
      if (breaker.isOn(pointerName(bucket, key))) return true;

      const staleThen = stalenessSeconds - breaker.lastedMs(bucket) / 1000;
      return breaker.isOn(bucket) && staleThen < settings.staleWhileRevalidateSeconds;
    },
  };
}
