// What answers under way hold of caps: their bytes count as used from the start, and what did not
// leave is given back. Where a runtime ends an answer without a word, what it held comes back after
// a while. Called by the meter alone.
import type { Allowance } from '../../ports/metering.ts';
import type { Clock } from '../../ports/system.ts';

/**
 * An answer of which nothing has left for so long may be over, milliseconds: as long as a lease of
 * a cap lasts.
 */
const IDLE_MS = 60_000;

export type Held = {
  /** So many bytes more have left. */
  pass(bytes: number): void;
  /** Gives back what has not left. Idempotent. */
  letGo(): void;
  /** Whether it was not given back. */
  isKept(): boolean;
};

export type QuotaReservations = {
  /** Takes so many bytes of each allowance, whether they have room for them or not. */
  hold(allowances: readonly Allowance[], bytes: number): Held;
  /** Gives back what is held for answers of which nothing has left for a minute. */
  letGoOfIdle(): void;
};

/** Makes it, with nothing held. */
export function createQuotaReservations(clock: Clock): QuotaReservations {
  const all = new Map<Held, { passedAtMs: number }>();

  return {
    hold(allowances, bytes) {
      const parts = allowances.map((allowance) => ({ allowance, perByte: allowance.perByte }));
      const times = { passedAtMs: clock.nowMs() };
      let left = bytes;
      let isKept = true;
      for (const { allowance, perByte } of parts) {
        allowance.used += bytes * perByte;
        allowance.underWay += bytes * perByte;
      }
      const held: Held = {
        pass(passed) {
          left -= passed;
          times.passedAtMs = clock.nowMs();
          for (const { allowance, perByte } of parts) allowance.underWay -= passed * perByte;
        },
        letGo() {
          for (const { allowance, perByte } of parts) {
            allowance.underWay -= left * perByte;
            allowance.used -= left * perByte;
          }
          left = 0;
          isKept = false;
          all.delete(held);
        },
        isKept: () => isKept,
      };
      if (parts.length > 0) all.set(held, times);
      return held;
    },
    letGoOfIdle() {
      const idleMs = clock.nowMs() - IDLE_MS;
      for (const [held, { passedAtMs }] of all) if (passedAtMs <= idleMs) held.letGo();
    },
  };
}

/** Whether as many bytes may be held of all of them. */
export function haveRoom(allowances: readonly Allowance[], bytes: number): boolean {
  return allowances.every(
    ({ level, used, perByte, upTo }) => level !== 'refused' && used + bytes * perByte <= upTo,
  );
}
