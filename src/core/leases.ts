// How many of something that lasts may run at once: downloads that hold memory as long as their reader takes. A lease
// that nobody renews runs out by itself, because a runtime does not always tell that a client has left.
import { StorageError } from '../ports/errors.ts';

export type Lease = {
  /** Says that the holder is still there. */
  renew(): void;
  /** Gives it back. Idempotent. */
  release(): void;
};

export type Leases = {
  /** SlowDown when all are taken. */
  take(): Lease;
  /** Null when all are taken. */
  tryTake(): Lease | null;
};

/** `idleMs`: after so long without a renewal a lease counts as given back. */
export function createLeases(options: { max: number; idleMs: number; nowMs: () => number }): Leases {
  const { max, idleMs, nowMs } = options;
  const held = new Map<Lease, number>();

  function tryTake(): Lease | null {
    const now = nowMs();
    // Renewals don't change the order, so all are looked at; there is time for that only when there is no room.
    if (held.size >= max) for (const [lease, renewedAtMs] of held) if (now - renewedAtMs > idleMs) held.delete(lease);
    if (held.size >= max) return null;
    const lease: Lease = {
      renew() {
        if (held.has(lease)) held.set(lease, nowMs());
      },
      release: () => void held.delete(lease),
    };
    held.set(lease, now);
    return lease;
  }

  return {
    tryTake,
    take() {
      const lease = tryTake();
      if (lease === null) throw new StorageError('SlowDown');
      return lease;
    },
  };
}
