// Late usage: the ledger heard of it after its month was closed. It stands on the
// account's next bill as a part of its own. Found here, priced by
// price-late-usage.ts.

import type { AccountBilling } from '../../../domain/billing/billing.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import type { Core } from '../../core.ts';
import { toUsage } from '../../metering/query-usage.ts';
import type { Usage } from '../../metering/usage.ts';
import { type BillingMonth, monthBounds, monthOf, monthsLater, monthText } from '../month.ts';
import { rateCardOf } from '../prices/account-card.ts';
import { closedBefore } from './closed-before.ts';
import type { LateUsage } from './invoice.ts';
import type { InvoiceDocument } from './invoice-document.ts';
import { parseStoredInvoice } from './invoice-json.ts';
import { priceLateUsage } from './price-late-usage.ts';

/** Months before a bill's own that are searched for late usage. */
const LATE_MONTHS = 6;

/**
 * Finds late usage of closed months before `period` that is on no bill yet, the
 * oldest month first, only of months whose card has that currency. Race: another
 * bill may take the same usage at once. Guard: `billing` was read before, and a
 * bill is stored only while its invoice count is current. Cost: a query of the
 * ledger, two directory reads.
 */
export async function findLateUsage(
  core: Core,
  accountId: AccountId,
  {
    period,
    billing,
    currency,
  }: { period: BillingMonth; billing: AccountBilling; currency: string },
): Promise<readonly LateUsage[]> {
  const { directory, ledger } = core.ports;
  const first = monthsLater(period, -LATE_MONTHS);
  const fromMs = monthBounds(first).startMs;
  const toMs = monthBounds(period).startMs;
  const [sums, stored, duties] = await Promise.all([
    ledger.call('query', { accountId, fromMs, toMs, groupBy: ['month'] }),
    directory.call('readInvoices', { accountId, from: monthText(first), to: monthText(period) }),
    directory.call('getBillingDuties', { accountId }),
  ]);

  const bills = stored.map(parseStoredInvoice);
  const late: LateUsage[] = [];
  for (const monthMs of new Set(sums.map(({ timeMs }) => timeMs ?? fromMs))) {
    const month = monthOf(monthMs);
    const bill = bills.find(({ invoice }) => monthText(invoice.period) === monthText(month));
    // A month without a bill is closed only when the closing of this account, or of
    // all accounts, has passed it.
    if (bill === undefined && monthText(month) >= (closedBefore(duties) ?? '')) continue;

    const card = bill?.card ?? (await rateCardOf(core, billing.cards, monthText(month)));
    const after = toUsage(sums.filter(({ timeMs }) => timeMs === monthMs));
    const part = priceLateUsage({ period: month, card, before: billedOf(month, bills), after });
    if (part.amountMicro !== 0n && card.currency === currency) late.push(part);
  }
  return late;
}

/**
 * The billed usage of a month: by the last bill with late usage of it, else by its
 * own bill.
 */
function billedOf(month: BillingMonth, bills: readonly InvoiceDocument[]): Usage {
  const text = monthText(month);
  const parts = bills
    .flatMap(({ invoice }) => invoice.late)
    .filter(({ period }) => monthText(period) === text);
  const own = bills.find(({ invoice }) => monthText(invoice.period) === text);
  return parts.at(-1)?.after ?? own?.usage ?? new Map();
}
