import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  partValueLength,
  writePartValue,
} from '../../../src/adapters/node/fast-path/range-head.ts';
import {
  PART_HEADERS,
  type PartHeader,
  partValue,
  type RangeFacts,
} from '../../../src/http/delivery/fast-path/fast-response.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';

function written(name: PartHeader, part: RangeFacts): string {
  const bytes = Buffer.alloc(200, '#');
  const end = writePartValue(bytes, 7, name, part);
  expect(partValueLength(name, part)).toBe(end - 7);
  expect(bytes.toString('latin1', 0, 7) + bytes.toString('latin1', end)).toMatch(/^#+$/);
  return bytes.toString('latin1', 7, end);
}

const numbers = [
  0,
  1,
  9,
  10,
  99,
  999_999_999,
  1_000_000_000,
  1_073_741_823,
  4_294_967_296,
  Number.MAX_SAFE_INTEGER,
];

describe('what the head of a range says of it', () => {
  it.each(numbers)('is written digit by digit: %d', (number) => {
    const part = {
      range: { startByte: 0, endByteInclusive: number },
      sizeBytes: number,
      serverTiming: '',
    };
    expect(written('content-range', part)).toBe(`bytes 0-${number}/${number}`);
  });

  const anyNumber = fc.oneof(
    fc.maxSafeNat().map((nat) => Math.floor(nat / 4)),
    fc.nat(),
    fc.nat(2000),
  );
  const anyPart = fc.tuple(anyNumber, anyNumber, anyNumber, fc.stringMatching(/^[ -~]{0,80}$/));

  it('is what other doors say in text', () => {
    fc.assert(
      fc.property(anyPart, ([start, lengthLess1, more, serverTiming]) => {
        const range = { startByte: start, endByteInclusive: start + lengthLess1 };
        const part = { range, sizeBytes: range.endByteInclusive + 1 + more, serverTiming };
        for (const name of PART_HEADERS) expect(written(name, part)).toBe(partValue(name, part));
      }),
      { numRuns: fuzzRuns(300) },
    );
  });
});
