// A bill or credit note as one HTML page to read and to print. No script, no other
// file, nothing unescaped: names of accounts and labels of cards are other people's
// texts. sheet.ts says what stands on it.
import { escapeHtml } from '../../escape-html.ts';
import type { Sheet } from './sheet.ts';

const STYLE = `
  body {
    font: 11pt/1.4 system-ui, sans-serif; color: #111; background: #fff;
    max-width: 52rem; margin: 2rem auto; padding: 0 1rem;
  }
  h1 { font-size: 1.5rem; margin: 0 0 .2rem; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
  dd { margin: 0; overflow-wrap: anywhere; }
  td:first-child { overflow-wrap: anywhere; }
  table { border-collapse: collapse; width: 100%; margin: 1.2rem 0; }
  caption { text-align: left; font-weight: 600; }
  th, td {
    text-align: left; padding: .3rem .5rem; border-bottom: 1px solid #ddd; vertical-align: top;
  }
  .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  tfoot th, tfoot td { border-bottom: 0; font-weight: 600; }
  tr { break-inside: avoid; }
  thead { display: table-header-group; }
  small, footer { color: #555; }
  footer { font-size: .85rem; }
  @page { margin: 18mm; }
  @media print { body { margin: 0; max-width: none; padding: 0; } }`;

/**
 * Columns of numbers, right of the item; the amount's follows, under the name of
 * the currency.
 */
const NUMBER_COLUMNS = ['Quantity', 'Unit', 'Price'];

/** Writes a sheet as an HTML page in English. */
export function sheetHtml(sheet: Sheet): string {
  const facts = sheet.facts.map(([name, value]) => `<dt>${name}</dt><dd>${text(value)}</dd>`);
  const heads = [...NUMBER_COLUMNS, sheet.currency].map(
    (name) => `<th scope="col" class="n">${name}</th>`,
  );
  const rows = sheet.rows.map((row) => {
    const cells = [row.quantity, row.unit, row.price, row.amount].map(
      (cell) => `<td class="n">${escapeHtml(cell)}</td>`,
    );
    return `<tr><td>${text(row.label)}</td>${cells.join('')}</tr>`;
  });
  const sums = sheet.sums.map(([name, amount]) => {
    const head = `<th scope="row" colspan="4">${escapeHtml(name)}</th>`;
    return `<tr>${head}<td class="n">${amount}</td></tr>`;
  });
  const notes = sheet.notes.map((note) => `<p>${text(note)}</p>`);

  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(sheet.title)}</title>
<style>${STYLE}
</style>
</head>
<body>
<h1>${escapeHtml(sheet.title)}</h1>
<dl>${facts.join('')}</dl>
<table>
<caption>${sheet.caption}</caption>
<thead><tr><th scope="col">Item</th>${heads.join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
<tfoot>
${sums.join('\n')}
</tfoot>
</table>
<footer>${notes.join('')}</footer>
</body>
</html>
`;
}

/**
 * Escapes other people's text, and isolates the direction of each line: a name may
 * be written from right to left.
 */
function text(value: string): string {
  return value
    .split('\n')
    .map((line) => `<bdi>${escapeHtml(line)}</bdi>`)
    .join('<br>');
}
