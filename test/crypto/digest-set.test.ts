// The digests of bodies and of multipart objects, against node:crypto.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type ChecksumAlgorithm,
  checksumOf,
  combineChecksums,
  compositeChecksum,
  createDigestSet,
  isChecksumValue,
  multipartEtag,
} from '../../src/crypto/digest-set.ts';
import type * as domain from '../../src/domain/nouns.ts';

const ALGORITHMS: readonly ChecksumAlgorithm[] = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'];
const CRCS: readonly ChecksumAlgorithm[] = ['CRC32', 'CRC32C', 'CRC64NVME'];
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

it('the digest set knows the algorithms of the domain, no more and no less', () => {
  expectTypeOf<ChecksumAlgorithm>().toEqualTypeOf<domain.ChecksumAlgorithm>();
  expect(ALGORITHMS.toSorted()).toEqual(Object.keys(CHECKSUMS_OF_123456789).toSorted());
});

// Base64 of the published check values; the CRCs most significant byte first.
const CHECKSUMS_OF_123456789 = {
  CRC32: 'y/Q5Jg==',
  CRC32C: '4waSgw==',
  CRC64NVME: 'rosUhgp5mIg=',
  SHA1: '98O8HYCOBHMq32eZZczDTKeuNEE=',
  SHA256: 'FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=',
} as const satisfies Record<ChecksumAlgorithm, string>;

describe('checksumOf', () => {
  it.each(ALGORITHMS)('%s of 123456789', (algorithm) => {
    expect(checksumOf(algorithm, ascii('123456789'))).toBe(CHECKSUMS_OF_123456789[algorithm]);
  });

  it.each([
    ['CRC32', 'AAAAAA=='],
    ['CRC32C', 'AAAAAA=='],
    ['CRC64NVME', 'AAAAAAAAAAA='],
    ['SHA1', '2jmj7l5rSw0yVb/vlWAYkK/YBwk='],
    ['SHA256', '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='],
  ] as const)('%s of nothing', (algorithm, expected) => {
    expect(checksumOf(algorithm, new Uint8Array())).toBe(expected);
  });
});

describe('createDigestSet', () => {
  const everything = ALGORITHMS.flatMap((checksum) => [
    { md5: true, sha256: true, checksum },
    { md5: false, sha256: false, checksum },
  ]);

  it.each([
    ...everything,
    { md5: true, sha256: false, checksum: null },
    { md5: false, sha256: true, checksum: null },
  ])('%j gives exactly what was asked for', (wanted) => {
    const digests = createDigestSet(wanted);
    for (const chunk of ['1234', '', '56789']) digests.update(ascii(chunk));
    expect(digests.finish()).toEqual({
      md5Hex: wanted.md5 ? '25f9e794323b453885f5181f1b624d0b' : null,
      sha256Hex: wanted.sha256
        ? '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225'
        : null,
      checksumBase64: wanted.checksum === null ? null : CHECKSUMS_OF_123456789[wanted.checksum],
    });
  });

  it('gives nothing when nothing is asked for', () => {
    const digests = createDigestSet({ md5: false, sha256: false, checksum: null });
    digests.update(ascii('x'));
    expect(digests.finish()).toEqual({ md5Hex: null, sha256Hex: null, checksumBase64: null });
  });

  it('gives the digests of nothing for an empty body', () => {
    expect(createDigestSet({ md5: true, sha256: true, checksum: 'CRC32' }).finish()).toEqual({
      md5Hex: 'd41d8cd98f00b204e9800998ecf8427e',
      sha256Hex: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      checksumBase64: 'AAAAAA==',
    });
  });

  it.each(ALGORITHMS)(
    'has read a chunk when update returns, so that a buffer can be used again (%s)',
    (checksum) => {
      const digests = createDigestSet({ md5: true, sha256: true, checksum });
      const buffer = new Uint8Array(100);
      const whole: number[] = [];
      for (let round = 0; round < 4; round++) {
        buffer.fill(round * 7 + 1);
        whole.push(...buffer);
        digests.update(buffer);
      }
      buffer.fill(0);
      const bytes = Uint8Array.from(whole);
      expect(digests.finish()).toEqual({
        md5Hex: createHash('md5').update(bytes).digest('hex'),
        sha256Hex: createHash('sha256').update(bytes).digest('hex'),
        checksumBase64: checksumOf(checksum, bytes),
      });
    },
  );

  it('keeps two sets apart', () => {
    const wanted = { md5: true, sha256: false, checksum: 'CRC64NVME' } as const;
    const [a, b] = [createDigestSet(wanted), createDigestSet(wanted)];
    a.update(ascii('123456789'));
    b.update(ascii('other'));
    expect(a.finish().checksumBase64).toBe(CHECKSUMS_OF_123456789.CRC64NVME);
    expect(b.finish().checksumBase64).toBe(checksumOf('CRC64NVME', ascii('other')));
  });
});

