// What bills call a meter, and the unit in which they show its quantity.
import { expect, it } from 'vitest';
import { meterWords } from '../../../src/core/billing/exports/meter-words.ts';
import type { MeterName } from '../../../src/domain/billing/usage.ts';

const GB = 1_000_000_000n;

it.each([
  ['storage/STANDARD', 'GB-hour'],
  ['early-delete/STANDARD_IA', 'GB-hour'],
  ['egress/internet', 'GB'],
  ['retrieval/STANDARD_IA', 'GB'],
  ['class-a/STANDARD', 'requests'],
])('the quantity of %s is shown in %s', (meter, unit) => {
  expect(meterWords(meter as MeterName, 0n).unit).toBe(unit);
});

it('bytes over time are shown in GB, requests as they are', () => {
  expect(meterWords('storage/STANDARD', 3n * GB).quantity).toBe('3');
  expect(meterWords('class-a/STANDARD', 3n * GB).quantity).toBe('3000000000');
});
