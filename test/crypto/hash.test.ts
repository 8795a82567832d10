// One-shot digests and keyed hashes, against node:crypto.
import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createKeyedHash,
  hmacSha256,
  hmacSha256Hex,
  isEqualInConstantTime,
  md5Hex,
  sha256Hex,
} from '../../src/crypto/hash.ts';
import { fuzzRuns } from '../fuzz-seed.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('one-shot digests', () => {
  // Source: RFC 1321 A.5 and FIPS 180-4 examples.
  it.each([
    [
      '',
      'd41d8cd98f00b204e9800998ecf8427e',
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    ],
    [
      'abc',
      '900150983cd24fb0d6963f7d28e17f72',
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    ],
    [
      'message digest',
      'f96b697d7cb7938d525a2f31aaf161d0',
      'f7846f55cf23e14eebeab5b4e1550cad5b509e3348fbc4efa3a1413d393cb650',
    ],
  ])('of %j are the published ones, from text and from bytes', (text, md5, sha256) => {
    expect(md5Hex(text)).toBe(md5);
    expect(md5Hex(bytes(text))).toBe(md5);
    expect(sha256Hex(text)).toBe(sha256);
    expect(sha256Hex(bytes(text))).toBe(sha256);
  });

  it('take text as UTF-8 and a window as the window only', () => {
    expect(sha256Hex('ключ🗝')).toBe(createHash('sha256').update('ключ🗝', 'utf8').digest('hex'));
    expect(md5Hex(bytes('xxabcxx').subarray(2, 5))).toBe('900150983cd24fb0d6963f7d28e17f72');
  });
});

describe('HMAC-SHA-256', () => {
  // Source: RFC 4231 test cases 1, 2 and 6.
  it.each([
    [
      new Uint8Array(20).fill(0x0b),
      'Hi There',
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    ],
    [
      bytes('Jefe'),
      'what do ya want for nothing?',
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    [
      new Uint8Array(131).fill(0xaa),
      'Test Using Larger Than Block-Size Key - Hash Key First',
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    ],
  ])('agrees with RFC 4231 (%#)', (key, data, expected) => {
    expect(hmacSha256Hex(key, data)).toBe(expected);
    expect(hmacSha256(key, data).toHex()).toBe(expected);
  });

  it('takes a textual secret as UTF-8', () => {
    const expected = createHmac('sha256', 'sécret').update('data').digest('hex');
    expect(hmacSha256Hex('sécret', 'data')).toBe(expected);
  });

  it('derives the signing key of the AWS documentation', () => {
    // Source: https://docs.aws.amazon.com/general/latest/gr/signature-v4-examples.html
    let key = hmacSha256('AWS4wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', '20120215');
    for (const step of ['us-east-1', 'iam', 'aws4_request']) key = hmacSha256(key, step);
    expect(key.toHex()).toBe('f4780e2d9f65fa895f9c67b32ce1baf0b0d8a43505a000a1a9e090d414db404d');
  });
});

describe('createKeyedHash', () => {
  it('is HMAC-SHA-256 of any text, whatever was hashed before', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 600 }),
      fc.string({ unit: 'binary', maxLength: 600 }),
    );
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 64 }),
        fc.array(text, { maxLength: 5 }),
        (key, texts) => {
          const keyed = createKeyedHash(key);
          for (const each of texts)
            expect(keyed(each)).toBe(createHmac('sha256', key).update(each).digest('hex'));
        },
      ),
      { numRuns: fuzzRuns(100) },
    );
  });

  it('refuses a key that would have to be hashed first', () => {
    expect(() => createKeyedHash(new Uint8Array(65))).toThrow(RangeError);
  });
});

describe('isEqualInConstantTime', () => {
  it.each([
    ['', '', true],
    ['a', 'a', true],
    ['a', 'b', false],
    ['a', '', false],
    ['', 'a', false],
    ['abc', 'abcd', false],
    ['Xbc', 'abc', false],
    ['abX', 'abc', false],
    ['é', 'e', false],
    // Characters that share their low byte: a comparison of bytes cut short would take them for
    // equal.
    ['\u0161', 'a', false],
    ['\u{1f511}', '\u{1f511}', true],
    ['\u{1f511}', '\u{1f512}', false],
  ])('%j and %j: %s', (a, b, expected) => {
    expect(isEqualInConstantTime(a, b)).toBe(expected);
  });

  it('is equality', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }), (a, b) => {
        expect(isEqualInConstantTime(a, b)).toBe(a === b);
        expect(isEqualInConstantTime(a, [...a].join(''))).toBe(true);
      }),
    );
  });
});
