// The bill of an account for a month: as it was closed, or, while the month is open, as it stands now.
import type { Account } from '../../ports/domain.ts';
import type { Core } from '../core.ts';
import { rateCardOf } from './account-card.ts';
import { creditsOf } from './account-credits.ts';
import { readClosed } from './close-month.ts';
import type { BillingMonth } from './invoice.ts';
import { type InvoiceDocument, makeDocument } from './invoice-document.ts';
import { monthBounds, monthText } from './month.ts';
import { readUsage } from './read-usage.ts';
import type { Usage } from './usage.ts';

/** Null for a month to come. What runs of the hour is in the bill as far as the ledger has heard of it. */
export async function getInvoice(core: Core, account: Account, period: BillingMonth): Promise<InvoiceDocument | null> {
  const { startMs, endMs } = monthBounds(period);
  if (startMs > core.ports.clock.nowMs()) return null;
  const kept = await readClosed(core, account, period);
  if (kept !== null) return kept;
  return openInvoice(core, account, period, await readUsage(core, account.id, startMs, endMs));
}

/** The bill that this usage makes by the account's card and credits; nothing is kept. */
export async function openInvoice(
  core: Core,
  account: Account,
  period: BillingMonth,
  usage: Usage,
): Promise<InvoiceDocument> {
  const billing = await core.ports.directory.call('getAccountBilling', { accountId: account.id });
  const card = await rateCardOf(core, billing.cards, monthText(period));
  const credits = creditsOf(billing, period, card.currency);
  return makeDocument({ account, period, usage, card, credits, closedAtMs: null });
}
