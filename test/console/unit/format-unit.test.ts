// Money and quantities as people read them, in both languages.
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { language } from '../../../src/console/app/preferences.ts';
import { jobs as enJobs } from '../../../src/console/i18n/en/jobs.ts';
import { usage as en } from '../../../src/console/i18n/en/usage.ts';
import {
  date,
  endTime,
  exactMoney,
  money,
  smallMoney,
  time,
} from '../../../src/console/i18n/format.ts';
import { billLabel, quantity } from '../../../src/console/i18n/quantity.ts';
import { jobs as zhJobs } from '../../../src/console/i18n/zh/jobs.ts';
import { usage as zh } from '../../../src/console/i18n/zh/usage.ts';
import { RATE_CARDS } from '../../../src/core/billing/prices/rate-cards.ts';
import { UNDOABLE_JOBS } from '../../../src/domain/keys/key-jobs.ts';

afterAll(() => {
  language.value = 'en';
});

describe.each(['en', 'zh'] as const)('money in %s', (shown) => {
  beforeEach(() => {
    language.value = shown;
  });

  it.each([
    [0, '$0.00'],
    [1, '<$0.01'],
    [9_999, '<$0.01'],
    [10_000, '$0.01'],
    [12_860_000, '$12.86'],
    ['1234567890', '$1,234.57'],
    [-5_000_000, '-$5.00'],
    [-3, '$0.00'],
  ])('shows %s micro-units as %s', (micro, text) => {
    expect(money(micro, 'USD')).toBe(text);
  });

  it('shows all digits of a sum where it is pointed at', () => {
    expect(exactMoney(113, 'USD')).toBe('$0.000113');
    expect(exactMoney(12_860_000, 'USD')).toBe('$12.86');
  });

  it('keeps four digits for one thing', () => {
    expect(smallMoney(400, 'USD')).toBe('$0.0004');
    expect(smallMoney(3, 'USD')).toBe('<$0.0001');
    expect(smallMoney(0, 'USD')).toBe('$0.00');
  });
});

it('a date is Today or Yesterday on these days alone, and ends lie in the future', () => {
  language.value = 'en';
  const words = { today: 'Today', yesterday: 'Yesterday' };
  const noonIn = (days: number) => {
    const at = new Date();
    at.setDate(at.getDate() + days);
    return at.setHours(12, 0, 0, 0);
  };
  expect([0, -1].map((days) => time(noonIn(days), words))).toEqual([
    'Today 12:00',
    'Yesterday 12:00',
  ]);
  expect(time(noonIn(-3), words)).toBe(date(noonIn(-3)));
  for (const days of [2, 90]) expect(time(noonIn(days), words)).toBe(endTime(noonIn(days)));
});

it.each([
  ['0.000113', 'million', '113 requests', '113 次请求'],
  ['0.000001', 'million', '1 request', '1 次请求'],
  ['12.4', 'million', '12.4M requests', '1240万 次请求'],
  ['0.25', 'ten thousand', '2,500 requests', '2,500 次请求'],
  ['0.0123', 'GB', '12.3 MB', '12.3 MB'],
  ['0.000000000001', 'GB', '0 B', '0 B'],
  ['512', 'GB', '512 GB', '512 GB'],
  ['2048', 'GB', '2.05 TB', '2.05 TB'],
  ['0.0000123', 'GB-month', '12.3 kB for a month', '12.3 kB，存满一个月'],
  ['3.5', 'picture', '3.5 picture', '3.5 picture'],
])('%s %s are %s, %s', (units, unit, english, chinese) => {
  language.value = 'en';
  expect(quantity(units, unit, en)).toBe(english);
  language.value = 'zh';
  expect(quantity(units, unit, zh)).toBe(chinese);
});

describe('labels of the bill', () => {
  const lines = RATE_CARDS.flatMap((card) => card.lines);
  const labels = [...new Set(lines.flatMap(({ label, unit }) => [label, unit.name]))];

  it('are Chinese for every rate card that ships with the server', () => {
    expect(labels.length).toBeGreaterThan(20);
    const asTheyAre = labels.filter((label) => billLabel(label, zh.labels) === label);
    // What both languages write so.
    expect(asTheyAre).toEqual(['GB']);
    expect(labels.map((label) => billLabel(label, en.labels))).toEqual(labels);
  });

  it('are put together of their parts, and an operator’s own stay as they are', () => {
    const label = 'Storage, Infrequent Access, saved by compression';
    expect(billLabel(label, zh.labels)).toBe('存储，低频访问，压缩节省');
    const own = ['Storage, Berlin', 'Disks, Standard', 'toString', '我的存储', ', Standard'];
    expect(own.map((one) => billLabel(one, zh.labels))).toEqual(own);
  });
});

it('80: the trash says for how many jobs of a bucket Undo works', () => {
  for (const texts of [enJobs, zhJobs]) expect(texts.undoHint).toContain(` ${UNDOABLE_JOBS} `);
});
