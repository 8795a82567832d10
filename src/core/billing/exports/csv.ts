// CSV text that spreadsheets can open without running anything in it. Source: RFC
// 4180; OWASP, CSV Injection
// (https://owasp.org/www-community/attacks/CSV_Injection).

/** Null is an empty cell. */
export type CsvCell = string | null;

/**
 * The beginning of a formula for spreadsheets (CSV injection), fullwidth forms
 * included, spaces before it or not.
 */
const FORMULA = /^[\s\u3000]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const NUMBER = /^-?\d+(\.\d+)?$/;
const NEEDS_QUOTES = /[",;\r\n\t]|^\s|\s$/;

/**
 * Writes CSV with lines that end in CR LF. A text that a spreadsheet would run gets
 * an apostrophe before it; numbers stay numbers.
 */
export function csvText(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  const safe = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
