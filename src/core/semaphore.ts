// How many of something that lasts may run at once: downloads that hold memory as long as their
// reader takes. A lease that nobody renews runs out by itself, because a runtime does not always
// tell that a client has left.
import { StorageError } from '../domain/errors.ts';

export type Lease = {
  /** Says that the holder is still there. */
  renew(): void;
  /** Gives it back. Idempotent. */
  release(): void;
};

/**
 * A part that all who come under one name may hold at most: `bucket photos`, `source 192.0.2.1`.
 */
export type Share = { readonly name: string; readonly max: number };

/** Who takes one. */
export type PermitHolder = {
  /**
   * Whoever pays or owns: no tenant ever holds more than is still free, so that a flood of one
   * leaves half to the others, one of two a third, and so on. Source: dynamic thresholds, Choudhury
   * and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998.
   */
  readonly tenant: string;
  readonly shares: readonly Share[];
};

export type Leases = {
  /** SlowDown when all are taken, or all that the holder may have. */
  take(holder: PermitHolder): Lease;
  /** Null where `take` throws. */
  tryTake(holder: PermitHolder): Lease | null;
};

type PermitState = { readonly holder: PermitHolder; renewedAtMs: number };

/**
 * `idleMs`: after so long without a renewal a lease counts as given back. Cost: a look at all that
 * are held.
 */
export function createSemaphore(options: {
  max: number;
  idleMs: number;
  nowMs: () => number;
}): Leases {
  const { max, idleMs, nowMs } = options;
  const held = new Map<Lease, PermitState>();

  function hasRoom({ tenant, shares }: PermitHolder): boolean {
    const ofTenant = count((other) => other.tenant === tenant);
    if (ofTenant >= max - held.size) return false;
    return shares.every(
      (share) => count((other) => other.shares.some(({ name }) => name === share.name)) < share.max,
    );
  }

  function count(isCounted: (holder: PermitHolder) => boolean): number {
    let found = 0;
    for (const { holder } of held.values()) if (isCounted(holder)) found += 1;
    return found;
  }

  function tryTake(holder: PermitHolder): Lease | null {
    const now = nowMs();
    // There is time to look for lost ones only when there is no room.
    if (!hasRoom(holder)) {
      for (const [lease, { renewedAtMs }] of held)
        if (now - renewedAtMs > idleMs) held.delete(lease);
      if (!hasRoom(holder)) return null;
    }
    const lease: Lease = {
      renew() {
        const known = held.get(lease);
        if (known !== undefined) known.renewedAtMs = nowMs();
      },
      release: () => void held.delete(lease),
    };
    held.set(lease, { holder, renewedAtMs: now });
    return lease;
  }

  return {
    tryTake,
    take(holder) {
      const lease = tryTake(holder);
      if (lease === null) throw new StorageError('SlowDown');
      return lease;
    },
  };
}
