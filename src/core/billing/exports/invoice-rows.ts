// A bill as rows that people read: the same for CSV, HTML and PDF, so that all three say the same. No format here.
import { formatDecimal, formatMicro, MICRO } from '../decimal.ts';
import type { InvoiceLine } from '../invoice.ts';
import type { InvoiceDocument } from '../invoice-document.ts';
import { dayText, monthBounds } from '../month.ts';
import { isInByteTime, type MeterName } from '../usage.ts';

/**
 * One part of a line, what is saved of one, the minimum, or a credit. Numbers are decimals; `unit` and `price` are
 * empty where there is none.
 */
export type InvoiceRow = {
  readonly kind: 'usage' | 'saving' | 'minimum' | 'credit' | 'unpriced';
  readonly label: string;
  readonly quantity: string;
  readonly unit: string;
  readonly price: string;
  readonly amount: string;
};

/** What costs nothing and has a plain name: what it is called on a bill, and its unit. */
const FREE_TITLES: ReadonlyMap<MeterName, readonly [title: string, unit: string]> = new Map([
  ['free/blocked', ['Refused requests of strangers', 'requests']],
  ['free/stale-uploads', ['Unfinished uploads given up', 'uploads']],
  ['free/stale-upload-bytes', ['Storage that giving them up freed', 'bytes']],
]);

/** All that was used, tier by tier, with what is free; then the minimum, credits, and what costs nothing. */
export function invoiceRows({ invoice }: InvoiceDocument): readonly InvoiceRow[] {
  const used = invoice.lines.flatMap((line) => (line.saving === null ? usedRows(line) : [savedRow(line)]));
  const minimum = { kind: 'minimum' as const, label: 'Minimum of the month', quantity: '', unit: '', price: '' };
  const credits = invoice.credits.map(({ label, amountMicro }) => ({
    kind: 'credit' as const,
    label: `Credit: ${label}`,
    quantity: '',
    unit: '',
    price: '',
    amount: formatMicro(-amountMicro, 6),
  }));
  const unpriced = [...invoice.unpriced].map(([meter, quantity]) => ({
    kind: 'unpriced' as const,
    label: FREE_TITLES.get(meter)?.[0] ?? meter,
    quantity: String(quantity),
    unit: FREE_TITLES.get(meter)?.[1] ?? (isInByteTime(meter) ? 'byte-hour' : ''),
    price: '0',
    amount: formatMicro(0n, 6),
  }));
  const least = invoice.minimumMicro === 0n ? [] : [{ ...minimum, amount: formatMicro(invoice.minimumMicro, 6) }];
  return [...used, ...least, ...credits, ...unpriced];
}

function usedRows(line: InvoiceLine): readonly InvoiceRow[] {
  return line.parts.map(({ tier, units, price, amountMicro }) => ({
    kind: 'usage',
    label: tier === null ? `${line.label}, included` : line.label,
    quantity: formatDecimal(units),
    unit: line.unitName,
    price: formatDecimal(price),
    amount: formatMicro(amountMicro, 6),
  }));
}

/** One row: it may save in several tiers at once, so that it has no price of its own. */
function savedRow({ label, units, unitName, amountMicro }: InvoiceLine): InvoiceRow {
  const amount = formatMicro(amountMicro, 6);
  return { kind: 'saving', label, quantity: formatDecimal(units), unit: unitName, price: '', amount };
}

/** Digits behind the point of a currency's smallest coin. */
function coinDigits(currency: string): number {
  const { maximumFractionDigits } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  return Math.min(maximumFractionDigits ?? 2, 6);
}

/** What is paid: the total, rounded down to a coin, so in the customer's favour. A decimal. */
export function payable({ invoice }: Pick<InvoiceDocument, 'invoice'>): string {
  const digits = coinDigits(invoice.currency);
  const coin = MICRO / 10n ** BigInt(digits);
  return formatMicro((invoice.totalMicro / coin) * coin, digits);
}

/** The month as days, both of them in it: `2026-11-01` and `2026-11-30`. */
export function periodDays({ invoice }: Pick<InvoiceDocument, 'invoice'>): {
  readonly first: string;
  readonly last: string;
} {
  const { startMs, endMs } = monthBounds(invoice.period);
  return { first: dayText(startMs), last: dayText(endMs - 1) };
}
