// Makes the bill of an account for a month that is over, once and for good. Called by close-months.ts; may be repeated,
// and run in two places at once: the directory keeps the first bill, and everybody gets that one.
import type { Account } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import { HOUR_MS } from '../../ports/time.ts';
import type { Core } from '../core.ts';
import { rateCardOf } from './account-card.ts';
import { creditsOf } from './account-credits.ts';
import type { BillingMonth } from './invoice.ts';
import { type InvoiceDocument, makeDocument } from './invoice-document.ts';
import { type InvoiceJson, invoiceJson, parseInvoiceJson } from './invoice-json.ts';
import { monthBounds, monthText } from './month.ts';
import { readUsage } from './read-usage.ts';
import { isUsed } from './usage.ts';

/** Closings of other months of the account that may come between. */
const ATTEMPTS = 3;

/** Whether a month can be closed: it is over for so long that the ledger has what was counted late. */
export function isDue(core: Core, period: BillingMonth, nowMs: number): boolean {
  return monthBounds(period).endMs + core.settings.billingCloseHours * HOUR_MS <= nowMs;
}

/**
 * The closed bill; null for a month in which the account used nothing, which has none. What the ledger hears of the month
 * later is not billed. `isLast`: the account ends, so the month need not be over. InvalidInput for a month that is not due,
 * ConditionalRequestConflict when others close at once.
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
    const kept = await readClosed(core, account, period);
    if (kept !== null) return kept;
    const billing = await directory.call('getAccountBilling', { accountId: account.id });
    const [card, usage] = await Promise.all([
      rateCardOf(core, billing.cards, monthText(period)),
      readUsage(core, account.id, startMs, endMs),
    ]);
    const credits = creditsOf(billing, period, card.currency);
    const document = makeDocument({ account, period, usage, card, credits, closedAtMs });
    if (!isUsed(document.usage)) return null;
    const json = await keep(core, account, document, billing.invoiceCount);
    if (json !== null) return parseInvoiceJson(JSON.parse(json) as InvoiceJson);
  }
  throw new StorageError('ConditionalRequestConflict');
}

/** The bill as it was closed; null: it was not. Cost: one directory read. */
export async function readClosed(core: Core, account: Account, period: BillingMonth): Promise<InvoiceDocument | null> {
  const input = { accountId: account.id, period: monthText(period) };
  const json = await core.ports.directory.call('getInvoice', input);
  return json === null ? null : parseInvoiceJson(JSON.parse(json) as InvoiceJson);
}

function keep(core: Core, { id: accountId }: Account, document: InvoiceDocument, invoiceCount: number) {
  const { number, invoice } = document;
  return core.ports.directory.call('keepInvoice', {
    accountId,
    head: {
      period: monthText(invoice.period),
      number,
      currency: invoice.currency,
      totalMicro: String(invoice.totalMicro),
      closedAtMs: document.closedAtMs ?? 0,
    },
    json: JSON.stringify(invoiceJson(document)),
    uses: invoice.credits.map(({ id, amountMicro }) => ({ creditId: id, amountMicro: String(amountMicro) })),
    invoiceCount,
  });
}
