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
};

/** `idleMs`: after so long without a renewal a lease counts as given back. */
export function createLeases(options: { max: number; idleMs: number; nowMs: () => number }): Leases {
  const { max, idleMs, nowMs } = options;
  const held = new Map<Lease, number>();
  return {
    take() {
      const now = nowMs();
      for (const [lease, renewedAtMs] of held) if (now - renewedAtMs > idleMs) held.delete(lease);
      if (held.size >= max) throw new StorageError('SlowDown');
      const lease: Lease = {
        renew() {
          if (held.has(lease)) held.set(lease, nowMs());
        },
        release: () => void held.delete(lease),
      };
      held.set(lease, now);
      return lease;
    },
  };
}