describe('isChecksumValue', () => {
  it.each(ALGORITHMS)(
    'takes the values of %s and of no algorithm of another length',
    (algorithm) => {
      for (const other of ALGORITHMS) {
        const hasSameLength =
          CHECKSUMS_OF_123456789[other].length === CHECKSUMS_OF_123456789[algorithm].length;
        expect(isChecksumValue(algorithm, CHECKSUMS_OF_123456789[other])).toBe(hasSameLength);
      }
    },
  );

  it.each([
    ['CRC32', ''],
    ['CRC32', 'y/Q5Jg'], // no padding
    ['CRC32', 'y/Q5Jg='],
    ['CRC32', 'y/Q5Jg==='],
    ['CRC32', 'y_Q5Jg=='], // base64url
    ['CRC32', 'y/Q5 g=='], // a blank
    ['CRC32', 'y/Q5Jh=='], // bits left over
    ['CRC32', 'y/Q5JiY='], // five bytes
    ['CRC32', 'y/Q5Jg==-3'], // composite
    ['CRC32', 'cbf43926'], // hex
    ['CRC32', 'y/Q5Jé=='],
    ['CRC64NVME', 'rosUhgp5mA=='], // seven bytes
    ['CRC64NVME', 'rosUhgp5mIj='], // bits left over
    ['SHA256', 'FeKw0880kcq6d27M+DSlMhQgVwGDIxr+tC2dZPkC8i=='],
    ['SHA1', 'a'.repeat(28)], // 21 bytes
  ] as const)('%s refuses %j', (algorithm, text) => {
    expect(isChecksumValue(algorithm, text)).toBe(false);
  });

  it('takes every value that is computed', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ALGORITHMS), fc.uint8Array(), (algorithm, data) => {
        expect(isChecksumValue(algorithm, checksumOf(algorithm, data))).toBe(true);
      }),
    );
  });
});

describe('compositeChecksum', () => {
  it.each(ALGORITHMS)(
    '%s is the checksum of the binary checksums, and their number',
    (algorithm) => {
      const values = ['one', 'two', 'three'].map((part) => checksumOf(algorithm, ascii(part)));
      const binary = Uint8Array.from(values.flatMap((value) => [...Buffer.from(value, 'base64')]));
      expect(compositeChecksum(algorithm, values)).toBe(`${checksumOf(algorithm, binary)}-3`);
    },
  );

  it('of one part is not the part’s', () => {
    const value = checksumOf('SHA256', ascii('one'));
    const expected = createHash('sha256').update(Buffer.from(value, 'base64')).digest('base64');
    expect(compositeChecksum('SHA256', [value])).toBe(`${expected}-1`);
  });

  it('refuses what is no value', () => {
    expect(() => compositeChecksum('CRC32', ['y/Q5Jg==', ''])).toThrow(RangeError);
    expect(() => compositeChecksum('SHA1', ['y/Q5Jg=='])).toThrow(RangeError);
  });
});

describe('combineChecksums', () => {
  it.each(CRCS)('%s of the parts is that of the whole', (algorithm) => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 8 }), (parts) => {
        const whole = Uint8Array.from(parts.flatMap((part) => [...part]));
        const values = parts.map((part) => ({
          checksum: checksumOf(algorithm, part),
          sizeBytes: part.length,
        }));
        expect(combineChecksums(algorithm, values)).toBe(checksumOf(algorithm, whole));
      }),
    );
  });

  it.each(CRCS)('%s of parts as uploads have them: equal ones and a shorter last', (algorithm) => {
    const whole = new Uint8Array(3 * 4096 + 17).map((_, i) => (i * 31) >>> 2);
    const parts = [0, 1, 2, 3].map((i) => whole.subarray(i * 4096, (i + 1) * 4096));
    const values = parts.map((part) => ({
      checksum: checksumOf(algorithm, part),
      sizeBytes: part.length,
    }));
    expect(combineChecksums(algorithm, values)).toBe(checksumOf(algorithm, whole));
  });

  it.each(CRCS)('%s of 10,000 parts takes no noticeable time', (algorithm) => {
    const checksum = checksumOf(algorithm, ascii('part'));
    const parts = Array.from({ length: 10_000 }, () => ({ checksum, sizeBytes: 5 * 2 ** 20 }));
    const startedAtMs = performance.now();
    expect(isChecksumValue(algorithm, combineChecksums(algorithm, parts))).toBe(true);
    // 10 to 25 ms on a busy machine; without the memory of the last length it was 100 to 300.
    expect(performance.now() - startedAtMs).toBeLessThan(2000);
  });

  it.each(['SHA1', 'SHA256'] as const)('refuses %s', (algorithm) => {
    expect(() => combineChecksums(algorithm, [])).toThrow(RangeError);
  });

  it('refuses what is no value', () => {
    expect(() => combineChecksums('CRC32', [{ checksum: '', sizeBytes: 1 }])).toThrow(RangeError);
    expect(() => combineChecksums('CRC64NVME', [{ checksum: 'y/Q5Jg==', sizeBytes: 1 }])).toThrow(
      RangeError,
    );
  });
});

describe('multipartEtag', () => {
  it('is MD5 of the binary MD5s and their number', () => {
    const hexes = ['900150983cd24fb0d6963f7d28e17f72', 'D41D8CD98F00B204E9800998ECF8427E'];
    const expected = createHash('md5')
      .update(Buffer.from(hexes.join(''), 'hex'))
      .digest('hex');
    expect(multipartEtag(hexes)).toBe(`${expected}-2`);
  });

  it('counts a single part too', () => {
    // The tag of one empty part; S3 gives the same value for it.
    expect(multipartEtag(['d41d8cd98f00b204e9800998ecf8427e'])).toBe(
      '59adb24ef3cdbe0297f05b395827453f-1',
    );
  });

  it.each(['', '90015098', '900150983cd24fb0d6963f7d28e17f72-2', `${'0'.repeat(31)}g`])(
    'refuses %j',
    (md5Hex) => {
      expect(() => multipartEtag([md5Hex])).toThrow();
    },
  );
});
