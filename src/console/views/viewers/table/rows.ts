// Rows of a CSV or TSV file out of its pages: encoding, delimiter and line ends are
// guessed by the first one; a row that is cut between two pages is put together.
import { createDecoder, type Encoding } from '../text/decode.ts';
import { parseRows } from './parse-cells.ts';

export type RowReader = {
  /** Whole rows of the next page. */
  read(page: Uint8Array, isLast: boolean): string[][];
  encoding(): Encoding;
  delimiter(): string;
};

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Text by which the delimiter is guessed, characters. */
const GUESSED_LENGTH = 16_384;
/** A row longer than this is no row: its quotes are broken. Characters. */
const ROW_LENGTH_MAX = 4_000_000;

/** Reads rows of tables; `name` may say what stands between the cells. */
export function createRowReader(name: string): RowReader {
  const decoder = createDecoder();
  let rest = '';
  let delimiter = '';
  let newline: '\r\n' | '\n' | '\r' = '\n';
  return {
    encoding: decoder.encoding,
    delimiter: () => delimiter,
    read(page, isLast) {
      const decoded = decoder.decode(page, isLast);
      const text = rest === '' && delimiter === '' ? withoutMark(decoded) : rest + decoded;
      if (delimiter === '') {
        delimiter = /\.(?:tsv|tab)$/i.test(name) ? '\t' : guessDelimiter(text);
        newline = guessNewline(text);
      }
      const parsed = parseRows(text, delimiter, newline, isLast);
      const isBroken = text.length - parsed.end > ROW_LENGTH_MAX;
      const { rows, end } = isBroken ? parseRows(text, delimiter, newline, true) : parsed;
      rest = text.slice(end);
      return rows.filter(isNotEmpty);
    },
  };
}

/** An empty line is no row. */
const isNotEmpty = (row: readonly string[]): boolean => row.length > 1 || row[0] !== '';

const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

/** What gives the most rows of one width, of more than one cell. */
function guessDelimiter(text: string): string {
  const head = text.slice(0, GUESSED_LENGTH);
  let best: { readonly delimiter: string; readonly score: number } = { delimiter: ',', score: 0 };
  for (const delimiter of DELIMITERS) {
    const { rows } = parseRows(head, delimiter, guessNewline(head), true);
    // The last of several rows may be cut.
    const isCut = text.length > head.length && rows.length > 1;
    const widths = rows.slice(0, isCut ? -1 : undefined).map((row) => row.length);
    const first = widths[0] ?? 1;
    const alike = widths.filter((width) => width === first).length;
    const score = first < 2 ? 0 : (alike / Math.max(1, widths.length)) * 100 + Math.min(first, 20);
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

function guessNewline(text: string): '\r\n' | '\n' | '\r' {
  if (text.includes('\r\n')) return '\r\n';
  return text.includes('\n') || !text.includes('\r') ? '\n' : '\r';
}
