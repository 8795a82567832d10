// Short texts over an alphabet that breaks naive orders and bounds: NUL, delimiters, both sides of
// the surrogate gap, astral characters, the last code point. So small an alphabet makes prefixes
// and repeats likely.
import fc from 'fast-check';

const ALPHABET = [
  '\u0000',
  '/',
  '/',
  ':',
  'a',
  'b',
  '\u007f',
  '\u0080',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '\u{10000}',
  '😀',
  '\u{10ffff}',
];

/** Up to `maxLength` characters; may be empty. */
export function nastyText(maxLength = 4): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...ALPHABET), { maxLength })
    .map((characters) => characters.join(''));
}
