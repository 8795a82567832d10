// A bill as rows that people read. CSV, HTML and PDF are all made of them, so that
// the three say the same. No format here.
import { formatDecimal, formatMicro } from '../decimal.ts';
import type { InvoiceLine, LateUsage } from '../invoices/invoice.ts';
import type { InvoiceDocument } from '../invoices/invoice-document.ts';
import { dayText, monthBounds, monthText } from '../month.ts';
import { meterWords } from './meter-words.ts';

/**
 * A row of a bill: a part of a line, a saving, the minimum, late usage, or a
 * credit. Numbers are decimals; `unit` and `price` are empty where there is none.
 */
export type InvoiceRow = {
  readonly kind: 'usage' | 'saving' | 'minimum' | 'late' | 'credit' | 'unpriced';
  readonly label: string;
  readonly quantity: string;
  readonly unit: string;
  readonly price: string;
  readonly amount: string;
};

/**
 * The rows of a bill: usage tier by tier with what is free, then the minimum, late
 * usage, credits, and usage without a price.
 */
export function invoiceRows({ invoice }: InvoiceDocument): readonly InvoiceRow[] {
  const used = invoice.lines.flatMap((line) =>
    line.saving === null ? usedRows(line) : [savedRow(line)],
  );
  const minimum =
    invoice.minimumMicro === 0n
      ? []
      : [amountRow('minimum', 'Minimum of the month', invoice.minimumMicro)];
  const late = invoice.late.flatMap(lateRows);
  const credits = invoice.credits.map(({ label, amountMicro }) =>
    amountRow('credit', `Credit: ${label}`, -amountMicro),
  );
  const unpriced = [...invoice.unpriced].map(([meter, quantity]) => ({
    kind: 'unpriced' as const,
    ...meterWords(meter, quantity),
    price: '0',
    amount: formatMicro(0n, 6),
  }));
  return [...used, ...minimum, ...late, ...credits, ...unpriced];
}

/** A row that is an amount alone, without quantity and price. */
export function amountRow(
  kind: InvoiceRow['kind'],
  label: string,
  amountMicro: bigint,
): InvoiceRow {
  return { kind, label, quantity: '', unit: '', price: '', amount: formatMicro(amountMicro, 6) };
}

/**
 * Rows of late usage: one for each line that changed, and one for the change of the
 * minimum.
 */
function lateRows({ period, lines, minimumMicro }: LateUsage): readonly InvoiceRow[] {
  const suffix = `late usage of ${monthText(period)}`;
  const rows = lines.map(({ label, units, unitName, amountMicro }) => ({
    kind: 'late' as const,
    label: `${label}, ${suffix}`,
    quantity: formatDecimal(units),
    unit: unitName,
    price: '',
    amount: formatMicro(amountMicro, 6),
  }));
  if (minimumMicro === 0n) return rows;
  return [...rows, amountRow('late', `Minimum of the month, ${suffix}`, minimumMicro)];
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

/**
 * The row of a saving: it may save in several tiers at once, so it has no price of
 * its own.
 */
function savedRow({ label, units, unitName, amountMicro }: InvoiceLine): InvoiceRow {
  return {
    kind: 'saving',
    label,
    quantity: formatDecimal(units),
    unit: unitName,
    price: '',
    amount: formatMicro(amountMicro, 6),
  };
}

/** First and last day of the month: `2026-11-01` and `2026-11-30`. */
export function periodDays({ invoice }: Pick<InvoiceDocument, 'invoice'>): {
  readonly first: string;
  readonly last: string;
} {
  const { startMs, endMs } = monthBounds(invoice.period);
  return { first: dayText(startMs), last: dayText(endMs - 1) };
}
