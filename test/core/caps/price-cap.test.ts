// What a cap counts: bytes alone where it is in bytes, and the dearest price of each use where it
// is in money.
import { expect, it } from 'vitest';
import { pricesOf, spentOf } from '../../../src/core/caps/price-cap.ts';
import { bytesCap } from './cap-samples.ts';

const MONTH = { year: 2026, month: 11 };
const usage = [
  { meter: 'egress/memory', quantity: 70n },
  { meter: 'egress/bucket', quantity: 30n },
  { meter: 'class-a/STANDARD', quantity: 5n },
  { meter: 'class-b/STANDARD', quantity: 7n },
] as unknown as Parameters<typeof spentOf>[0]['usage'];

it('a cap in bytes counts what goes out, and no request', () => {
  const cap = bytesCap(100n);
  expect(pricesOf(cap)).toEqual({ perA: 0, perB: 0, perByte: 1 });
  expect(spentOf({ cap, usage }, MONTH)).toBe(100n);
});

it('a cap in money whose card is gone counts nothing', () => {
  const cap = bytesCap(100n, { unit: 'money', cardId: 'gone' });
  expect(pricesOf(cap)).toEqual({ perA: 0, perB: 0, perByte: 0 });
  expect(spentOf({ cap, usage }, MONTH)).toBe(0n);
});

it('a cap in money counts the dearest class, in millionths', () => {
  const { perA, perB, perByte } = pricesOf(
    bytesCap(1n, { unit: 'money', cardId: 'cloudflare-r2' }),
  );
  // R2's dearest class is Infrequent Access: $9.00 and $0.90 for a million requests.
  expect([perA, perB].map((price) => Number(price.toFixed(9)))).toEqual([9, 0.9]);
  expect(perByte).toBeGreaterThan(0);
});
