import { expect, it } from 'vitest';
import { createLeases } from '../../src/core/leases.ts';

it('gives as many leases as there are, and again what came back or was forgotten', () => {
  let nowMs = 0;
  const leases = createLeases({ max: 2, idleMs: 100, nowMs: () => nowMs });
  const first = leases.take();
  const second = leases.take();
  expect(() => leases.take()).toThrow('reduce your request rate');
  first.release();
  first.release();
  const third = leases.take();
  expect(() => leases.take()).toThrow();
  nowMs = 90;
  third.renew();
  nowMs = 150;
  // The second has not been heard of; the third has.
  leases.take();
  expect(() => leases.take()).toThrow();
  second.renew();
  second.release();
  expect(() => leases.take()).toThrow();
});
