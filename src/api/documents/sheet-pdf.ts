// A bill or credit note as PDF, laid out from the sheet that its page is made of. A
// bill with a letter that no font has is refused, and printed from the page
// (docs/adr/0037-numbered-bills-and-their-terms.md). The first PDF loads it: the
// package takes 150 ms.
import type { PDFDocument, PDFPage } from '@cantoo/pdf-lib';
import type { Sheet } from '../../core/billing/exports/sheet.ts';
import type { DocumentFonts } from '../../ports/document-fonts.ts';
import { embedTypefaces, type Texts, type Typeface, type Typefaces } from './typefaces.ts';

/** A4 in points. */
const PAGE = { width: 595, height: 842, margin: 48 } as const;
const RIGHT = PAGE.width - PAGE.margin;
const SIZE = 9;
const LINE = 13;
const NOTE_SIZE = 7;
/** Left edge of the values of facts. */
const FACT_LEFT = PAGE.margin + 70;
/**
 * Right edges of the columns of numbers; what is to the left of the first is for
 * the label.
 */
const EDGES = { quantity: 330, unit: 400, price: 470, amount: RIGHT } as const;
const LABEL_WIDTH = 200;
/** A longer label is cut: a document of other people's texts stays bounded. */
const LABEL_LINES_MAX = 4;
/** Heads of the table; the head of the amounts is the currency. */
const HEAD = { label: 'Item', quantity: 'Quantity', unit: 'Unit', price: 'Price' } as const;

/**
 * Makes a PDF file; a sheet always gives the same one. `fonts` are for letters that
 * the standard fonts lack; null: the platform has none. NotImplemented for letters
 * that are in no font.
 */
export async function sheetPdf(
  decomposed: Sheet,
  fonts: DocumentFonts | null,
): Promise<Uint8Array<ArrayBuffer>> {
  const library = await import('@cantoo/pdf-lib');
  const pdf = await library.PDFDocument.create();
  const sheet = composed(decomposed);
  const { regular, bold } = await embedTypefaces(pdf, textsOf(sheet), fonts);
  setProperties(pdf, sheet);

  const pen = createPen(() => pdf.addPage([PAGE.width, PAGE.height]), { regular, bold });
  pen.line([{ text: sheet.title, x: PAGE.margin }], { size: 16, font: bold, height: 26 });
  drawFacts(pen, sheet, regular);
  drawTable(pen, sheet, { regular, bold });
  drawNotes(pen, sheet, regular);
  return pdf.save({ useObjectStreams: false });
}

function setProperties(pdf: PDFDocument, { title, author, madeAtMs }: Sheet): void {
  const madeAt = new Date(madeAtMs);
  pdf.setTitle(title);
  pdf.setAuthor(author);
  pdf.setProducer('Quayside');
  pdf.setCreator('Quayside');
  pdf.setCreationDate(madeAt);
  pdf.setModificationDate(madeAt);
}

function drawFacts(pen: Pen, { facts }: Sheet, font: Typeface): void {
  for (const [name, value] of facts) {
    const lines = value.split('\n').flatMap((line) => wrapped(font, line, RIGHT - FACT_LEFT, SIZE));
    for (const [index, text] of lines.entries()) {
      const label = index === 0 ? [{ text: name, x: PAGE.margin }] : [];
      pen.line([...label, { text, x: FACT_LEFT }]);
    }
  }
}

function drawNotes(pen: Pen, { notes }: Sheet, font: Typeface): void {
  for (const note of notes.flatMap((text) => text.split('\n'))) {
    for (const text of wrapped(font, note, RIGHT - PAGE.margin, NOTE_SIZE)) {
      pen.line([{ text, x: PAGE.margin }], { size: NOTE_SIZE, height: 10 });
    }
  }
}

