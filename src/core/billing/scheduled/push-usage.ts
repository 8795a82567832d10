// Tells a billing service outside, day by day, what accounts used that have a customer there. Both
// homes call it by their clock. Each event goes out under an identifier of its account, meter and
// day, and the progress is noted around it, so that a crash repeats one event at most, which the
// service then knows. What can't be repeated safely any more is left out: a miss is in the
// customer's favour.
import { sha256Hex } from '../../../crypto/hash.ts';
import type { PushProgress, PushTarget } from '../../../domain/billing/billing.ts';
import type { MeterName } from '../../../domain/billing/usage.ts';
import { hasCode } from '../../../domain/errors.ts';
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import type { UsageEvent, UsagePush } from '../../../ports/usage-push.ts';
import type { Core } from '../../core.ts';
import { netUsage, type Usage } from '../../metering/usage.ts';
import { dayText, monthBounds, monthOf } from '../month.ts';
import { readUsage } from '../read-usage.ts';

/** After a day's end, until the ledger has what was counted late. */
export const DAY_GRACE_MS = 6 * HOUR_MS;
/**
 * So long the service knows an identifier again, with an hour to spare. Source: Stripe, meter
 * events, `identifier`.
 */
const REPEAT_MS = 23 * HOUR_MS;
/**
 * Older days are not taken any more, with a day to spare. Source: Stripe, meter events,
 * `timestamp`: 35 days.
 */
const OLDEST_MS = 34 * DAY_MS;
const PAGE = 100;
/** Bytes and byte-hours are told in millions, since values have 15 digits at most. */
const MEGA = 1_000_000n;

/**
 * How many events were told. An account whose push fails is logged, and goes on in the next run.
 */
export async function pushUsage(
  core: Core,
  push: UsagePush,
  stopping: AbortSignal | null = null,
): Promise<number> {
  const { directory, log } = core.ports;
  let told = 0;
  for (let after = ''; ; ) {
    const targets = await directory.call('listPushTargets', { after, limit: PAGE });
    for (const target of targets) {
      if (stopping?.aborted === true) return told;
      try {
        for (let next: PushTarget | null = target; next !== null; ) {
          const day: { readonly told: number; readonly next: PushTarget | null } = await pushDay(
            core,
            push,
            next,
          );
          told += day.told;
          next = day.next;
        }
      } catch (cause) {
        log.error('push-failed', { accountId: target.accountId, cause });
      }
      after = target.accountId;
    }
    if (targets.length < PAGE) return told;
  }
}

/** Tells one day, and says what to go on with; null: no further day is over. */
async function pushDay(core: Core, push: UsagePush, target: PushTarget) {
  const { clock, log } = core.ports;
  const { accountId, dayMs } = target;
  const nowMs = clock.nowMs();
  if (dayMs + DAY_MS + DAY_GRACE_MS > nowMs) return { told: 0, next: null };
  const note = async (change: Partial<PushProgress>): Promise<void> => {
    progress = { ...progress, ...change };
    await core.ports.directory.call('notePush', { accountId, ...progress });
  };
  let progress: PushProgress = {
    dayMs,
    told: target.told,
    tried: target.tried,
    triedAtMs: target.triedAtMs,
  };
  let told = 0;
  const events = dayMs < nowMs - OLDEST_MS ? [] : await eventsOf(core, target);
  for (const { meter, event } of events) {
    if (meter <= progress.told) continue;
    const wasTried = progress.tried === meter;
    if (wasTried && nowMs - progress.triedAtMs > REPEAT_MS) {
      log.error('push-given-up', { accountId, meter, dayMs });
    } else {
      if (!wasTried) await note({ tried: meter, triedAtMs: nowMs });
      await push.push(event).catch(async (error: unknown) => {
        // It was not counted, so whenever it is repeated it is the first.
        if (hasCode(error, 'InvalidRequest')) await note({ tried: '', triedAtMs: 0 });
        throw error;
      });
      told += 1;
    }
    await note({ told: meter, tried: '', triedAtMs: 0 });
  }
  const next: PushTarget = { ...target, dayMs: dayMs + DAY_MS, told: '', tried: '', triedAtMs: 0 };
  await note({ dayMs: next.dayMs, told: '', tried: '', triedAtMs: 0 });
  return { told, next };
}

/**
 * What a day adds to the month, in whole units: rounded down over the month, so that days lose
 * nothing but at its end.
 */
async function eventsOf(core: Core, { accountId, customerId, dayMs }: PushTarget) {
  const { startMs } = monthBounds(monthOf(dayMs));
  // Storage is told as it is stored, what is saved taken off: meters outside can't go down.
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

function wholeUnits(usage: Usage, meter: MeterName): bigint {
  const quantity = usage.get(meter) ?? 0n;
  return meter.startsWith('class-') ? quantity : quantity / MEGA;
}

/**
 * `quayside_class_a_standard`; the identifier holds a digest of the account, whose id may be long.
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
