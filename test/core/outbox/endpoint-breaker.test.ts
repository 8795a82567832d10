import { expect, it } from 'vitest';
import { createEndpointBreaker } from '../../../src/core/outbox/retry-times.ts';

it('an endpoint that fails again and again rests twice as long each time, up to a minute', () => {
  const breaker = createEndpointBreaker();
  const rests: number[] = [];
  for (let nowMs = 0, i = 0; i < 9; i++) {
    breaker.add('endpoint', nowMs, 2000);
    const endMs = breaker.firstEndMs(nowMs) ?? nowMs;
    rests.push(endMs - nowMs);
    nowMs = endMs;
  }
  expect(rests).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

it('attempts that failed beside each other are one failure, and a success ends the rest', () => {
  const breaker = createEndpointBreaker();
  breaker.add('endpoint', 0, 2000);
  breaker.add('endpoint', 10, 2000);
  expect([breaker.now(999), breaker.firstEndMs(999)]).toEqual([['endpoint'], 1000]);
  breaker.clear('endpoint');
  expect([breaker.now(999), breaker.firstEndMs(999)]).toEqual([[], null]);
  breaker.add('endpoint', 999, 2000);
  expect(breaker.firstEndMs(999)).toBe(1999);
});
