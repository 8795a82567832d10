// Pages of pointers through a relay: a Durable Object in the reader's part of the
// world that gathers the look-ups of a busy bucket, and calls the bucket's object
// once for many (page-relay.ts). It brings no proof: a page counts as far as the
// change feed proves it, whose state a colo gets from the bucket's object itself.
// Whatever fails or hangs is a miss, and the object is called.
import type { BucketName, ObjectKey } from '../../../domain/nouns.ts';
import { createCircuitBreaker } from '../../../ports/circuit-breaker.ts';
import type { Clock, Log } from '../../../ports/system.ts';
import { withTimeout } from '../../../ports/with-timeout.ts';
import type { FeedState } from './feed-state.ts';
import type { PointerPage } from './pointer-page.ts';

/** A key to look up: how new its page must be, and how many cuts of pages the reader has. */
export type PageLookup = {
  readonly key: ObjectKey;
  readonly feedId: string;
  readonly revision: number;
  /** The least number of the feed at which the page may have been read. */
  readonly sequence: number;
  readonly cuts: number;
};

/** A page that a relay sends. `cuts`: those that the reader lacks, as in FeedNews. */
export type RelayedPage = {
  readonly feedId: string;
  readonly cuts: readonly ObjectKey[];
  readonly isRelayed: boolean;
  readonly page: PointerPage;
};

/** Cooldown of the circuit breaker after a relay failed, milliseconds. */
const COOLDOWN_MS = 5000;

export type RelayPages = {
  /** The page of a key, or null: also when the relay fails or hangs. Cost: one RPC. */
  read(bucket: BucketName, lookup: PageLookup): Promise<RelayedPage | null>;
};

/** Makes the reader. `call` gives null where isolate or bucket has no relay. */
export function createRelayPages(options: {
  readonly call: (bucket: BucketName, lookup: PageLookup) => Promise<RelayedPage | null>;
  readonly clock: Clock;
  readonly log: Log;
  readonly limitMs: number;
}): RelayPages {
  const { call, clock, log, limitMs } = options;
  const breaker = createCircuitBreaker(clock, COOLDOWN_MS);
  return {
    async read(bucket, lookup) {
      if (breaker.isOn(bucket)) return null;
      try {
        return await withTimeout(limitMs, 'the relay', () => call(bucket, lookup));
      } catch (cause) {
        breaker.begin(bucket);
        log.error('relay-failed', { bucket, cause });
        return null;
      }
    },
  };
}

/** The look-up of a key by a reader with that state; null: it knows no bucket. */
export function lookupOf(state: FeedState, key: ObjectKey): PageLookup | null {
  const { feedId, readPolicy, cuts, floor, changes } = state;
  if (readPolicy === null) return null;
  const sequence = Math.max(floor, changes.get(key) ?? 0);
  return { key, feedId, revision: readPolicy.revision, sequence, cuts: cuts.length };
}
