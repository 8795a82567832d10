// The three CRCs, against their definitions and against zlib.
import { crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32, createCrc32Combiner } from '../../src/crypto/crc32.ts';
import { crc32c, createCrc32cCombiner } from '../../src/crypto/crc32c.ts';
import {
  CRC64_OF_NOTHING,
  type Crc64,
  crc64nvme,
  createCrc64nvmeCombiner,
} from '../../src/crypto/crc64nvme.ts';

// The three algorithms behind one shape, with hex values, so that one table of tests serves them
// all.
type Case = {
  readonly name: string;
  readonly of: (chunks: readonly Uint8Array[]) => string;
  readonly combine: (a: string, b: string, lengthBytesB: number) => string;
  readonly combineMany: (crcs: readonly { crc: string; lengthBytes: number }[]) => string;
  /** Straight from the definition, one bit at a time. */
  readonly slow: (data: Uint8Array) => string;
};

const hex32 = (crc: number): string => crc.toString(16).padStart(8, '0');
const hex64 = ({ high, low }: Crc64): string => hex32(high >>> 0) + hex32(low >>> 0);
const parse64 = (hex: string): Crc64 => ({
  high: Number.parseInt(hex.slice(0, 8), 16) | 0,
  low: Number.parseInt(hex.slice(8), 16) | 0,
});
const parse32 = (hex: string): number => Number.parseInt(hex, 16);

function slowCrc(data: Uint8Array, polynomial: bigint, bits: number): string {
  const ones = (1n << BigInt(bits)) - 1n;
  let crc = ones;
  for (const byte of data) {
    crc ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ polynomial : crc >> 1n;
  }
  return (crc ^ ones).toString(16).padStart(bits / 4, '0');
}

const cases: readonly Case[] = [
  {
    name: 'CRC32',
    of: (chunks) =>
      hex32(chunks.reduce<number | undefined>((crc, chunk) => crc32(chunk, crc), undefined) ?? 0),
    combine: (a, b, lengthBytesB) =>
      hex32(createCrc32Combiner()(parse32(a), parse32(b), lengthBytesB)),
    combineMany(crcs) {
      const combine = createCrc32Combiner();
      return hex32(
        crcs.reduce((whole, { crc, lengthBytes }) => combine(whole, parse32(crc), lengthBytes), 0),
      );
    },
    slow: (data) => slowCrc(data, 0xedb88320n, 32),
  },
  {
    name: 'CRC32C',
    of: (chunks) =>
      hex32(chunks.reduce<number | undefined>((crc, chunk) => crc32c(chunk, crc), undefined) ?? 0),
    combine: (a, b, lengthBytesB) =>
      hex32(createCrc32cCombiner()(parse32(a), parse32(b), lengthBytesB)),
    combineMany(crcs) {
      const combine = createCrc32cCombiner();
      return hex32(
        crcs.reduce((whole, { crc, lengthBytes }) => combine(whole, parse32(crc), lengthBytes), 0),
      );
    },
    slow: (data) => slowCrc(data, 0x82f63b78n, 32),
  },
  {
    name: 'CRC64NVME',
    of: (chunks) =>
      hex64(
        chunks.reduce<Crc64 | undefined>((crc, chunk) => crc64nvme(chunk, crc), undefined) ??
          CRC64_OF_NOTHING,
      ),
    combine: (a, b, lengthBytesB) =>
      hex64(createCrc64nvmeCombiner()(parse64(a), parse64(b), lengthBytesB)),
    combineMany(crcs) {
      const combine = createCrc64nvmeCombiner();
      return hex64(
        crcs.reduce(
          (whole, { crc, lengthBytes }) => combine(whole, parse64(crc), lengthBytes),
          CRC64_OF_NOTHING,
        ),
      );
    },
    slow: (data) => slowCrc(data, 0x9a6c9329ac4bc9b5n, 64),
  },
];

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

