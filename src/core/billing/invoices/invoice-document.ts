// The bill of an account for a month as a document: with everything that it was
// made from, so that anybody can make it again from the document alone. Closed
// bills are stored as JSON and never change; that of an open month is made for each
// call.
import { sha256Hex } from '../../../crypto/hash.ts';
import type { Usage } from '../../metering/usage.ts';
import { formatCoins } from '../coins.ts';
import { type BillingMonth, monthText } from '../month.ts';
import type { RateCard } from '../prices/rate-card.ts';
import { type Credit, type Invoice, type LateUsage, makeInvoice } from './invoice.ts';
import { priceLateUsage } from './price-late-usage.ts';
import { amountsOf, type Terms } from './terms.ts';

export type InvoiceDocument = {
  /**
   * Number in its series, as the directory gave it; an open month's names account
   * and month.
   */
  readonly number: string;
  readonly accountId: string;
  readonly accountName: string;
  /** When the month was closed; null while it is open. */
  readonly closedAtMs: number | null;
  /** 0, and one more for each bill that replaced a void one. */
  readonly issue: number;
  /** A void bill asks for nothing. */
  readonly isVoid: boolean;
  /** Null: from before bills had any. */
  readonly terms: Terms | null;
  /** The card and the usage that the invoice was made from, as they were then. */
  readonly card: RateCard;
  readonly usage: Usage;
  readonly invoice: Invoice;
};

export type InvoiceInput = {
  readonly account: { readonly id: string; readonly displayName: string };
  readonly period: BillingMonth;
  readonly usage: Usage;
  readonly card: RateCard;
  /** What may be taken off, in this order (credits.ts). */
  readonly credits: readonly Credit[];
  readonly late?: readonly LateUsage[];
  readonly terms?: Terms | null;
  readonly closedAtMs: number | null;
};

/**
 * Hex digits of an account's digest in a number, 48 bits: of 50,000 installations
 * with 100,000 accounts, one has two accounts that share them.
 */
const NUMBER_DIGITS = 12;

/**
 * The number of an open bill: `QS-2026-11-` and the beginning of the digest of the
 * account's id, which itself may be long.
 */
export function invoiceNumber(accountId: string, period: BillingMonth): string {
  return `QS-${monthText(period)}-${sha256Hex(accountId).slice(0, NUMBER_DIGITS)}`;
}

/**
 * Makes the document of a bill. Pure: equal input gives an equal document. Usage of
 * 0 is left out, and meters stand in byte order.
 */
export function makeDocument(input: InvoiceInput): InvoiceDocument {
  const used = [...input.usage]
    .filter(([, quantity]) => quantity !== 0n)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const usage: Usage = new Map(used);
  return {
    number: invoiceNumber(input.account.id, input.period),
    accountId: input.account.id,
    accountName: input.account.displayName,
    closedAtMs: input.closedAtMs,
    issue: 0,
    isVoid: false,
    terms: input.terms ?? null,
    card: input.card,
    usage,
    invoice: makeInvoice(usage, input.card, input.period, input.credits, input.late),
  };
}

/**
 * Makes the invoice again from the document's own usage, card, late usage and
 * credits. It equals the one in the document.
 */
export function recompute(document: InvoiceDocument): Invoice {
  const { usage, card, invoice } = document;
  return makeInvoice(
    usage,
    card,
    invoice.period,
    invoice.credits,
    invoice.late.map(priceLateUsage),
  );
}

/** The amount payable, tax included, in whole coins, as a decimal. */
export function payable({ invoice, terms }: Pick<InvoiceDocument, 'invoice' | 'terms'>): string {
  const { currency, totalMicro } = invoice;
  return formatCoins(amountsOf(totalMicro, currency, terms).payableMicro, currency);
}
