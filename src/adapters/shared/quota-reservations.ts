// Quota reservations of responses under way: their bytes count as used from the
// start, and what was not sent is given back. Where a runtime ends a response
// without a word, its reservation is given back after a while. Called by the meter
// alone.
import type { Allowance } from '../../ports/metering.ts';
import type { Clock } from '../../ports/system.ts';

/**
 * A response that sent nothing for so long may be over, milliseconds: as long as a
 * quota lease.
 */
const IDLE_MS = 60_000;

export type QuotaReservation = {
  /** Counts bytes that were sent. */
  pass(bytes: number): void;
  /** Gives back what was not sent. Idempotent. */
  letGo(): void;
  /** Whether it was not given back. */
  isKept(): boolean;
};

export type QuotaReservations = {
  /** Reserves bytes of each allowance, whether they have room for them or not. */
  reserve(allowances: readonly Allowance[], bytes: number): QuotaReservation;
  /** Gives back the reservations of responses that sent nothing for a minute. */
  releaseIdleReservations(): void;
};

/** Makes it, with nothing reserved. */
export function createQuotaReservations(clock: Clock): QuotaReservations {
  const all = new Map<QuotaReservation, { passedAtMs: number }>();

  return {
    reserve(allowances, bytes) {
      const parts = allowances.map((allowance) => ({ allowance, perByte: allowance.perByte }));
      const times = { passedAtMs: clock.nowMs() };
      let left = bytes;
      let isKept = true;
      for (const { allowance, perByte } of parts) {
        allowance.used += bytes * perByte;
        allowance.underWay += bytes * perByte;
      }
      const reservation: QuotaReservation = {
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
          all.delete(reservation);
        },
        isKept: () => isKept,
      };
      if (parts.length > 0) all.set(reservation, times);
      return reservation;
    },
    releaseIdleReservations() {
      const idleMs = clock.nowMs() - IDLE_MS;
      for (const [reservation, { passedAtMs }] of all)
        if (passedAtMs <= idleMs) reservation.letGo();
    },
  };
}

/** Whether as many bytes may be reserved of all of them. */
export function haveRoom(allowances: readonly Allowance[], bytes: number): boolean {
  return allowances.every(
    ({ level, used, perByte, upTo }) => level !== 'refused' && used + bytes * perByte <= upTo,
  );
}
