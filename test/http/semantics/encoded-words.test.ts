import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toEncodedWords } from '../../../src/http/semantics/encoded-words.ts';

/** A header text of one character a byte. */
const bytesOf = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

/** What a reader of RFC 2047 makes of it: words decoded, the blank between two of them gone. */
function decode(text: string): string {
  return text
    .replace(/(=\?[^?]+\?[BQ]\?[^? ]*\?=) (?==\?)/g, '$1')
    .replace(/=\?UTF-8\?([BQ])\?([^? ]*)\?=/g, (_, encoding, content: string) =>
      encoding === 'B'
        ? Buffer.from(content, 'base64').toString('utf8')
        : Buffer.from(
            content
              .replaceAll('_', ' ')
              .replace(/=([0-9A-F]{2})/g, (_hex, hex) =>
                String.fromCharCode(Number.parseInt(hex, 16)),
              ),
            'latin1',
          ).toString('utf8'),
    );
}

describe('toEncodedWords', () => {
  it.each(['', 'plain', 'a\tb', 'tilde ~ "quoted" =?x?=', '=?UTF-8?Q?already?='])(
    'leaves ASCII as it is: %s',
    (text) => {
      expect(toEncodedWords(text)).toBe(text);
    },
  );

  it.each([
    ['grün', '=?UTF-8?Q?gr=C3=BCn?='],
    ['Hello World é_?=', '=?UTF-8?Q?Hello_World_=C3=A9=5F=3F=3D?='],
    ['日本', '=?UTF-8?B?5pel5pys?='],
    ['ö', '=?UTF-8?B?w7Y=?='],
  ])('encodes %s', (text, words) => {
    expect(toEncodedWords(bytesOf(text))).toBe(words);
  });

  it('takes bytes that are no UTF-8 for ISO-8859-1', () => {
    expect(decode(toEncodedWords('bl\xe4u'))).toBe('bläu');
  });

  it('says the same in words of at most 75 ASCII characters that cut no character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }), (text) => {
        const words = toEncodedWords(bytesOf(text));
        fc.pre(words.startsWith('=?UTF-8?'));
        for (const word of words.split(' ')) expect(word).toMatch(/^=\?UTF-8\?[BQ]\?[!-~]*\?=$/);
        for (const word of words.split(' ')) expect(word.length).toBeLessThanOrEqual(75);
        for (const word of words.split(' ')) expect(decode(word)).not.toContain('\ufffd');
        expect(decode(words)).toBe(text);
      }),
    );
  });
});
