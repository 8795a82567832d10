// When a Durable Object's outbox is worked on: by the object's alarm (object-alarm.ts),
// which outlives the object. A change that leaves a message sets it for now, in the same
// write; each run sets it for what comes next. Called by the classes of objects.
import type { Dispatcher, OutboxApi, OutboxQueue } from '../../../ports/outbox.ts';
import type { Log } from '../../../ports/system.ts';
import type { AlarmSlot } from './object-alarm.ts';

export type OutboxAlarm = {
  /**
   * Something may be due. Call it in the turn of the change: both become durable
   * together.
   */
  kick(): void;
  /** The alarm went off: sends what is due. Never throws. */
  run(): Promise<void>;
};

/**
 * A run of which nothing was heard for so long has died with its object,
 * milliseconds: an alarm has 15 minutes.
 */
const AFTER_DEATH_MS = 60_000;
/**
 * One run at most, so that an alarm ends in time. Source:
 * https://developers.cloudflare.com/durable-objects/api/alarms/
 */
const RUN_MS = 5 * 60_000;
const AFTER_FAILURE_MS = 5000;

export type OutboxAlarmOptions = {
  readonly slot: AlarmSlot;
  readonly outbox: Pick<OutboxApi, 'nextDeliveryAt'>;
  /** Called when there is something to send; most objects never have. */
  readonly openDispatcher: () => Dispatcher;
  readonly nowMs: () => number;
  readonly log: Log;
};

/** The rows of this very object as the dispatcher takes them. */
export function queueOf(api: OutboxApi): OutboxQueue {
  return {
    claimDeliveries: async (input) => api.claimDeliveries(input),
    settleDeliveries: async (input) => api.settleDeliveries(input),
  };
}

export function createOutboxAlarm(options: OutboxAlarmOptions): OutboxAlarm {
  const { slot, outbox, nowMs, log } = options;
  let dispatcher: Dispatcher | null = null;
  let isRunning = false;

  return {
    kick() {
      if (isRunning) dispatcher?.kick();
      // A write of the alarm costs a row: not again while one stands for now.
      else if ((slot.atMs() ?? Number.POSITIVE_INFINITY) > nowMs()) slot.set(nowMs());
    },
    async run() {
      const dueMs = outbox.nextDeliveryAt({}).atMs;
      if (dueMs === null || dueMs > nowMs()) {
        slot.set(dueMs);
        return;
      }
      isRunning = true;
      slot.set(nowMs() + AFTER_DEATH_MS);
      const ending = new AbortController();
      const end = setTimeout(() => ending.abort(), RUN_MS);
      let pauseEndsAtMs: number | null = null;
      let retryAtMs: number | null = null;
      try {
        dispatcher ??= options.openDispatcher();
        pauseEndsAtMs = await dispatcher.run(ending.signal);
      } catch (cause) {
        log.error('outbox-failed', { cause });
        retryAtMs = nowMs() + AFTER_FAILURE_MS;
      }
      clearTimeout(end);
      // From here to the end in one turn: a change comes before it, and is seen, or
      // after it, and sets the alarm itself.
      isRunning = false;
      const { atMs } = outbox.nextDeliveryAt({});
      slot.set(atMs === null ? null : Math.max(atMs, pauseEndsAtMs ?? 0, retryAtMs ?? 0));
    },
  };
}
