// The PDF of a bill: one that readers open, with the bill's texts in it, the same each time, on as
// many pages as it takes.

import { inflateSync } from 'node:zlib';
import {
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFName,
  type PDFPage,
  PDFRawStream,
} from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { createNotoFonts } from '../../../src/adapters/node/services/noto-fonts.ts';
import { sheetPdf } from '../../../src/api/documents/sheet-pdf.ts';
import { invoiceSheet } from '../../../src/core/billing/exports/sheet.ts';
import type { Credit } from '../../../src/core/billing/invoices/invoice.ts';
import {
  type InvoiceDocument,
  makeDocument,
} from '../../../src/core/billing/invoices/invoice-document.ts';
import type { DocumentFonts } from '../../../src/ports/document-fonts.ts';
import { card, GB, MARCH, usageOf } from '../../core/billing/billing-samples.ts';

const notoFonts = createNotoFonts();
const invoicePdf = (
  document: InvoiceDocument,
  issuer: string,
  fonts: DocumentFonts | null = null,
) => sheetPdf(invoiceSheet(document, issuer), fonts);
const billOf = (displayName: string, credits: readonly Credit[] = []) =>
  makeDocument({
    account: { id: '123', displayName },
    period: MARCH,
    usage: usageOf({ 'storage/STANDARD': 10n * GB * 720n, 'class-b/STANDARD': 300_000_000n }),
    card: card('cloudflare-r2'),
    credits,
    closedAtMs: Date.UTC(2026, 3, 2),
  });

/** All that is drawn, text by text. */
async function textsOf(bytes: Uint8Array): Promise<readonly string[]> {
  const pdf = await PDFDocument.load(bytes);
  const streams = pdf.context
    .enumerateIndirectObjects()
    .flatMap(([, object]) => (object instanceof PDFRawStream ? [object] : []));
  const drawn = streams.map((stream) => {
    const isDeflated = stream.dict.toString().includes('FlateDecode');
    return Buffer.from(isDeflated ? inflateSync(stream.contents) : stream.contents).toString(
      'latin1',
    );
  });
  return drawn.flatMap((text) =>
    [...text.matchAll(/<([0-9A-F]+)> Tj/g)].map(([, hex]) =>
      Buffer.from(hex ?? '', 'hex').toString('latin1'),
    ),
  );
}

function inflated(stream: unknown): string {
  if (!(stream instanceof PDFRawStream)) throw new Error('no stream');
  return inflateSync(stream.contents).toString('latin1');
}

/** Code points by glyph, as a reader finds them when text is selected. */
function unicodeOf(font: PDFDict): ReadonlyMap<string, string> {
  const map = inflated(font.lookup(PDFName.of('ToUnicode')));
  return new Map(
    [...map.matchAll(/<([0-9A-F]{4})> <([0-9A-F]+)>/gi)].map(([, glyph = '', unicode = '']) => [
      glyph.toUpperCase(),
      Buffer.from(unicode, 'hex').swap16().toString('utf16le'),
    ]),
  );
}

/** All text of a page whose fonts are embedded, as it is copied out of a reader. */
function selectedText(page: PDFPage): string {
  const fonts = page.node.Resources()?.lookup(PDFName.of('Font'), PDFDict);
  const contents = page.node.Contents();
  if (fonts === undefined || !(contents instanceof PDFArray))
    throw new Error('a page without text');
  const drawn = contents.asArray().map((_, at) => inflated(contents.lookup(at)));
  let letters: ReadonlyMap<string, string> = new Map();
  let text = '';
  for (const [, name, glyphs] of drawn.join('').matchAll(/\/(\S+) [\d.]+ Tf|<([0-9A-F]+)> Tj/g)) {
    if (name !== undefined) letters = unicodeOf(fonts.lookup(PDFName.of(name), PDFDict));
    text += (glyphs?.match(/.{4}/g) ?? []).map((glyph) => letters.get(glyph) ?? '?').join('');
  }
  return text;
}

