import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeToken,
  encodeToken,
  readCount,
  readNameEncoding,
} from '../../../../src/http/s3/formats/paging.ts';
import { parseQuery } from '../../../../src/http/semantics/raw-path.ts';

const refused = expect.objectContaining({ code: 'InvalidArgument' });

describe('readCount', () => {
  it.each([
    ['', 7],
    ['n=', 7],
    ['n=0', 0],
    ['n=007', 7],
    ['n=2147483647', 2_147_483_647],
  ])('%j', (query, count) => {
    expect(readCount(parseQuery(query), 'n', 7)).toBe(count);
  });

  it.each(['n=-1', 'n=x', 'n=1.5', 'n=1e3', 'n=%201', 'n=2147483648', 'n=99999999999'])(
    'refuses %s',
    (query) => {
      expect(() => readCount(parseQuery(query), 'n', 7)).toThrow(refused);
    },
  );

  it('keeps to its bounds', () => {
    expect(readCount(parseQuery('n=1'), 'n', 7, 1, 10)).toBe(1);
    expect(() => readCount(parseQuery('n=0'), 'n', 7, 1, 10)).toThrow(/between 1 and 10/);
    expect(() => readCount(parseQuery('n=11'), 'n', 7, 1, 10)).toThrow(refused);
  });
});

describe('readNameEncoding', () => {
  it('leaves names alone, or encodes all but the slash', () => {
    expect(readNameEncoding(parseQuery('')).encode('a b/+é')).toBe('a b/+é');
    expect(readNameEncoding(parseQuery('encoding-type=')).isUrl).toBe(false);
    const url = readNameEncoding(parseQuery('encoding-type=url'));
    expect(url.isUrl).toBe(true);
    expect(url.encode("a b/+é!'()*~")).toBe('a%20b/%2B%C3%A9%21%27%28%29%2A~');
  });

  it('knows no other', () => {
    expect(() => readNameEncoding(parseQuery('encoding-type=URL'))).toThrow(refused);
  });
});

describe('tokens', () => {
  it('come back as the name they were made of', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '/', '\0', 'é', '\ufffd', '\u{1F600}', ' ') }),
        (name) => {
          const token = encodeToken('o1', name);
          expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
          expect(decodeToken('o1', token)).toBe(name);
        },
      ),
    );
  });

  it.each([
    '',
    'a',
    'not base64!',
    'no token of ours \u0000',
    encodeToken('b1', 'a'),
    `${encodeToken('o1', 'a')}=`,
    `${encodeToken('o1', 'ab')} `,
    new Uint8Array([0x6f, 0x31, 0x3a, 0xff]).toBase64({ alphabet: 'base64url' }),
    new TextEncoder().encode('o2:a').toBase64({ alphabet: 'base64url' }),
  ])('refuse %j', (token) => {
    expect(() => decodeToken('o1', token)).toThrow(refused);
  });

  it('refuse anything else without another error', () => {
    fc.assert(
      fc.property(fc.string(), (token) => {
        try {
          expect(encodeToken('o1', decodeToken('o1', token))).toBe(token);
        } catch (error) {
          expect(error).toEqual(refused);
        }
      }),
    );
  });
});
