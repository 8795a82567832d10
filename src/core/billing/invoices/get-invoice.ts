// The bill of an account for a month: as it was closed or, while the month is open,
// as it stands now. Called by the JSON API and forecasts; it stores nothing.
import type { Account } from '../../../domain/nouns.ts';
import type { Core } from '../../core.ts';
import type { Usage } from '../../metering/usage.ts';
import { type BillingMonth, monthBounds, monthText } from '../month.ts';
import { rateCardOf } from '../prices/account-card.ts';
import { readUsage } from '../read-usage.ts';
import { creditsOf } from './account-credits.ts';
import { readClosed } from './close-month.ts';
import { type InvoiceDocument, makeDocument } from './invoice-document.ts';
import { findLateUsage } from './late-usage.ts';
import { makeTerms, readParties } from './terms.ts';

/**
 * Reads the bill of a month; null for a month to come, and for an issue that there
 * is not. The running hour is in it as far as the ledger has heard of it.
 */
export async function getInvoice(
  core: Core,
  account: Account,
  period: BillingMonth,
  issue?: number,
): Promise<InvoiceDocument | null> {
  const { startMs, endMs } = monthBounds(period);
  if (startMs > core.ports.clock.nowMs()) return null;

  const closed = await readClosed(core, account, period, issue);
  if (closed !== null || issue !== undefined) return closed;
  return openInvoice(core, account, period, await readUsage(core, account.id, startMs, endMs));
}

/**
 * Makes the bill of this usage by the account's card and credits; it is not stored.
 */
export async function openInvoice(
  core: Core,
  account: Account,
  period: BillingMonth,
  usage: Usage,
): Promise<InvoiceDocument> {
  const billing = await core.ports.directory.call('getAccountBilling', { accountId: account.id });
  const card = await rateCardOf(core, billing.cards, monthText(period));
  const { currency } = card;
  const [late, { parties }] = await Promise.all([
    findLateUsage(core, account.id, { period, billing, currency }),
    readParties(core, account.id),
  ]);
  const credits = creditsOf(billing, period, currency);
  const terms = makeTerms(account, parties, null);
  return makeDocument({ account, period, usage, card, credits, late, terms, closedAtMs: null });
}
