// When an account's ledger does the scheduled work on its bills: by the object's alarm
// (object-alarm.ts), at a moment of the account's own, on the day behind each day with
// usage, else when the next month is due. The times are in
// domain/billing/alarm-times.ts, the work in core/billing/scheduled/account-run.ts.
import { accountRunTime } from '../../../domain/billing/alarm-times.ts';
import { earlier } from '../../../domain/time.ts';
import type { Log } from '../../../ports/system.ts';
import type { ObjectAlarm } from './object-alarm.ts';

export type AccountAlarm = {
  /**
   * Sets the alarm for the next day's work, if the account ever used anything. Call it
   * in the tick of the write: both become durable together.
   */
  schedule(): void;
  /** The alarm went off: does the work. Never throws. */
  run(): Promise<void>;
};

/** Wait after a failure, milliseconds. */
const AFTER_FAILURE_MS = 30 * 60_000;

/** `alarm` has no other work. */
export function createAccountAlarm(options: {
  readonly accountId: string;
  readonly alarm: ObjectAlarm;
  /** The last hour with usage; null: there was none. */
  readonly lastUsedMs: () => number | null;
  /** Does what is due; returns when the next is, null: never. */
  readonly work: (lastUsedMs: number | null) => Promise<number | null>;
  readonly nowMs: () => number;
  readonly log: Log;
}): AccountAlarm {
  const { accountId, alarm, lastUsedMs, work, nowMs, log } = options;
  const slot = alarm.slot();
  return {
    schedule() {
      const nextMs = accountRunTime(accountId, nowMs());
      if ((alarm.atMs() ?? Number.POSITIVE_INFINITY) <= nextMs) return;
      if (lastUsedMs() !== null) slot.set(nextMs);
    },
    async run() {
      let nextMs: number | null;
      try {
        nextMs = await work(lastUsedMs());
      } catch (cause) {
        log.error('account-work-failed', { accountId, cause });
        nextMs = nowMs() + AFTER_FAILURE_MS;
      }
      // What was recorded meanwhile has set it too.
      slot.set(earlier(slot.atMs(), nextMs));
    },
  };
}
