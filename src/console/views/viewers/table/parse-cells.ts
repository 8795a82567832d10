// Cells of CSV and TSV: RFC 4180, and what programs write beside it. One pass from
// the left over text of strangers: no quote makes it look at a letter twice.

export type ParsedRows = {
  readonly rows: string[][];
  /** Where the first row begins that is not whole. */
  readonly end: number;
};

/** Cells of a row that are kept: the table shows no more columns. */
export const ROW_CELLS_MAX = 200;

/**
 * Rows of a text. A row is whole when its line has ended, or when the text is all
 * there is (`isLast`). A quote within a cell that has not begun with one is a letter;
 * what stands behind a closing quote belongs to the cell.
 */
export function parseRows(
  text: string,
  delimiter: string,
  newline: '\r\n' | '\n' | '\r',
  isLast: boolean,
): ParsedRows {
  const rows: string[][] = [];
  let row: string[] = [];
  let end = 0;
  let at = 0;
  // Each is searched for again only when it is passed, so that all searches are one pass.
  const delimiters = createFinder(text, delimiter);
  const newlines = createFinder(text, newline);
  const quotes = createFinder(text, '"');
  while (at < text.length) {
    const quoted = text[at] === '"' ? readQuoted(text, at, quotes) : null;
    // A quote that is not closed: the row goes on in the next page, if there is one.
    if (quoted?.isClosed === false && !isLast) return { rows, end };
    const from = quoted?.end ?? at;
    const nextDelimiter = delimiters.from(from);
    const nextNewline = newlines.from(from);
    const next = Math.min(nextDelimiter, nextNewline);
    if (next === text.length && !isLast) return { rows, end };
    if (row.length < ROW_CELLS_MAX) row.push((quoted?.text ?? '') + text.slice(from, next));
    if (nextDelimiter < nextNewline) {
      at = next + delimiter.length;
      // Nothing behind the last delimiter is a cell too.
      if (at === text.length && isLast && row.length < ROW_CELLS_MAX) row.push('');
      continue;
    }
    at = Math.min(text.length, next + newline.length);
    rows.push(row);
    row = [];
    end = at;
  }
  if (row.length > 0 && isLast) rows.push(row);
  return { rows, end: isLast ? text.length : end };
}

type Finder = { from(at: number): number };

/** Finds the next place of a text at or behind a place that only grows; else the end. */
function createFinder(text: string, wanted: string): Finder {
  let found = -1;
  return {
    from(at) {
      if (found < at) {
        const next = text.indexOf(wanted, at);
        found = next === -1 ? text.length : next;
      }
      return found;
    },
  };
}

type Quoted = { readonly text: string; readonly end: number; readonly isClosed: boolean };

/** The text between quotes; two of them are one. `end`: behind the closing quote. */
function readQuoted(text: string, from: number, quotes: Finder): Quoted {
  const parts: string[] = [];
  let start = from + 1;
  for (;;) {
    const quote = quotes.from(start);
    parts.push(text.slice(start, quote));
    if (quote === text.length) return { text: parts.join(''), end: quote, isClosed: false };
    if (text[quote + 1] !== '"') return { text: parts.join(''), end: quote + 1, isClosed: true };
    parts.push('"');
    start = quote + 2;
  }
}
