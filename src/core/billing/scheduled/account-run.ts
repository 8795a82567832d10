// The scheduled work on the bills of one account: closes its months that are due,
// reports its days to its webhooks, pushes its usage to a billing service. On
// Cloudflare the alarm of the account's ledger calls it, so no account waits for
// another; Node walks over all of them (run-billing.ts). Every step is idempotent,
// and progress is noted behind each: a run that dies is repeated.
import { accountRunTime } from '../../../domain/billing/alarm-times.ts';
import type { BillingDuties } from '../../../domain/billing/billing.ts';
import type { Account, AccountId } from '../../../domain/nouns.ts';
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import { requireTrustedTime } from '../../clock/trust-time.ts';
import type { Core } from '../../core.ts';
import { findConfigured } from '../invoices/billed-accounts.ts';
import { isDue } from '../invoices/close-month.ts';
import { closeAndReport } from '../invoices/close-months.ts';
import { closedBefore } from '../invoices/closed-before.ts';
import { monthBounds, monthOf, monthsLater, monthText, parseMonth } from '../month.ts';
import { pushAccount } from './push-usage.ts';
import { DAYS_LATE, lastDueDay, reportAccount } from './report-usage.ts';

/**
 * Does what is due for an account and returns when the next is; null: nothing will
 * be until it uses something. `lastUsedMs`: the last hour that its
 * ledger has usage of. Throws what failed, with all before it done and noted;
 * ServiceUnavailable while the clock is in doubt. Cost: two directory calls a day; to
 * close a month, some ten and three queries of the ledger.
 */
export async function runAccount(
  core: Core,
  accountId: AccountId,
  lastUsedMs: number | null,
): Promise<number | null> {
  const { clock, directory, usagePush } = core.ports;
  await requireTrustedTime(core);
  const duties = await directory.call('getBillingDuties', { accountId });
  const configured = findConfigured(core, accountId);
  if (lastUsedMs === null) return null;

  const isBilled = configured !== null || duties.isBilled;
  const openMonth = isBilled
    ? await closeDueMonths(core, { accountId, configured, duties })
    : firstOpenMonth(core, duties);
  await reportDueDays(core, accountId, { ...duties, closedBefore: monthText(openMonth) });
  const target = usagePush === null ? null : await directory.call('getPushTarget', { accountId });
  if (usagePush !== null && target !== null) await pushAccount(core, usagePush, target);

  const nowMs = clock.nowMs();
  const closesMs = monthBounds(openMonth).endMs + core.settings.billingCloseHours * HOUR_MS;
  const hasDays = lastUsedMs >= lastDueDay(nowMs) + DAY_MS;
  if (hasDays) return accountRunTime(accountId, nowMs + 1);
  return isBilled ? accountRunTime(accountId, Math.max(nowMs + 1, closesMs)) : null;
}

type Closing = {
  readonly accountId: AccountId;
  readonly configured: Account | null;
  readonly duties: BillingDuties;
};

/** Closes the account's months that are due, the oldest first; returns the first open one. */
async function closeDueMonths(core: Core, { accountId, configured, duties }: Closing) {
  const { clock, directory, ledger } = core.ports;
  let period = firstOpenMonth(core, duties);
  if (!isDue(core, period, clock.nowMs())) return period;

  // Before its first use an account has no bills.
  const firstHourMs = await ledger.call('getFirstHour', { accountId });
  const firstMonth = monthOf(firstHourMs ?? clock.nowMs());
  if (monthText(period) < monthText(firstMonth)) period = firstMonth;

  const [stored] =
    configured === null ? await directory.call('getAccounts', { ids: [accountId] }) : [];
  const account = configured ?? stored ?? { id: accountId, displayName: accountId };
  const reportedBeforeMs = duties.progress?.reportedBeforeMs ?? 0;
  while (isDue(core, period, clock.nowMs())) {
    await closeAndReport(core, account, period);
    period = monthsLater(period, 1);
    const progress = { closedBefore: monthText(period), reportedBeforeMs };
    await directory.call('setBillingProgress', { accountId, ...progress });
  }
  return period;
}

/** The first month of an account that may be open. */
function firstOpenMonth(core: Core, duties: BillingDuties) {
  const thisMonth = monthOf(core.ports.clock.nowMs());
  const closedBeforeText = closedBefore(duties);
  const open = parseMonth(closedBeforeText ?? '');
  // A clock that was ahead has taken progress into the future: bills made already are
  // found again.
  const isKnown = open !== null && monthText(open) <= monthText(thisMonth);
  return isKnown ? open : monthsLater(thisMonth, -1);
}

/** Reports the days that are over to the account's webhooks, each once. */
async function reportDueDays(
  core: Core,
  accountId: AccountId,
  duties: BillingDuties & { readonly closedBefore: string },
): Promise<void> {
  const { clock, directory } = core.ports;
  const { webhooksSinceMs } = duties;
  if (webhooksSinceMs === null) return;
  const dueMs = lastDueDay(clock.nowMs());
  const reportedBeforeMs = duties.progress?.reportedBeforeMs || duties.reported?.dayMs || dueMs;
  const firstMs = Math.max(
    Math.min(reportedBeforeMs, dueMs + DAY_MS),
    dueMs - DAYS_LATE * DAY_MS,
    // The day that is due when a webhook is made was reported to those before it.
    lastDueDay(webhooksSinceMs) + DAY_MS,
  );
  for (let dayMs = firstMs; dayMs <= dueMs; dayMs += DAY_MS) {
    await reportAccount(core, accountId, dayMs);
    const progress = {
      closedBefore: duties.closedBefore,
      reportedBeforeMs: dayMs + DAY_MS,
    };
    await directory.call('setBillingProgress', { accountId, ...progress });
  }
}
