// A bill as CSV for spreadsheets: one row for each part of a line, and a total.
// Called by the JSON API; the rows are those of every format (invoice-rows.ts).
import { formatCoins } from '../coins.ts';
import { formatMicro } from '../decimal.ts';
import { type InvoiceDocument, payable } from '../invoices/invoice-document.ts';
import { amountsOf } from '../invoices/terms.ts';
import { csvText } from './csv.ts';
import { invoiceRows, periodDays } from './invoice-rows.ts';

const HEAD = [
  'invoice',
  'account',
  'account_name',
  'period_first_day',
  'period_last_day',
  'kind',
  'label',
  'quantity',
  'unit',
  'unit_price',
  'amount',
  'currency',
];

/**
 * Writes a bill as CSV. Amounts have six digits behind the point and add up to the
 * row `total`; `net` is that rounded down to a coin, `payable` is net and tax.
 */
export function invoiceCsv(document: InvoiceDocument): string {
  const { number, accountId, accountName, invoice } = document;
  const { first, last } = periodDays(document);
  const before = [number, accountId, accountName, first, last];
  const rows = invoiceRows(document).map((row) => [
    ...before,
    row.kind,
    row.label,
    row.quantity,
    row.unit,
    row.price,
    row.amount,
    invoice.currency,
  ]);
  const sum = (kind: string, amount: string) => [
    ...before,
    kind,
    '',
    '',
    '',
    '',
    amount,
    invoice.currency,
  ];

  const { currency, totalMicro } = invoice;
  const total = sum('total', formatMicro(totalMicro, 6));
  const { netMicro, taxMicro } = amountsOf(totalMicro, currency, document.terms);
  const hasTax = document.terms !== null && document.terms.taxPercent !== '0';
  const taxed = hasTax
    ? [sum('net', formatCoins(netMicro, currency)), sum('tax', formatCoins(taxMicro, currency))]
    : [];
  return csvText([HEAD, ...rows, total, ...taxed, sum('payable', payable(document))]);
}
