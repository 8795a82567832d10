// A bill as rows that people read: the same for CSV, HTML and PDF, so that all three say the same.
// No format here.
import { formatDecimal, formatMicro } from '../decimal.ts';
import type { InvoiceLine, LateUsage } from '../invoices/invoice.ts';
import type { InvoiceDocument } from '../invoices/invoice-document.ts';
import { dayText, monthBounds, monthText } from '../month.ts';
import { meterWords } from './meter-words.ts';

/**
 * One part of a line, what is saved of one, the minimum, late usage, or a credit. Numbers are
 * decimals; `unit` and `price` are empty where there is none.
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
 * All that was used, tier by tier, with what is free; then the minimum, late usage, credits, and
 * what costs nothing.
 */
export function invoiceRows({ invoice }: InvoiceDocument): readonly InvoiceRow[] {
  const used = invoice.lines.flatMap((line) =>
    line.saving === null ? usedRows(line) : [savedRow(line)],
  );
  const minimum = {
    kind: 'minimum' as const,
    label: 'Minimum of the month',
    quantity: '',
    unit: '',
    price: '',
  };
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
    ...meterWords(meter, quantity),
    price: '0',
    amount: formatMicro(0n, 6),
  }));
  const least =
    invoice.minimumMicro === 0n
      ? []
      : [{ ...minimum, amount: formatMicro(invoice.minimumMicro, 6) }];
  return [...used, ...least, ...invoice.late.flatMap(lateRows), ...credits, ...unpriced];
}

/**
 * A row for each line of the month that came to more, and one for what is now not missing of its
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
  const minimum = {
    kind: 'late' as const,
    label: `Minimum of the month, ${suffix}`,
    quantity: '',
    unit: '',
    price: '',
  };
  return [...rows, { ...minimum, amount: formatMicro(minimumMicro, 6) }];
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
  return {
    kind: 'saving',
    label,
    quantity: formatDecimal(units),
    unit: unitName,
    price: '',
    amount,
  };
}

/** The month as days, both of them in it: `2026-11-01` and `2026-11-30`. */
export function periodDays({ invoice }: Pick<InvoiceDocument, 'invoice'>): {
  readonly first: string;
  readonly last: string;
} {
  const { startMs, endMs } = monthBounds(invoice.period);
  return { first: dayText(startMs), last: dayText(endMs - 1) };
}
