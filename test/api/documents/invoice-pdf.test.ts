// The PDF of a bill: one that readers open, with the bill's texts in it, the same each time, on as many pages as it takes.

import { inflateSync } from 'node:zlib';
import { PDFDocument, PDFRawStream } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { invoicePdf } from '../../../src/api/documents/invoice-pdf.ts';
import type { Credit } from '../../../src/core/billing/invoice.ts';
import { makeDocument } from '../../../src/core/billing/invoice-document.ts';
import { card, GB, MARCH, usageOf } from '../../core/billing/billing-samples.ts';

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
    return Buffer.from(isDeflated ? inflateSync(stream.contents) : stream.contents).toString('latin1');
  });
  return drawn.flatMap((text) =>
    [...text.matchAll(/<([0-9A-F]+)> Tj/g)].map(([, hex]) => Buffer.from(hex ?? '', 'hex').toString('latin1')),
  );
}

describe('the PDF of a bill', () => {
  it('says what the bill says', async () => {
    const bytes = await invoicePdf(billOf('Ann Müller'), 'Quayside Ltd');
    expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe('%PDF-');
    const texts = await textsOf(bytes);
    for (const text of ['Ann Müller', '123', 'Quayside Ltd', '2026-03-01 to 2026-03-31, UTC', '104.400000', '104.40']) {
      expect(texts).toContain(text);
    }
    expect((await PDFDocument.load(bytes)).getTitle()).toMatch(/^Invoice QS-2026-03-/);
  });

  it('is the same file each time', async () => {
    const [one, two] = await Promise.all([invoicePdf(billOf('Ann'), 'Q'), invoicePdf(billOf('Ann'), 'Q')]);
    expect(Buffer.from(one).equals(two)).toBe(true);
  });

  it('survives texts that its font does not have, and very long ones', async () => {
    const texts = await textsOf(await invoicePdf(billOf('王小明 😀\u0000 ok'), 'x'.repeat(200)));
    expect(texts).toContain('??? ?? ok');
    const credits = [{ id: 'a', label: `${'w'.repeat(300)} and more`, amountMicro: 1n }];
    expect((await textsOf(await invoicePdf(billOf('Ann', credits), 'Q'))).some((text) => text.endsWith('\x85'))).toBe(
      true,
    );
  });

  it('goes on on further pages', async () => {
    const credits = Array.from({ length: 150 }, (_, at) => ({ id: `${at}`, label: `credit ${at}`, amountMicro: 1n }));
    const bytes = await invoicePdf(billOf('Ann', credits), 'Q');
    expect((await PDFDocument.load(bytes)).getPageCount()).toBe(3);
    expect(await textsOf(bytes)).toContain('Credit: credit 149');
  });
});
