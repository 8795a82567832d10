// Reports to a billing service outside, day by day, what accounts used that have a
// customer there. The timers of both platforms call it. Each event has an
// idempotency key of its account, meter and day, and progress is noted around it: a
// crash repeats at most one event, which the service then knows. An event that
// can't be repeated safely any more is left out, in the customer's favour.
import { sha256Hex } from '../../../crypto/hash.ts';
import { DAY_GRACE_MS } from '../../../domain/billing/alarm-times.ts';
import type { PushProgress, PushTarget } from '../../../domain/billing/billing.ts';
import type { MeterName } from '../../../domain/billing/usage.ts';
import { hasCode } from '../../../domain/errors.ts';
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import type { UsageEvent, UsagePush } from '../../../ports/usage-push.ts';
import type { Core } from '../../core.ts';
import { netUsage, type Usage } from '../../metering/usage.ts';
import { dayText, monthBounds, monthOf } from '../month.ts';
import { readUsage } from '../read-usage.ts';

/**
 * How long the service recognises a repeated identifier, milliseconds, with an hour
 * to spare. Source: Stripe, meter events, `identifier`: 24 hours.
 */
const REPEAT_MS = 23 * HOUR_MS;
/**
 * Age of the oldest day that the service takes, milliseconds, with a day to spare.
 * Source: Stripe, meter events, `timestamp`: 35 days.
 */
const OLDEST_MS = 34 * DAY_MS;
/** Accounts in one page of the directory. */
const PAGE = 100;
/**
 * Unit of bytes and byte-hours in events: a million, since values have 15 digits at
 * most.
 */
const MEGA = 1_000_000n;

/**
 * Pushes all days that are over and returns how many events were reported. An
 * account whose push fails is logged, and goes on in the next run.
 */
export async function pushUsage(
  core: Core,
  push: UsagePush,
  stopping: AbortSignal | null = null,
): Promise<number> {
  const { directory, log } = core.ports;
  let reportedEvents = 0;
  for (let after = ''; ; ) {
    const targets = await directory.call('listPushTargets', { after, limit: PAGE });
    for (const target of targets) {
      if (stopping?.aborted === true) return reportedEvents;
      try {
        reportedEvents += await pushAccount(core, push, target);
      } catch (cause) {
        log.error('push-failed', { accountId: target.accountId, cause });
      }
      after = target.accountId;
    }
    if (targets.length < PAGE) return reportedEvents;
  }
}

/**
 * Pushes an account's days that are over, from where its progress stands; returns
 * how many events were reported. Cost: for each day two queries of the ledger, and
 * two directory calls for each event.
 */
export async function pushAccount(
  core: Core,
  push: UsagePush,
  target: PushTarget,
): Promise<number> {
  let reportedEvents = 0;
  for (let next: PushTarget | null = target; next !== null; ) {
    const day: PushedDay = await pushDay(core, push, next);
    reportedEvents += day.reportedEvents;
    next = day.next;
  }
  return reportedEvents;
}

/** `next`: where the account's push goes on; null: no further day is over. */
type PushedDay = { readonly reportedEvents: number; readonly next: PushTarget | null };

/**
 * Progress at the beginning of a day: no meter of it is reported, none was tried.
 */
const NOTHING_REPORTED = {
  reportedMeter: '',
  attemptedMeter: '',
  attemptedAtMs: 0,
} satisfies Partial<PushProgress>;

/** Pushes the events of one day, in the order of their meters. */
async function pushDay(core: Core, push: UsagePush, target: PushTarget): Promise<PushedDay> {
  const { clock, directory, log } = core.ports;
  const {
    accountId,
    dayMs,
    reportedMeter: lastReportedMeter,
    attemptedMeter: tried,
    attemptedAtMs: triedAtMs,
  } = target;
  const nowMs = clock.nowMs();
  if (dayMs + DAY_MS + DAY_GRACE_MS > nowMs) return { reportedEvents: 0, next: null };

  let progress: PushProgress = {
    dayMs,
    reportedMeter: lastReportedMeter,
    attemptedMeter: tried,
    attemptedAtMs: triedAtMs,
  };
  const note = async (change: Partial<PushProgress>): Promise<void> => {
    progress = { ...progress, ...change };
    await directory.call('notePush', { accountId, ...progress });
  };

  let reportedEvents = 0;
  const events = dayMs < nowMs - OLDEST_MS ? [] : await eventsOf(core, target);
  for (const { meter, event } of events) {
    if (meter <= lastReportedMeter) continue;
    const wasTried = progress.attemptedMeter === meter;
    if (wasTried && nowMs - progress.attemptedAtMs > REPEAT_MS) {
      log.error('push-given-up', { accountId, meter, dayMs });
    } else {
      if (!wasTried) await note({ attemptedMeter: meter, attemptedAtMs: nowMs });
      await push.push(event).catch(async (error: unknown) => {
        // The service refused it and counted nothing, so a repetition is always the
        // first.
        if (hasCode(error, 'InvalidRequest')) await note({ attemptedMeter: '', attemptedAtMs: 0 });
        throw error;
      });
      reportedEvents += 1;
    }
    await note({ ...NOTHING_REPORTED, reportedMeter: meter });
  }

  const nextDay = { ...NOTHING_REPORTED, dayMs: dayMs + DAY_MS };
  await note(nextDay);
  return { reportedEvents, next: { ...target, ...nextDay } };
}

/**
 * The events of a day: what it adds to the month, in whole units. Rounding down
 * runs over the month, so that days lose nothing but at its end.
 */
async function eventsOf(core: Core, { accountId, customerId, dayMs }: PushTarget) {
  const { startMs } = monthBounds(monthOf(dayMs));
  // Storage is reported net of savings: meters of the service can't go down.
  const [before, after] = (
    await Promise.all([
      readUsage(core, accountId, startMs, dayMs),
      readUsage(core, accountId, startMs, dayMs + DAY_MS),
    ])
  ).map(netUsage) as [Usage, Usage];

  const meters = [...after.keys()].filter((meter) => !meter.startsWith('free/')).sort();
  return meters.flatMap((meter) => {
    const value = wholeUnits(after, meter) - wholeUnits(before, meter);
    const event = {
      ...namesOf(accountId, meter, dayMs),
      customerId,
      value,
      atMs: dayMs + DAY_MS - 1000,
    };
    return value > 0n ? [{ meter, event }] : [];
  });
}

/** Requests as they are, bytes and byte-hours in millions, rounded down. */
function wholeUnits(usage: Usage, meter: MeterName): bigint {
  const quantity = usage.get(meter) ?? 0n;
  return meter.startsWith('class-') ? quantity : quantity / MEGA;
}

/**
 * Names an event: `quayside_class_a_standard`, and an identifier that is its
 * idempotency key. It holds a digest of the account, whose id may be long.
 */
function namesOf(
  accountId: string,
  meter: MeterName,
  dayMs: number,
): Pick<UsageEvent, 'eventName' | 'identifier'> {
  const name = meter.toLowerCase().replace(/[^a-z0-9]+/g, '_');
  const day = dayText(dayMs);
  return {
    eventName: `quayside_${name}`,
    identifier: `quayside-${sha256Hex(accountId).slice(0, 20)}-${day}-${name}`,
  };
}
