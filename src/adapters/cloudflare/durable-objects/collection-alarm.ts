// When a bucket's object brings its hours to the ledger: by the object's alarm
// (object-alarm.ts), once a day while it stores anything or commits have used
// something, once an hour where a cap looks at it. An empty bucket has no alarm. The
// times are in domain/billing/alarm-times.ts.
import { collectionTime, type Uncollected } from '../../../domain/billing/alarm-times.ts';
import type { Log } from '../../../ports/system.ts';
import type { AlarmSlot } from './object-alarm.ts';

export type CollectionAlarm = {
  /** Sets the alarm by the bucket's rows. Cost: a few index reads. */
  schedule(): void;
  /** The alarm went off: collects if that is due. Never throws. */
  run(): Promise<void>;
};

/** Wait after a failure, milliseconds. */
const AFTER_FAILURE_MS = 20 * 60_000;

export function createCollectionAlarm(options: {
  readonly bucket: string;
  readonly slot: AlarmSlot;
  readonly oldestUncollected: () => Uncollected | null;
  readonly collect: () => Promise<void>;
  readonly nowMs: () => number;
  readonly log: Log;
}): CollectionAlarm {
  const { bucket, slot, oldestUncollected, collect, nowMs, log } = options;

  function dueAtMs(): number | null {
    const oldest = oldestUncollected();
    return oldest === null ? null : collectionTime(bucket, oldest);
  }

  return {
    schedule: () => slot.set(dueAtMs()),
    async run() {
      const dueMs = dueAtMs();
      if (dueMs === null || dueMs > nowMs()) {
        slot.set(dueMs);
        return;
      }
      try {
        await collect();
        slot.set(dueAtMs());
      } catch (cause) {
        log.error('hours-not-collected', { bucket, cause });
        slot.set(nowMs() + AFTER_FAILURE_MS);
      }
    },
  };
}
