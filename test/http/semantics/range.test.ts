import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  contentRange,
  parseRange,
  unsatisfiedContentRange,
} from '../../../src/http/semantics/range.ts';

const range = (startByte: number, endByteInclusive: number) => ({ startByte, endByteInclusive });

describe('parseRange', () => {
  it.each([
    // No header, or nothing that is one range: the whole object.
    [null, 10, 'whole'],
    ['', 10, 'whole'],
    ['bytes', 10, 'whole'],
    ['bytes=', 10, 'whole'],
    ['bytes=-', 10, 'whole'],
    ['bytes=5', 10, 'whole'],
    ['bytes=a-b', 10, 'whole'],
    ['bytes=1-b', 10, 'whole'],
    ['bytes=a-1', 10, 'whole'],
    ['bytes=--1', 10, 'whole'],
    ['bytes=-1-2', 10, 'whole'],
    ['bytes=1-2-3', 10, 'whole'],
    ['bytes=1.0-2', 10, 'whole'],
    ['bytes=0x1-0x2', 10, 'whole'],
    ['bytes=+1-2', 10, 'whole'],
    ['bytes= 1-2', 10, 'whole'],
    ['bytes=1 -2', 10, 'whole'],
    ['bytes=1-2 ', 10, 'whole'],
    [' bytes=1-2', 10, 'whole'],
    ['bytes 1-2', 10, 'whole'],
    ['bytes=1-2/10', 10, 'whole'],
    ['items=1-2', 10, 'whole'],
    ['bytes=5-4', 10, 'whole'],
    ['bytes=20-15', 10, 'whole'],
    ['bytes=١-٢', 10, 'whole'],
    // Several ranges.
    ['bytes=0-1,3-4', 10, 'whole'],
    ['bytes=0-1, 3-4', 10, 'whole'],
    ['bytes=0-1,', 10, 'whole'],
    ['bytes=-1,0-0', 10, 'whole'],
    // First and last byte.
    ['bytes=0-0', 10, range(0, 0)],
    ['bytes=0-9', 10, range(0, 9)],
    ['bytes=4-7', 10, range(4, 7)],
    ['bytes=9-9', 10, range(9, 9)],
    ['bytes=0-10', 10, range(0, 9)],
    ['bytes=5-999999999999999999999999', 10, range(5, 9)],
    ['bytes=007-008', 10, range(7, 8)],
    ['BYTES=1-2', 10, range(1, 2)],
    ['Bytes=1-', 10, range(1, 9)],
    // Open end.
    ['bytes=0-', 10, range(0, 9)],
    ['bytes=4-', 10, range(4, 9)],
    ['bytes=9-', 10, range(9, 9)],
    // Suffix.
    ['bytes=-1', 10, range(9, 9)],
    ['bytes=-7', 10, range(3, 9)],
    ['bytes=-10', 10, range(0, 9)],
    ['bytes=-11', 10, range(0, 9)],
    ['bytes=-99999999999999999999999', 10, range(0, 9)],
    // Nothing to send.
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=10-10', 10, 'unsatisfiable'],
    ['bytes=40-50', 10, 'unsatisfiable'],
    ['bytes=99999999999999999999999-', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    // An empty object has no range; what is malformed is ignored all the same.
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=0-0', 0, 'unsatisfiable'],
    ['bytes=40-50', 0, 'unsatisfiable'],
    // A suffix is satisfiable even of nothing, which only a 200 can say.
    ['bytes=-1', 0, 'whole'],
    ['bytes=-0', 0, 'unsatisfiable'],
    ['bytes=x', 0, 'whole'],
    ['bytes=0-1,2-3', 0, 'whole'],
    [null, 0, 'whole'],
    // The largest object of S3.
    ['bytes=5497558138879-', 5_497_558_138_880, range(5_497_558_138_879, 5_497_558_138_879)],
    ['bytes=-1', 5_497_558_138_880, range(5_497_558_138_879, 5_497_558_138_879)],
  ] as const)('%j of %d bytes', (header, sizeBytes, expected) => {
    expect(parseRange(header, sizeBytes)).toEqual(expected);
  });

  it('stays inside the object and gives what was asked for', () => {
    const size = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(size, fc.nat(1200), fc.nat(1200), (sizeBytes, first, last) => {
        const found = parseRange(`bytes=${first}-${last}`, sizeBytes);
        if (last < first) expect(found).toBe('whole');
        else if (first >= sizeBytes) expect(found).toBe('unsatisfiable');
        else expect(found).toEqual(range(first, Math.min(last, sizeBytes - 1)));
      }),
    );
  });

  it('never throws, whatever is sent', () => {
    fc.assert(
      fc.property(
        fc
          .oneof(
            fc.string({ unit: fc.constantFrom(...'bytes=-,0123456789 ') }),
            // Left to chance alone, next to none would be a range.
            fc
              .tuple(fc.option(fc.nat(25)), fc.option(fc.nat(25)))
              .map(([a, b]) => `${a ?? ''}-${b ?? ''}`),
          )
          .map((text) => `bytes=${text}`),
        fc.nat(20),
        (header, sizeBytes) => {
          const found = parseRange(header, sizeBytes);
          if (typeof found === 'string') return;
          expect(found.startByte).toBeGreaterThanOrEqual(0);
          expect(found.endByteInclusive).toBeGreaterThanOrEqual(found.startByte);
          expect(found.endByteInclusive).toBeLessThan(sizeBytes);
        },
      ),
    );
  });
});

describe('Content-Range', () => {
  it('names a part, or none', () => {
    expect(contentRange(range(4, 7), 10)).toBe('bytes 4-7/10');
    expect(contentRange(range(0, 0), 1)).toBe('bytes 0-0/1');
    expect(unsatisfiedContentRange(10)).toBe('bytes */10');
    expect(unsatisfiedContentRange(0)).toBe('bytes */0');
  });
});
