// Rows as CSV. Source: RFC 4180. A cell that a spreadsheet would take for a formula
// gets an apostrophe in front.
type Cell = string | number | null;

/** Beginnings that spreadsheets take for formulas. Source: OWASP, "CSV Injection". */
const FORMULA = /^[=+\-@\t\r]/;

export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');

function cellOf(cell: Cell): string {
  const text = cell === null ? '' : String(cell);
  const safe = typeof cell === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
