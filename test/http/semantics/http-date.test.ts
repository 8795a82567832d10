import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatHttpDate, parseHttpDate } from '../../../src/http/semantics/http-date.ts';

const utc = (...parts: Parameters<typeof Date.UTC>): number => Date.UTC(...parts);
const EXAMPLE_MS = utc(1994, 10, 6, 8, 49, 37);

describe('formatHttpDate', () => {
  it.each([
    [EXAMPLE_MS, 'Sun, 06 Nov 1994 08:49:37 GMT'],
    [0, 'Thu, 01 Jan 1970 00:00:00 GMT'],
    [-1, 'Wed, 31 Dec 1969 23:59:59 GMT'],
    [utc(2026, 10, 20, 23, 59, 59), 'Fri, 20 Nov 2026 23:59:59 GMT'],
    [utc(2024, 1, 29), 'Thu, 29 Feb 2024 00:00:00 GMT'],
    [utc(2038, 0, 19, 3, 14, 8), 'Tue, 19 Jan 2038 03:14:08 GMT'],
    [utc(9999, 11, 31, 23, 59, 59), 'Fri, 31 Dec 9999 23:59:59 GMT'],
  ])('%d is %s', (ms, text) => {
    expect(formatHttpDate(ms)).toBe(text);
    expect(formatHttpDate(ms)).toBe(text);
  });

  it('rounds down to the second', () => {
    expect(formatHttpDate(EXAMPLE_MS + 999)).toBe('Sun, 06 Nov 1994 08:49:37 GMT');
    expect(formatHttpDate(EXAMPLE_MS + 1000)).toBe('Sun, 06 Nov 1994 08:49:38 GMT');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, utc(10_000, 0), utc(-1, 0), 8.64e15 + 1])(
    'refuses %d',
    (ms) => {
      expect(() => formatHttpDate(ms)).toThrow(RangeError);
    },
  );

  it('is right whatever was formatted before', () => {
    // Neighbouring seconds and seconds 256 apart compete for the slots of the memo.
    const second = fc.integer({ min: 0, max: 2000 }).map((offset) => EXAMPLE_MS + offset * 1000);
    fc.assert(
      fc.property(fc.array(second, { maxLength: 30 }), (seconds) => {
        for (const ms of seconds) expect(formatHttpDate(ms)).toBe(new Date(ms).toUTCString());
      }),
    );
  });
});

describe('parseHttpDate', () => {
  const NOW_MS = utc(2026, 10, 20);

  it.each([
    // The three forms of RFC 9110 section 5.6.7.
    ['Sun, 06 Nov 1994 08:49:37 GMT', EXAMPLE_MS],
    ['Sunday, 06-Nov-94 08:49:37 GMT', EXAMPLE_MS],
    ['Sun Nov  6 08:49:37 1994', EXAMPLE_MS],
    ['Sun Nov 16 08:49:37 1994', utc(1994, 10, 16, 8, 49, 37)],
    ['Sun Nov 06 08:49:37 1994', EXAMPLE_MS],
    // The calendar.
    ['Thu, 29 Feb 2024 00:00:00 GMT', utc(2024, 1, 29)],
    ['Tue, 29 Feb 2000 00:00:00 GMT', utc(2000, 1, 29)],
    ['Fri, 31 Dec 9999 23:59:59 GMT', utc(9999, 11, 31, 23, 59, 59)],
    ['Sat, 31 Dec 2016 23:59:60 GMT', utc(2017, 0, 1)], // leap second
    ['Sat, 01 Jan 0000 00:00:00 GMT', Date.parse('0000-01-01T00:00:00Z')],
    ['Tue, 29 Feb 0000 00:00:00 GMT', Date.parse('0000-02-29T00:00:00Z')],
    ['Sat, 01 Jan 0099 00:00:00 GMT', Date.parse('0099-01-01T00:00:00Z')],
    // A wrong day of the week: 29 October 2100 is a Friday.
    ['Sat, 29 Oct 2100 19:43:31 GMT', utc(2100, 9, 29, 19, 43, 31)],
    // Two digits: at most 50 years ahead of 2026.
    ['Friday, 20-Nov-26 00:00:00 GMT', utc(2026, 10, 20)],
    ['Friday, 20-Nov-76 00:00:00 GMT', utc(2076, 10, 20)],
    ['Sunday, 20-Nov-77 00:00:00 GMT', utc(1977, 10, 20)],
    ['Saturday, 01-Jan-00 00:00:00 GMT', utc(2000, 0, 1)],
    ['Friday, 01-Jan-99 00:00:00 GMT', utc(1999, 0, 1)],
  ])('reads %s', (text, expected) => {
    expect(parseHttpDate(text, NOW_MS)).toBe(expected);
  });

  it.each([
    '',
    'yesterday',
    '0',
    '1994-11-06T08:49:37Z',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'Sun, 06 Nov 1994 08:49:37 gmt',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    ' Sun, 06 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT ',
    'sun, 06 Nov 1994 08:49:37 GMT',
    'Sun, 06 nov 1994 08:49:37 GMT',
    'Sun, 06 NOV 1994 08:49:37 GMT',
    'Sun,  6 Nov 1994 08:49:37 GMT',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun 06 Nov 1994 08:49:37 GMT',
    'Sun, 06-Nov-1994 08:49:37 GMT',
    'Xyz, 06 Nov 1994 08:49:37 GMT',
    'Sun, 06 Foo 1994 08:49:37 GMT',
    'Sun, 00 Nov 1994 08:49:37 GMT',
    'Sun, 31 Nov 1994 08:49:37 GMT',
    'Sun, 32 Jan 1994 08:49:37 GMT',
    'Sun, 29 Feb 2023 08:49:37 GMT',
    'Sun, 29 Feb 1900 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:00 GMT',
    'Sun, 06 Nov 1994 08:49:61 GMT',
    'Sun, 06 Nov 1994 08.49.37 GMT',
    'Sun, 06 Nov 199a 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:4a:37 GMT',
    'Sun, +6 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-1994 08:49:37 GMT',
    'Sunday, 6-Nov-94 08:49:37 GMT',
    'Sunday, 31-Feb-94 08:49:37 GMT',
    'Sunday, 06-Nov-94 25:49:37 GMT',
    'Sunday, 06-Foo-94 08:49:37 GMT',
    'Sun, 06-Nov-94 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37',
    'Sun Nov 6 08:49:37 1994',
    'Sun Nov  6 08:49:37 94',
    'Sun Nov  0 08:49:37 1994',
    'Sun Nov 31 08:49:37 1994',
    'Sun Foo  6 08:49:37 1994',
    'Xxx Nov  6 08:49:37 1994',
    'Sun Nov  6 08-49-37 1994',
    'Sun-Nov  6 08:49:37 1994',
  ])('refuses %j', (text) => {
    expect(parseHttpDate(text, NOW_MS)).toBeNull();
  });

  it('reads back every date that is formatted', () => {
    fc.assert(
      fc.property(fc.integer({ min: utc(1000, 0), max: utc(9999, 11, 31) }), (ms) => {
        expect(parseHttpDate(formatHttpDate(ms))).toBe(Math.floor(ms / 1000) * 1000);
      }),
    );
  });

  it('never throws and never gives anything but a second', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'SunMonNov ,:-0123456789GMT'), maxLength: 40 }),
        (text) => {
          const ms = parseHttpDate(text);
          expect(ms === null || ms % 1000 === 0).toBe(true);
        },
      ),
    );
  });
});
