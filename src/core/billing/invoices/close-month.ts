// Makes the bill of an account for a month that is over, once and for good. Called
// by close-months.ts. Idempotent, also when two processes run it at once: the
// directory stores the first bill, and every caller gets that one.

import type { NewInvoice } from '../../../domain/billing/billing.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { Account } from '../../../domain/nouns.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import type { Core } from '../../core.ts';
import { isUsed } from '../../metering/usage.ts';
import { type BillingMonth, monthBounds, monthText } from '../month.ts';
import { rateCardOf } from '../prices/account-card.ts';
import { readUsage } from '../read-usage.ts';
import { creditsOf } from './account-credits.ts';
import { type InvoiceDocument, makeDocument } from './invoice-document.ts';
import { invoiceJson, parseStoredInvoice } from './invoice-json.ts';
import { findLateUsage } from './late-usage.ts';
import { makeTerms, readParties } from './terms.ts';

/**
 * Attempts at storing a bill while other months of the account are closed at once.
 */
const ATTEMPTS = 3;

/**
 * Whether a month can be closed: it ended so long ago that the ledger has what was
 * counted late.
 */
export function isDue(core: Core, period: BillingMonth, nowMs: number): boolean {
  return monthBounds(period).endMs + core.settings.billingCloseHours * HOUR_MS <= nowMs;
}

/**
 * Closes a month and returns its bill; null when the account used nothing and
 * nothing came late. What the ledger hears of the month afterwards stands on the
 * next bill. `isLast`: the account ends, so the month need not be over.
 * InvalidInput for a month that is not due, ConditionalRequestConflict when others
 * close at once.
 */
export async function closeMonth(
  core: Core,
  account: Account,
  period: BillingMonth,
  { isLast = false }: { readonly isLast?: boolean } = {},
): Promise<InvoiceDocument | null> {
  const { directory, clock } = core.ports;
  const closedAtMs = clock.nowMs();
  if (!isLast && !isDue(core, period, closedAtMs)) {
    throw new StorageError('InvalidInput', { detail: `${monthText(period)} can't be closed yet.` });
  }
  const { startMs, endMs } = monthBounds(period);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const closed = await readClosed(core, account, period);
    if (closed !== null) return closed;

    const billing = await directory.call('getAccountBilling', { accountId: account.id });
    const [card, usage, { parties }] = await Promise.all([
      rateCardOf(core, billing.cards, monthText(period)),
      readUsage(core, account.id, startMs, endMs),
      readParties(core, account.id),
    ]);

    const { currency } = card;
    const late = await findLateUsage(core, account.id, { period, billing, currency });
    const credits = creditsOf(billing, period, currency);
    const terms = makeTerms(account, parties, closedAtMs);
    const document = makeDocument({
      account,
      period,
      usage,
      card,
      credits,
      late,
      terms,
      closedAtMs,
    });
    if (!isUsed(document.usage) && document.invoice.late.length === 0) return null;

    const stored = await directory.call('keepInvoice', {
      accountId: account.id,
      ...newInvoice(document, parties.issuer.invoicePrefix),
      uses: document.invoice.credits.map(({ id, amountMicro }) => ({
        creditId: id,
        amountMicro: String(amountMicro),
      })),
      invoiceCount: billing.invoiceCount,
    });
    if (stored !== null) return parseStoredInvoice(stored);
  }
  throw new StorageError('ConditionalRequestConflict');
}

/**
 * Reads the bill as it was closed, the last issue unless one is named; null: the
 * month is open. Cost: one directory read.
 */
export async function readClosed(
  core: Core,
  account: Account,
  period: BillingMonth,
  issue?: number,
): Promise<InvoiceDocument | null> {
  const input = {
    accountId: account.id,
    period: monthText(period),
    ...(issue === undefined ? {} : { issue }),
  };
  const stored = await core.ports.directory.call('getInvoice', input);
  return stored === null ? null : parseStoredInvoice(stored);
}

/** The row that the directory stores of a bill. */
export function newInvoice(document: InvoiceDocument, prefix: string): NewInvoice {
  const { invoice, closedAtMs } = document;
  const head = {
    period: monthText(invoice.period),
    currency: invoice.currency,
    totalMicro: String(invoice.totalMicro),
    closedAtMs: closedAtMs ?? 0,
  };
  return { head, json: JSON.stringify(invoiceJson(document)), prefix };
}
