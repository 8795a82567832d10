// Dates of signatures: each day of a calendar is one, and nothing else is.
import { describe, expect, it } from 'vitest';
import { parseAmzDate } from '../../../../src/http/s3/signature/request-time.ts';

const MONTHS = ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12'];
const lastDayOf = (year: number, month: string) =>
  new Date(Date.UTC(year, Number(month), 0)).getUTCDate();

describe('a date of a signature', () => {
  it.each([2023, 2024, 2100])('has the months and leap days of %i', (year) => {
    for (const month of MONTHS) {
      const last = lastDayOf(year, month);
      expect(parseAmzDate(`${year}${month}01T000000Z`)?.timeMs).toBe(
        Date.UTC(year, Number(month) - 1, 1),
      );
      expect(parseAmzDate(`${year}${month}${last}T235959Z`)?.timeMs).toBe(
        Date.UTC(year, Number(month) - 1, last, 23, 59, 59),
      );
      expect(parseAmzDate(`${year}${month}${last + 1}T000000Z`)).toBeNull();
    }
  });

  it.each([
    '20261301T000000Z',
    '20260001T000000Z',
    '20261100T000000Z',
    '20261101T240000Z',
    '20261101T006000Z',
    '20261101T000060Z',
    '19691231T235959Z',
    '20261101T000000z',
    '20261101 000000Z',
    '20261101T000000Z ',
  ])('is not %s', (text) => {
    expect(parseAmzDate(text)).toBeNull();
  });

  it('may be of the first second that there is', () => {
    expect(parseAmzDate('19700101T000000Z')).toEqual({ amzDate: '19700101T000000Z', timeMs: 0 });
  });

  it('has nothing but digits where digits belong', () => {
    const text = '20261101T000000Z';
    for (const at of [...text].keys())
      for (const sign of '/: -T')
        if (text[at] !== sign)
          expect(parseAmzDate(text.slice(0, at) + sign + text.slice(at + 1))).toBeNull();
  });
});
