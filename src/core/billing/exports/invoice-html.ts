// A bill as one HTML page to read and to print. No script, no other file, nothing unescaped: names of accounts and labels
// of cards are other people's texts.
import { escapeHtml } from '../../escape-html.ts';
import { formatMicro } from '../decimal.ts';
import type { InvoiceDocument } from '../invoice-document.ts';
import { dayText } from '../month.ts';
import { invoiceRows, payable, periodDays } from './invoice-rows.ts';

const STYLE = `
  body { font: 11pt/1.4 system-ui, sans-serif; color: #111; background: #fff; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; margin: 0 0 .2rem; } dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
  dd { margin: 0; } table { border-collapse: collapse; width: 100%; margin: 1.2rem 0; } caption { text-align: left; font-weight: 600; }
  th, td { text-align: left; padding: .3rem .5rem; border-bottom: 1px solid #ddd; vertical-align: top; }
  .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; } tfoot th, tfoot td { border-bottom: 0; font-weight: 600; }
  tr { break-inside: avoid; } thead { display: table-header-group; } small, footer { color: #555; } footer { font-size: .85rem; }
  @page { margin: 18mm; } @media print { body { margin: 0; max-width: none; padding: 0; } }`;

/** `issuer`: who sends the bill. The page is in English. */
export function invoiceHtml(document: InvoiceDocument, issuer: string): string {
  const { invoice, card } = document;
  const { first, last } = periodDays(document);
  const isOpen = document.closedAtMs === null;
  const title = `${isOpen ? 'Open bill' : 'Invoice'} ${document.number}`;
  const facts: readonly (readonly [string, string])[] = [
    ['From', issuer],
    ['Account', `${document.accountName} (${document.accountId})`],
    ['Period', `${first} to ${last}, UTC`],
    ['Closed', document.closedAtMs === null ? 'not yet: the month is not over' : dayText(document.closedAtMs)],
    ['Prices', `${card.name}, as of ${card.asOf}`],
  ];
  const rows = invoiceRows(document).map((row) => {
    const cells = [row.quantity, row.unit, row.price, row.amount];
    return `<tr><td>${escapeHtml(row.label)}</td>${cells.map((cell) => `<td class="n">${escapeHtml(cell)}</td>`).join('')}</tr>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${STYLE}
</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>
<table>
<caption>What was used</caption>
<thead><tr><th scope="col">Item</th><th scope="col" class="n">Quantity</th><th scope="col" class="n">Unit</th><th scope="col" class="n">Price</th><th scope="col" class="n">${invoice.currency}</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
<tfoot>
<tr><th scope="row" colspan="4">Total</th><td class="n">${formatMicro(invoice.totalMicro, 6)}</td></tr>
<tr><th scope="row" colspan="4">To pay, rounded down to a coin</th><td class="n">${payable(document)}</td></tr>
</tfoot>
</table>
<footer>${[`Prices from ${card.source}`, ...card.notes].map((note) => `<p>${escapeHtml(note)}</p>`).join('')}</footer>
</body>
</html>
`;
}
