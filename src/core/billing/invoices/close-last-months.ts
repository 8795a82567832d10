// The last bills of an account that ends: every month that is still open, the one that runs as far
// as it has come.
import type { Account } from '../../../domain/nouns.ts';
import type { Core } from '../../core.ts';
import { monthOf, monthsLater, monthText, parseMonth } from '../month.ts';
import { closeMonth } from './close-month.ts';

/**
 * Closes them, the oldest first, and tells nobody: the account's webhooks go with it. Idempotent.
 * Cost: some directory calls and a query of the ledger for each.
 */
export async function closeLastMonths(core: Core, account: Account): Promise<void> {
  const { clock, directory } = core.ports;
  const last = monthOf(clock.nowMs());
  const before = monthsLater(last, -1);
  const closing = await directory.call('getClosing', {});
  const begun = closing === null ? before : (parseMonth(closing.period) ?? before);
  let period = monthText(begun) < monthText(before) ? begun : before;
  for (; monthText(period) <= monthText(last); period = monthsLater(period, 1)) {
    await closeMonth(core, account, period, { isLast: true });
  }
}
