// A bill as PDF, laid out from the same rows as its CSV and HTML. The fonts are those that every reader has, so nothing is
// embedded; they know the letters of western Europe alone, and others are shown as a question mark (the account's id is
// always there). Loaded when the first PDF is asked for: the package takes 150 ms.
import type { PDFFont, PDFPage } from '@cantoo/pdf-lib';
import { formatMicro } from '../../core/billing/decimal.ts';
import { invoiceRows, payable, periodDays } from '../../core/billing/exports/invoice-rows.ts';
import type { InvoiceDocument } from '../../core/billing/invoice-document.ts';
import { dayText } from '../../core/billing/month.ts';

/** A4 in points. */
const PAGE = { width: 595, height: 842, margin: 48 } as const;
const RIGHT = PAGE.width - PAGE.margin;
const SIZE = 9;
const LINE = 13;
/** Right edges of the columns of numbers; what is to the left of the first is for the label. */
const EDGES = { quantity: 330, unit: 400, price: 470, amount: RIGHT } as const;
const LABEL_WIDTH = 200;
/** A longer word or label is cut: a document of other people's texts stays bounded. */
const LABEL_LINES_MAX = 4;

/** Bytes of a PDF file. The same document gives the same file. */
export async function invoicePdf(document: InvoiceDocument, issuer: string): Promise<Uint8Array<ArrayBuffer>> {
  const { PDFDocument, StandardFonts } = await import('@cantoo/pdf-lib');
  const pdf = await PDFDocument.create();
  const regular = pdf.embedStandardFont(StandardFonts.Helvetica);
  const bold = pdf.embedStandardFont(StandardFonts.HelveticaBold);
  const title = `${document.closedAtMs === null ? 'Open bill' : 'Invoice'} ${document.number}`;
  const madeAt = new Date(document.closedAtMs ?? 0);
  pdf.setTitle(title);
  pdf.setAuthor(shown(regular, issuer));
  pdf.setProducer('Quayside');
  pdf.setCreator('Quayside');
  pdf.setCreationDate(madeAt);
  pdf.setModificationDate(madeAt);
  const pen = createPen(() => pdf.addPage([PAGE.width, PAGE.height]), { regular, bold });
  pen.line([{ text: title, x: PAGE.margin }], { size: 16, font: bold, height: 26 });
  for (const [name, value] of factsOf(document, issuer)) {
    pen.line([
      { text: name, x: PAGE.margin },
      { text: value, x: PAGE.margin + 70 },
    ]);
  }
  drawTable(pen, document, { regular, bold });
  for (const note of [`Prices from ${document.card.source}`, ...document.card.notes]) {
    for (const text of wrapped(regular, note, RIGHT - PAGE.margin, 7))
      pen.line([{ text, x: PAGE.margin }], { size: 7, height: 9 });
  }
  return pdf.save({ useObjectStreams: false });
}

function factsOf(document: InvoiceDocument, issuer: string): readonly (readonly [string, string])[] {
  const { first, last } = periodDays(document);
  return [
    ['From', issuer],
    ['Account', document.accountName],
    ['Account id', document.accountId],
    ['Period', `${first} to ${last}, UTC`],
    ['Closed', document.closedAtMs === null ? 'not yet: the month is not over' : dayText(document.closedAtMs)],
    ['Prices', `${document.card.name}, as of ${document.card.asOf}`],
  ];
}

type Fonts = { readonly regular: PDFFont; readonly bold: PDFFont };

function drawTable(pen: Pen, document: InvoiceDocument, { regular, bold }: Fonts): void {
  const { invoice } = document;
  pen.space(LINE);
  pen.line(cells('Item', { quantity: 'Quantity', unit: 'Unit', price: 'Price', amount: invoice.currency }), {
    font: bold,
  });
  pen.rule();
  for (const row of invoiceRows(document)) {
    const [first = '', ...rest] = wrapped(regular, row.label, LABEL_WIDTH, SIZE).slice(0, LABEL_LINES_MAX);
    pen.line(cells(first, row));
    for (const text of rest) pen.line([{ text, x: PAGE.margin }]);
  }
  pen.rule();
  pen.line(cells('Total', { amount: formatMicro(invoice.totalMicro, 6) }), { font: bold });
  pen.line(cells('To pay, rounded down to a coin', { amount: payable(document) }), { font: bold });
  pen.space(LINE);
}

type Cell = { readonly text: string; readonly x?: number; readonly right?: number };

function cells(label: string, numbers: Partial<Record<keyof typeof EDGES, string>>): readonly Cell[] {
  const edges = Object.entries(EDGES) as [keyof typeof EDGES, number][];
  return [{ text: label, x: PAGE.margin }, ...edges.map(([name, right]) => ({ text: numbers[name] ?? '', right }))];
}

type Pen = ReturnType<typeof createPen>;

/** Writes from the top to the bottom, and goes on on the next page. */
function createPen(addPage: () => PDFPage, fonts: Fonts) {
  let page = addPage();
  let y = PAGE.height - PAGE.margin;
  const need = (height: number): void => {
    if (y - height >= PAGE.margin) return;
    page = addPage();
    y = PAGE.height - PAGE.margin;
  };
  return {
    line(texts: readonly Cell[], { size = SIZE, font = fonts.regular, height = LINE } = {}): void {
      need(height);
      y -= height;
      for (const { text, x, right } of texts) {
        const visible = shown(font, text);
        const left = right === undefined ? (x ?? PAGE.margin) : right - font.widthOfTextAtSize(visible, size);
        if (visible !== '') page.drawText(visible, { x: left, y, size, font });
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

/** The text in letters that the font has; one line. */
function shown(font: PDFFont, text: string): string {
  const known = new Set(font.getCharacterSet());
  return Array.from(text, (sign) => (known.has(sign.codePointAt(0) ?? 0) ? sign : '?')).join('');
}

/** Lines of whole words that are no wider than `width`; a word that is wider has a line of its own, cut. */
function wrapped(font: PDFFont, text: string, width: number, size: number): readonly string[] {
  const fits = (line: string): boolean => font.widthOfTextAtSize(line, size) <= width;
  const lines: string[] = [];
  for (const word of shown(font, text).split(/\s+/)) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && fits(longer)) lines[lines.length - 1] = longer;
    else
      lines.push(
        fits(word)
          ? word
          : `${word.slice(0, Math.floor((word.length * width) / font.widthOfTextAtSize(word, size)) - 1)}…`,
      );
  }
  return lines;
}
