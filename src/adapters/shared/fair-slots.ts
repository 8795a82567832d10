// Slots for the making of derived bytes: so much work at once and so many that
// wait, shared out fairly among tenants, sources and buckets. Only the shares are
// decided here; the semaphore is domain/concurrency/semaphore.ts's. Called by
// derived-bodies.ts.

import { createSemaphore, type Permit } from '../../domain/concurrency/semaphore.ts';
import type { DerivedRequester } from '../../ports/derived.ts';
import type { Clock } from '../../ports/system.ts';

/** How many are made at once, and how many may wait to be. */
export type MakingLimits = {
  readonly concurrency: number;
  /**
   * How many may wait. 0 where requests may not wait for each other: then no tenant
   * works on more than is still free.
   */
  readonly waitingMax: number;
  /**
   * How long a slot lasts, milliseconds: what takes longer has failed for all who
   * wait, and makes room for the next. Such work may go on, and is cached if it
   * ends after all.
   */
  readonly slotMs: number;
};

export type Slot = Pick<Permit, 'release'>;

/** `take` throws or rejects with SlowDown where too much waits already. */
export type FairSlots = { take(requester: DerivedRequester): Slot | Promise<Slot> };

/**
 * Shares of all that may wait that one source and one bucket can have. A page with
 * many pictures wants all of them at once.
 */
const SOURCE_SHARE = 1 / 2;
const BUCKET_SHARE = 3 / 4;

/** Creates the slots. Cost of a slot: that of a permit of the semaphore. */
export function createFairSlots(
  { concurrency, waitingMax, slotMs }: MakingLimits,
  clock: Clock,
): FairSlots {
  const semaphore = createSemaphore({
    max: concurrency,
    idleMs: slotMs,
    nowMs: () => clock.nowMs(),
    queueMax: waitingMax,
  });
  const sourceMax = Math.ceil(waitingMax * SOURCE_SHARE);
  const bucketMax = Math.ceil(waitingMax * BUCKET_SHARE);

  /** Limits on those that wait; where nobody may, there is nothing to limit. */
  function sharesOf({ source, bucket }: DerivedRequester) {
    if (waitingMax === 0) return [];
    return [
      { name: `source ${source}`, max: sourceMax },
      { name: `bucket ${bucket}`, max: bucketMax },
    ];
  }

  return {
    take: (requester) =>
      semaphore.takeOrWait({ tenant: requester.tenant, shares: sharesOf(requester) }),
  };
}
