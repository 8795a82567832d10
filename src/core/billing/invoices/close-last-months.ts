// Makes the last bills of an account that is deleted: of every month that is still
// open, the running one as far as it has come. Called by
// accounts/delete-account.ts.
import type { Account } from '../../../domain/nouns.ts';
import type { Core } from '../../core.ts';
import { monthOf, monthsLater, monthText, parseMonth } from '../month.ts';
import { closeMonth } from './close-month.ts';
import { closedBefore } from './closed-before.ts';

/**
 * Closes the account's open months, the oldest first, and reports none to its
 * webhooks, which go with it. Idempotent. Cost: some directory calls and a query of
 * the ledger for each.
 */
export async function closeLastMonths(core: Core, account: Account): Promise<void> {
  const { clock, directory } = core.ports;
  const lastMonth = monthOf(clock.nowMs());
  const monthBefore = monthsLater(lastMonth, -1);
  const duties = await directory.call('getBillingDuties', { accountId: account.id });
  const closingMonth = parseMonth(closedBefore(duties) ?? '');

  let period = monthBefore;
  if (closingMonth !== null && monthText(closingMonth) < monthText(monthBefore))
    period = closingMonth;
  for (; monthText(period) <= monthText(lastMonth); period = monthsLater(period, 1)) {
    await closeMonth(core, account, period, { isLast: true });
  }
}
