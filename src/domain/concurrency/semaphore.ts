// A counting semaphore that is fair to tenants: how many of something that lasts
// may run at once, and how many may wait for it. Long downloads, receipts and the
// making of derived bytes take permits from one each. It has no timer. A permit
// that nobody renews expires when another holder needs it, because a runtime does
// not always report that a client has left.
import { StorageError } from '../errors.ts';
import { createFairQueue, isUnder, type Queued, type Share } from './fair-queue.ts';

/** One of the permits of a semaphore, taken. */
export type Permit = {
  /** Says that the holder still works, which puts off the permit's expiry. */
  renew(): void;
  /** Gives the permit back. Idempotent. */
  release(): void;
};

/** Who takes a permit. */
export type PermitHolder = {
  /**
   * Whoever pays or owns. Without a queue no tenant ever holds more permits than
   * are still free. A flood of one leaves half to the others, one of two a third,
   * and so on. Source: dynamic thresholds, Choudhury and Hahne, IEEE/ACM
   * Transactions on Networking 6(2), 1998.
   */
  readonly tenant: string;
  /**
   * Limits of what comes under a name: of permits, or with a queue of those that
   * wait.
   */
  readonly shares: readonly Share[];
};

export type Semaphore = {
  /**
   * Takes a permit. SlowDown when all are taken, or all that the holder may have.
   */
  take(holder: PermitHolder): Permit;
  /** Takes a permit; null where `take` throws. */
  tryTake(holder: PermitHolder): Permit | null;
  /**
   * Takes a permit, now or when its turn comes. SlowDown, thrown or rejected: too
   * many wait.
   */
  takeOrWait(holder: PermitHolder): Permit | Promise<Permit>;
};

export type SemaphoreOptions = {
  /** Permits that may be taken at once. */
  readonly max: number;
  /** A permit expires when it was not renewed for so long, milliseconds. */
  readonly idleMs: number;
  readonly nowMs: () => number;
  /** How many may wait; 0, the default: none. */
  readonly queueMax?: number;
};

type PermitState = { readonly holder: PermitHolder; renewedAtMs: number };

type Waiter = Queued & {
  begin(permit: Permit): void;
  refuse(error: StorageError): void;
};

const tooMany = () => new StorageError('SlowDown');

/**
 * Creates a semaphore. Cost of a permit: a look at all that are taken, and at all
 * that wait.
 */
export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const { max, idleMs, nowMs, queueMax = 0 } = options;
  const permits = new Map<Permit, PermitState>();
  const queue = createFairQueue<Waiter>(queueMax, (waiter) => waiter.refuse(tooMany()));

  function hasRoom({ tenant, shares }: PermitHolder): boolean {
    const free = max - permits.size;
    if (queueMax > 0) return free > 0;

    const ofTenant = count((holder) => holder.tenant === tenant);
    if (ofTenant >= free) return false;
    return shares.every(({ name, max: most }) => count((holder) => isUnder(name, holder)) < most);
  }

  /** Permits of those holders; a loop, for each receipt comes by here. */
  function count(isCounted: (holder: PermitHolder) => boolean): number {
    let counted = 0;
    for (const { holder } of permits.values()) if (isCounted(holder)) counted += 1;
    return counted;
  }

  function begin(holder: PermitHolder): Permit {
    const permit: Permit = {
      renew() {
        const state = permits.get(permit);
        if (state !== undefined) state.renewedAtMs = nowMs();
      },
      release() {
        if (permits.delete(permit)) beginNext();
      },
    };
    permits.set(permit, { holder, renewedAtMs: nowMs() });
    return permit;
  }

  function beginNext(): void {
    const waiter = queue.shift();
    waiter?.begin(begin(waiter));
  }

  function releaseExpired(): void {
    const now = nowMs();
    for (const [permit, { renewedAtMs }] of permits)
      if (now - renewedAtMs >= idleMs) permit.release();
  }

  function tryTake(holder: PermitHolder): Permit | null {
    if (hasRoom(holder)) return begin(holder);
    // Lost permits are looked for only when there is no room.
    releaseExpired();
    return hasRoom(holder) ? begin(holder) : null;
  }

  return {
    tryTake,
    take(holder) {
      const permit = tryTake(holder);
      if (permit === null) throw tooMany();
      return permit;
    },
    takeOrWait({ tenant, shares }) {
      const permit = tryTake({ tenant, shares });
      if (permit !== null) return permit;

      const { promise, resolve, reject } = Promise.withResolvers<Permit>();
      if (!queue.add({ tenant, shares, begin: resolve, refuse: reject })) throw tooMany();
      return promise;
    },
  };
}
