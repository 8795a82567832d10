// The two typefaces of a PDF, regular and bold. The fonts that every reader has
// come first and are not embedded; they know the letters of western Europe alone. A
// text with others is printed in embedded subsets of the platform's fonts, each of
// some letters: a text is drawn run by run.
import type { PDFDocument, PDFFont, PDFPage } from '@cantoo/pdf-lib';
import { StorageError } from '../../domain/errors.ts';
import type { DocumentFonts, FontSubset, FontWeight } from '../../ports/document-fonts.ts';

type Fontkit = Parameters<PDFDocument['registerFontkit']>[0];
type TextPosition = { readonly x: number; readonly y: number; readonly size: number };

export type Typeface = {
  /** Width of a text, points. */
  width(text: string, size: number): number;
  draw(page: PDFPage, text: string, position: TextPosition): void;
};

export type Typefaces = Readonly<Record<FontWeight, Typeface>>;

/**
 * Texts to print, each in composed form (NFC), by the weight that they are printed
 * in.
 */
export type Texts = Readonly<Record<FontWeight, readonly string[]>>;

/**
 * Fonts that print all of the texts. NotImplemented for a letter that is in none.
 */
export async function embedTypefaces(
  pdf: PDFDocument,
  texts: Texts,
  fonts: DocumentFonts | null,
): Promise<Typefaces> {
  const letters = { regular: lettersOf(texts.regular), bold: lettersOf(texts.bold) };
  const { StandardFonts } = await import('@cantoo/pdf-lib');
  const regular = pdf.embedStandardFont(StandardFonts.Helvetica);
  const bold = pdf.embedStandardFont(StandardFonts.HelveticaBold);
  const standard = new Set(regular.getCharacterSet());
  const isStandard = (letter: string): boolean => standard.has(letter.codePointAt(0) ?? 0);

  if ([...letters.regular, ...letters.bold].every(isStandard)) {
    return {
      regular: typefaceOf(letters.regular, () => regular),
      bold: typefaceOf(letters.bold, () => bold),
    };
  }

  const embed = async (weight: FontWeight): Promise<Typeface> => {
    const embeddable = await fonts?.subset(letters[weight], weight);
    if (embeddable == null) throw lacksLetter();
    pdf.registerFontkit(embeddable.parser as Fontkit);
    return embedSubsets(pdf, embeddable.subsets, weight);
  };
  // One after the other: the order of the fonts in the file is the same each time.
  return { regular: await embed('regular'), bold: await embed('bold') };
}

/**
 * The refusal of a letter without a font: question marks in names would make no
 * bill.
 */
const lacksLetter = (): StorageError =>
  new StorageError('NotImplemented', {
    detail: 'The fonts of the PDF lack a letter of this bill; the page, .html, prints any script.',
  });

const lettersOf = (texts: readonly string[]): ReadonlySet<string> =>
  new Set([' ', ...texts.flatMap((text) => Array.from(text)).filter((letter) => letter !== '\n')]);

async function embedSubsets(
  pdf: PDFDocument,
  subsets: readonly FontSubset[],
  weight: FontWeight,
): Promise<Typeface> {
  const fonts = new Map<string, PDFFont>();
  for (const [index, { letters, bytes }] of subsets.entries()) {
    // A subset already, so all of it is embedded. Readers know fonts by their
    // names.
    const font = await pdf.embedFont(bytes, {
      subset: false,
      customName: `NotoSans-${weight}-${index}`,
    });
    for (const letter of letters) fonts.set(letter, font);
  }
  return typefaceOf(new Set(fonts.keys()), (letter) => fonts.get(letter));
}

function typefaceOf(
  letters: ReadonlySet<string>,
  fontOf: (letter: string) => PDFFont | undefined,
): Typeface {
  const widths = new Map(
    [...letters].map((letter) => [letter, fontOf(letter)?.widthOfTextAtSize(letter, 1) ?? 0]),
  );
  const width = (text: string, size: number): number =>
    Array.from(text).reduce((sum, letter) => sum + (widths.get(letter) ?? 0), 0) * size;
  return {
    width,
    draw(page, text, { x, y, size }) {
      let left = x;
      for (const run of runsOf(text, fontOf)) {
        page.drawText(run.text, { x: left, y, size, font: run.font });
        left += width(run.text, size);
      }
    },
  };
}

type Run = { readonly font: PDFFont; text: string };

/** Pieces of a text that have one font each. */
function runsOf(text: string, fontOf: (letter: string) => PDFFont | undefined): readonly Run[] {
  const runs: Run[] = [];
  for (const letter of text) {
    const font = fontOf(letter);
    if (font === undefined) throw lacksLetter();
    const last = runs.at(-1);
    if (last?.font === font) last.text += letter;
    else runs.push({ font, text: letter });
  }
  return runs;
}