describe('the PDF of a bill', () => {
  it('says what the bill says', async () => {
    const bytes = await invoicePdf(billOf('Ann Müller'), 'Quayside Ltd');
    expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe('%PDF-');
    const texts = await textsOf(bytes);
    for (const text of [
      'Ann Müller',
      '123',
      'Quayside Ltd',
      '2026-03-01 to 2026-03-31, UTC',
      '104.400000',
      '104.40',
    ]) {
      expect(texts).toContain(text);
    }
    expect((await PDFDocument.load(bytes)).getTitle()).toMatch(/^Invoice QS-2026-03-/);
  });

  it('is the same file each time', async () => {
    const [one, two] = await Promise.all([
      invoicePdf(billOf('Ann'), 'Q'),
      invoicePdf(billOf('Ann'), 'Q'),
    ]);
    expect(Buffer.from(one).equals(two)).toBe(true);
  });

  it('refuses a letter that its fonts lack, rather than print a question mark', async () => {
    for (const name of ['王小明', 'Łukasz', 'محمد', 'Ann 😀']) {
      await expect(invoicePdf(billOf(name), 'Q')).rejects.toMatchObject({ code: 'NotImplemented' });
    }
    await expect(invoicePdf(billOf('Ann'), 'Ελλάδα')).rejects.toMatchObject({
      code: 'NotImplemented',
    });
  });

  it.each([
    ['Polish', 'Łukasz Żółć'],
    ['Vietnamese', 'Nguyễn Văn Đạt'],
    ['Greek', 'Γιώργος Παπαδόπουλος'],
    ['Russian', 'Фёдор Достоевский'],
    ['Chinese', '王小明 & Söhne'],
    ['Japanese', '山田たろう 東京'],
    ['Korean', '김철수'],
  ])('embeds the letters of a %s name, as text that can be selected', async (_language, name) => {
    const bytes = await invoicePdf(billOf(name.normalize('NFD')), 'Łódź Hosting', notoFonts);
    const [page] = (await PDFDocument.load(bytes)).getPages();
    const text = selectedText(page as PDFPage);
    for (const expected of [
      name,
      'Łódź Hosting',
      'Invoice QS-2026-03-',
      'Quantity',
      '104.400000',
    ]) {
      expect(text).toContain(expected);
    }
    expect(text).not.toContain('?');
    expect(bytes.length).toBeLessThan(100_000);
    expect(
      Buffer.from(bytes).equals(await invoicePdf(billOf(name), 'Łódź Hosting', notoFonts)),
    ).toBe(true);
  });

  it('refuses letters that are in no font, or that need shaping', async () => {
    for (const name of ['محمد', 'विजय', 'דוד', 'สมชาย', 'Ann 😀', 'a\u20ddb', '\u202egnuoY']) {
      const refused = invoicePdf(billOf(name), 'Q', notoFonts);
      await expect(refused, name).rejects.toMatchObject({ code: 'NotImplemented' });
    }
  });

  it('breaks very long words', async () => {
    const credits = [{ id: 'a', label: 'w'.repeat(60), amountMicro: 1n }];
    const texts = await textsOf(
      await invoicePdf(billOf('n'.repeat(200), credits), 'x'.repeat(200)),
    );
    expect(texts.filter((text) => /^n+$/.test(text)).join('')).toBe('n'.repeat(200));
    expect(texts.filter((text) => /^w+$/.test(text)).join('')).toBe('w'.repeat(60));
  });

  it('goes on on further pages', async () => {
    const credits = Array.from({ length: 150 }, (_, at) => ({
      id: `${at}`,
      label: `credit ${at}`,
      amountMicro: 1n,
    }));
    const bytes = await invoicePdf(billOf('Ann', credits), 'Q');
    expect((await PDFDocument.load(bytes)).getPageCount()).toBe(4);
    expect((await textsOf(bytes)).filter((text) => text === 'Item')).toHaveLength(3);
    expect(await textsOf(bytes)).toContain('Credit: credit 149');
  });
});