/** The sheet with each letter and its accent in one, as fonts have them (NFC). */
function composed(sheet: Sheet): Sheet {
  return {
    ...sheet,
    title: sheet.title.normalize(),
    author: sheet.author.normalize(),
    facts: sheet.facts.map(([name, value]) => [name, value.normalize()]),
    rows: sheet.rows.map((row) => ({
      ...row,
      label: row.label.normalize(),
      unit: row.unit.normalize(),
    })),
    notes: sheet.notes.map((note) => note.normalize()),
  };
}

/** All texts that are printed, by weight. */
function textsOf({ title, currency, facts, rows, sums, notes }: Sheet): Texts {
  const numbers = rows.flatMap(({ label, quantity, unit, price, amount }) => [
    label,
    quantity,
    unit,
    price,
    amount,
  ]);
  return {
    regular: [...facts.flat(), ...numbers, ...notes],
    bold: [title, currency, ...Object.values(HEAD), ...sums.flat()],
  };
}

function drawTable(pen: Pen, sheet: Sheet, { regular, bold }: Typefaces): void {
  const { label, ...head } = HEAD;
  const drawHead = (): void => {
    pen.line(cells(label, { ...head, amount: sheet.currency }), { font: bold });
    pen.rule();
  };
  pen.space(LINE);
  drawHead();
  for (const row of sheet.rows) {
    const [first = '', ...rest] = wrapped(regular, row.label, LABEL_WIDTH, SIZE).slice(
      0,
      LABEL_LINES_MAX,
    );
    if (pen.need(LINE * (1 + rest.length))) drawHead();
    pen.line(cells(first, row));
    for (const text of rest) pen.line([{ text, x: PAGE.margin }]);
  }
  pen.need(LINE * (2 + sheet.sums.length));
  pen.rule();
  for (const [name, amount] of sheet.sums) pen.line(cells(name, { amount }), { font: bold });
  pen.space(LINE);
}

type Cell = { readonly text: string; readonly x?: number; readonly right?: number };

function cells(
  label: string,
  numbers: Partial<Record<keyof typeof EDGES, string>>,
): readonly Cell[] {
  const edges = Object.entries(EDGES) as [keyof typeof EDGES, number][];
  return [
    { text: label, x: PAGE.margin },
    ...edges.map(([name, right]) => ({ text: numbers[name] ?? '', right })),
  ];
}

type Pen = ReturnType<typeof createPen>;

/** A pen writes from the top to the bottom, and goes on on the next page. */
function createPen(addPage: () => PDFPage, fonts: Typefaces) {
  let page = addPage();
  let y = PAGE.height - PAGE.margin;
  const need = (height: number): boolean => {
    if (y - height >= PAGE.margin) return false;
    page = addPage();
    y = PAGE.height - PAGE.margin;
    return true;
  };
  return {
    /**
     * Begins a new page where the rest of this one is lower than that, and says
     * whether it did.
     */
    need,
    line(texts: readonly Cell[], { size = SIZE, font = fonts.regular, height = LINE } = {}): void {
      need(height);
      y -= height;
      for (const { text, x, right } of texts) {
        const left = right === undefined ? (x ?? PAGE.margin) : right - font.width(text, size);
        font.draw(page, text, { x: left, y, size });
      }
    },
    rule(): void {
      need(LINE / 2);
      y -= LINE / 2;
      page.drawLine({ start: { x: PAGE.margin, y }, end: { x: RIGHT, y }, thickness: 0.5 });
    },
    space(height: number): void {
      y -= height;
    },
  };
}

/**
 * Lines of whole words that are no wider than `width`; a word that is wider is
 * broken.
 */
function wrapped(font: Typeface, text: string, width: number, size: number): readonly string[] {
  const fits = (line: string): boolean => font.width(line, size) <= width;
  const lines: string[] = [];
  for (const word of text.split(/\s+/).flatMap((each) => broken(each, fits))) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && fits(longer)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Pieces of a word, each as long as fits. */
function broken(word: string, fits: (piece: string) => boolean): readonly string[] {
  if (fits(word)) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const sign of word) {
    if (piece !== '' && !fits(piece + sign)) {
      pieces.push(piece);
      piece = '';
    }
    piece += sign;
  }
  return [...pieces, piece];
}
