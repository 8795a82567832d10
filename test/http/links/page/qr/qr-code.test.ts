// QR codes: the values that the standard and its tutorials print, and codes of many lengths read
// back by a reader that shares nothing with the encoder.
import { describe, expect, it } from 'vitest';
import { toHtml } from '../../../../../src/http/links/page/element.ts';
import { dataModules, versionFor } from '../../../../../src/http/links/page/qr/codewords.ts';
import { formatBits, qrCode, versionBits } from '../../../../../src/http/links/page/qr/qr-code.ts';
import { qrPicture } from '../../../../../src/http/links/page/qr/qr-picture.ts';
import { createCorrection } from '../../../../../src/http/links/page/qr/reed-solomon.ts';
import { readQr } from './read-qr.ts';

describe('the parts of a QR code', () => {
  it('correct as the known example of version 1 does', () => {
    // HELLO WORLD at 1-M. Source: https://www.thonky.com/qr-code-tutorial/error-correction-coding
    const data = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17];
    const correction = createCorrection(10)(Uint8Array.from(data));
    expect([...correction]).toEqual([196, 35, 39, 119, 235, 215, 231, 226, 93, 23]);
  });

  it('name format and version as the standard lists them', () => {
    const formats = [0, 1, 2, 3, 4, 5, 6, 7].map(formatBits);
    expect(formats).toEqual([0x5412, 0x5125, 0x5e7c, 0x5b4b, 0x45f9, 0x40ce, 0x4f97, 0x4aa0]);
    expect([7, 8, 20].map(versionBits)).toEqual([0x07c94, 0x085bc, 0x149a6]);
  });

  it('have room as the standard lists it', () => {
    expect([1, 2, 6, 7, 14, 20].map(dataModules)).toEqual([208, 359, 1383, 1568, 4651, 8683]);
    const capacities = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213];
    for (const [i, bytes] of capacities.entries())
      expect([versionFor(bytes), versionFor(bytes + 1)]).toEqual([i + 1, i + 2]);
    expect([versionFor(666), versionFor(667)]).toEqual([20, null]);
  });
});

describe('a QR code', () => {
  it.each([1, 14, 15, 42, 60, 62, 84, 100, 122, 150, 180, 213, 320, 400, 660])(
    'of %d bytes is read back',
    (length) => {
      const text = `https://files.example/-/s/${'Zx9_-'.repeat(200)}`.slice(0, length);
      const code = qrCode(text) ?? [];
      expect(readQr(code).text).toBe(text);
    },
  );

  it.each([1, 100, 660])('of %d bytes has its three finders in the corners', (length) => {
    const code = qrCode('x'.repeat(length)) ?? [];
    const far = code.length - 8;
    /** The eight by eight modules from a corner on: a finder and its light edge. */
    const corner = (row: number, column: number) =>
      code.slice(row, row + 8).map((line) =>
        line
          .slice(column, column + 8)
          .map(Number)
          .join(''),
      );
    const finder = [0b1111111, 0b1000001, 0b1011101, 0b1011101, 0b1011101, 0b1000001, 0b1111111];
    const lines = finder.map((bits) => bits.toString(2));
    const light = '0'.repeat(8);
    expect(corner(0, 0)).toEqual([...lines.map((line) => `${line}0`), light]);
    expect(corner(0, far)).toEqual([...lines.map((line) => `0${line}`), light]);
    expect(corner(far, 0)).toEqual([light, ...lines.map((line) => `${line}0`)]);
  });

  it('holds what is not Latin', () => {
    expect(readQr(qrCode('https://港口.example/文件') ?? []).text).toBe(
      'https://港口.example/文件',
    );
  });

  it('is none for a text that does not fit', () => {
    expect(qrCode('x'.repeat(667))).toBeNull();
    expect(qrPicture('x'.repeat(667), 'QR')).toBeNull();
  });

  it('is a picture with a light edge of four modules', () => {
    const html = toHtml(qrPicture('x', 'QR "code"') ?? ('' as never));
    expect(html).toContain('viewBox="0 0 29 29"');
    expect(html).toContain('aria-label="QR &quot;code&quot;"');
    expect(html).toMatch(/d="M4 4h7v1h-7z/);
  });
});
