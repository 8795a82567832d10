// The order of keys: that of SQLite, and bounds of ranges by prefix.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareUtf8 } from '../../src/domain/keys/compare-utf8.ts';
import { justAfter, prefixEnd } from '../../src/index/keys/key-order.ts';
import { nastyText } from './kit/nasty-text.ts';

const bytesOf = (text: string) => Buffer.from(text, 'utf8');

describe('key order', () => {
  it('compares as UTF-8 bytes compare', () => {
    fc.assert(
      fc.property(nastyText(), nastyText(), (a, b) => {
        expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(bytesOf(a), bytesOf(b)));
      }),
    );
  });

  it('ends a prefix right behind the texts that have it', () => {
    fc.assert(
      fc.property(nastyText(), nastyText(), (prefix, text) => {
        const end = prefixEnd(prefix);
        const isBeforeEnd = typeof end !== 'string' || compareUtf8(text, end) < 0;
        expect(compareUtf8(text, prefix) >= 0 && isBeforeEnd).toBe(text.startsWith(prefix));
        const longest = prefix + '\u{10ffff}'.repeat(9);
        expect(typeof end !== 'string' || compareUtf8(longest, end) < 0).toBe(true);
      }),
    );
  });

  it.each([
    ['a', 'b'],
    ['a\u{10ffff}', 'b'],
    ['\u0000', '\u0001'],
    ['\u007f', '\u0080'],
    ['\ud7ff', '\ue000'],
    ['\uffff', '\u{10000}'],
    ['\u{1f600}', '\u{1f601}'],
    ['\u{10fffe}\u{10ffff}\u{10ffff}', '\u{10ffff}'],
  ])('ends %j at %j', (prefix, end) => {
    expect(prefixEnd(prefix)).toBe(end);
  });

  it.each(['', '\u{10ffff}', '\u{10ffff}\u{10ffff}'])(
    'has no text behind all that start with %j',
    (prefix) => {
      expect(prefixEnd(prefix)).toBeInstanceOf(Uint8Array);
    },
  );

  it('has nothing between a text and the one just after it', () => {
    fc.assert(
      fc.property(nastyText(), nastyText(), (text, other) => {
        const isBetween = compareUtf8(other, text) > 0 && compareUtf8(other, justAfter(text)) < 0;
        expect(isBetween).toBe(false);
      }),
    );
  });
});
