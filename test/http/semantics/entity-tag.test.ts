import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasEntityTag, parseEntityTag } from '../../../src/http/semantics/entity-tag.ts';

describe('hasEntityTag', () => {
  // header, etag, found strongly, found weakly
  it.each([
    ['"abc"', 'abc', true, true],
    ['abc', 'abc', true, true],
    ['"abc', 'abc', false, false],
    ['abc"', 'abc', false, false],
    ['"ab"', 'abc', false, false],
    ['"abcd"', 'abc', false, false],
    ['"ABC"', 'abc', false, false],
    ['""', 'abc', false, false],
    ['', 'abc', false, false],
    ['W/"abc"', 'abc', false, true],
    ['w/"abc"', 'abc', false, false],
    ['W/abc', 'abc', false, false],
    ['W/ "abc"', 'abc', false, false],
    // Lists.
    ['"x", "abc"', 'abc', true, true],
    ['"x","abc","y"', 'abc', true, true],
    ['"x" ,\t"abc"', 'abc', true, true],
    [' "abc" ', 'abc', true, true],
    ['x, abc', 'abc', true, true],
    ['abc ,x', 'abc', true, true],
    ['"x", W/"abc"', 'abc', false, true],
    ['W/"abc", "abc"', 'abc', true, true],
    ['"x", "y"', 'abc', false, false],
    [',, "abc" ,,', 'abc', true, true],
    [',', 'abc', false, false],
    // A comma inside the quotes belongs to the tag.
    ['"a,b"', 'a,b', true, true],
    ['"a,b", "c"', 'c', true, true],
    ['"a,b", "c"', 'b"', false, false],
    ['"x,abc,y"', 'abc', false, false],
    ['"x, ", "abc"', 'abc', true, true],
    // Something behind the quote spoils that member only.
    ['"abc"x', 'abc', false, false],
    ['"abc"x, "abc"', 'abc', true, true],
    ['"x""abc"', 'abc', false, false],
    // A multipart ETag.
    ['"d41d8cd98f00b204e9800998ecf8427e-12"', 'd41d8cd98f00b204e9800998ecf8427e-12', true, true],
    ['"d41d8cd98f00b204e9800998ecf8427e"', 'd41d8cd98f00b204e9800998ecf8427e-12', false, false],
    // `*` is no tag; the callers know it.
    ['*', 'abc', false, false],
    ['"*"', 'abc', false, false],
  ])('%j has %j: %s, weakly %s', (header, etag, isStrong, isWeak) => {
    expect(hasEntityTag(header, etag, false)).toBe(isStrong);
    expect(hasEntityTag(header, etag, true)).toBe(isWeak);
  });

  it('finds a tag anywhere in a list', () => {
    const tag = fc.string({ unit: fc.constantFrom(...'ab,-1 '), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(tag), tag, fc.array(tag), (before, wanted, after) => {
        const header = [...before, wanted, ...after].map((text) => `"${text}"`).join(', ');
        expect(hasEntityTag(header, wanted, false)).toBe(true);
        const others = [...before, ...after].filter((text) => text !== wanted);
        const without = others.map((text) => `"${text}"`).join(',');
        expect(hasEntityTag(without, wanted, true)).toBe(false);
      }),
    );
  });

  it('takes a time that grows with the length of the header only', () => {
    const hostile = ['"', ',', '"a"x,', 'W/"', '","'].map((piece) => piece.repeat(50_000));
    for (const header of hostile) expect(hasEntityTag(header, 'abc', true)).toBe(false);
  });
});

describe('parseEntityTag', () => {
  it.each([
    ['"abc"', { tag: 'abc', isWeak: false }],
    [' "abc" ', { tag: 'abc', isWeak: false }],
    ['W/"abc"', { tag: 'abc', isWeak: true }],
    ['abc', { tag: 'abc', isWeak: false }],
    ['"a,b"', { tag: 'a,b', isWeak: false }],
    ['""', { tag: '', isWeak: false }],
    ['"*"', { tag: '*', isWeak: false }],
    ['"a", "b"', null],
    ['a, b', null],
    ['"abc', null],
    ['"a"b', null],
    ['', null],
    ['  ', null],
  ])('%j', (header, expected) => {
    expect(parseEntityTag(header)).toEqual(expected);
  });
});