// Check values: https://reveng.sourceforge.io/crc-catalogue/all.htm; the 32 bytes of CRC32C: RFC
// 3720 B.4; the 4 KiB of CRC64NVME: NVM Command Set Specification 1.0b, figure "64b CRC test
// cases".
it.each([
  ['CRC32', ascii('123456789'), 'cbf43926'],
  ['CRC32', ascii(''), '00000000'],
  ['CRC32', ascii('The quick brown fox jumps over the lazy dog'), '414fa339'],
  ['CRC32C', ascii('123456789'), 'e3069283'],
  ['CRC32C', ascii(''), '00000000'],
  ['CRC32C', new Uint8Array(32), '8a9136aa'],
  ['CRC32C', new Uint8Array(32).fill(0xff), '62a8ab43'],
  ['CRC32C', Uint8Array.from({ length: 32 }, (_, i) => i), '46dd794e'],
  ['CRC32C', Uint8Array.from({ length: 32 }, (_, i) => 31 - i), '113fdb5c'],
  ['CRC64NVME', ascii('123456789'), 'ae8b14860a799888'],
  ['CRC64NVME', ascii(''), '0000000000000000'],
  ['CRC64NVME', new Uint8Array(4096), '6482d367eb22b64e'],
  ['CRC64NVME', new Uint8Array(4096).fill(0xff), 'c0ddba7302eca3ac'],
  ['CRC64NVME', Uint8Array.from({ length: 4096 }, (_, i) => i & 255), '3e729f5f6750449c'],
  ['CRC64NVME', Uint8Array.from({ length: 4096 }, (_, i) => 255 - (i & 255)), '9a2df64b8e9e517e'],
])('%s of a published input is the published one (%#)', (name, data, expected) => {
  const algorithm = cases.find((candidate) => candidate.name === name);
  expect(algorithm?.of([data])).toBe(expected);
});

describe.each(cases)('$name', ({ of, combine, combineMany, slow }) => {
  // Around the step of 16 bytes, at every offset in the buffer below it.
  it('agrees with the definition at every length and alignment', () => {
    const pool = Uint8Array.from({ length: 128 }, (_, i) => (i * 89 + 7) & 255);
    for (let offset = 0; offset < 9; offset++) {
      for (let length = 0; length <= 66; length++) {
        const data = pool.subarray(offset, offset + length);
        expect(of([data])).toBe(slow(data));
      }
    }
  });

  it('is the same however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.array(fc.nat(300), { maxLength: 6 }),
        (data, cuts) => {
          const ends = [...cuts.map((cut) => Math.min(cut, data.length)), data.length].sort(
            (a, b) => a - b,
          );
          const chunks = ends.map((end, i) => data.subarray(ends[i - 1] ?? 0, end));
          expect(of(chunks)).toBe(of([data]));
          expect(of([data])).toBe(slow(data));
        },
      ),
    );
  });

  it('does not depend on how large the chunk is', () => {
    const large = new Uint8Array(100_003).map((_, i) => (i * i) >>> 3);
    const chunks = Array.from({ length: 101 }, (_, i) => large.subarray(i * 991, (i + 1) * 991));
    expect(of(chunks)).toBe(of([large]));
  });

  it('of A and B makes that of A followed by B', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 200 }), (a, b) => {
        expect(combine(of([a]), of([b]), b.length)).toBe(of([a, b]));
      }),
    );
  });

  it('of many parts makes that of the whole, equal sizes or not', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 }), (parts) => {
        const crcs = parts.map((part) => ({ crc: of([part]), lengthBytes: part.length }));
        expect(combineMany(crcs)).toBe(of(parts));
        const equal = parts.map(() => ({ crc: of([ascii('same')]), lengthBytes: 4 }));
        expect(combineMany(equal)).toBe(of(parts.map(() => ascii('same'))));
      }),
    );
  });

  // Lengths that no test can hold in memory: joining three runs must not depend on which two are
  // joined first.
  it('joins associatively up to 5 TiB', () => {
    const length = fc.integer({ min: 0, max: 5 * 2 ** 40 });
    const crc = fc.uint8Array({ minLength: 1, maxLength: 8 }).map((data) => of([data]));
    fc.assert(
      fc.property(crc, crc, crc, length, length, (a, b, c, lengthB, lengthC) => {
        const leftFirst = combine(combine(a, b, lengthB), c, lengthC);
        expect(combine(a, combine(b, c, lengthC), lengthB + lengthC)).toBe(leftFirst);
      }),
    );
  });

  it('of more than 4 GiB of zeros is what doubling them gives', () => {
    // 2^33 zero bytes by doubling 33 times; every step joins two equal halves.
    let crc = of([new Uint8Array(1)]);
    for (let power = 0; power < 33; power++) crc = combine(crc, crc, 2 ** power);
    const half = (bits: number): string => {
      let value = of([new Uint8Array(1)]);
      for (let power = 0; power < bits; power++) value = combine(value, value, 2 ** power);
      return value;
    };
    expect(combine(half(32), half(32), 2 ** 32)).toBe(crc);
    // One byte and 2^33 bytes, joined in both orders: the long length goes through the shift in one
    // of them only.
    const one = of([new Uint8Array(1)]);
    expect(combine(one, crc, 2 ** 33)).toBe(combine(crc, one, 1));
  });
});

it('CRC32 is zlib’s', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (data) => {
      expect(crc32(data)).toBe(zlibCrc32(data));
    }),
  );
});
