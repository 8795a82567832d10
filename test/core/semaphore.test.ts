import { describe, expect, it } from 'vitest';
import { createSemaphore, type PermitHolder } from '../../src/core/semaphore.ts';

const of = (tenant: string, shares: PermitHolder['shares'] = []): PermitHolder => ({
  tenant,
  shares,
});

it('gives as many leases as there are, and again what came back or was forgotten', () => {
  let nowMs = 0;
  const leases = createSemaphore({ max: 2, idleMs: 100, nowMs: () => nowMs });
  const first = leases.take(of('a'));
  const second = leases.take(of('b'));
  expect(() => leases.take(of('c'))).toThrow('reduce your request rate');
  first.release();
  first.release();
  const third = leases.take(of('c'));
  expect(() => leases.take(of('d'))).toThrow();
  nowMs = 90;
  third.renew();
  nowMs = 150;
  // The second has not been heard of; the third has.
  leases.take(of('d'));
  expect(() => leases.take(of('e'))).toThrow();
  second.renew();
  second.release();
  expect(() => leases.take(of('e'))).toThrow();
});

describe('a flood', () => {
  const takeAll = (leases: ReturnType<typeof createSemaphore>, holder: PermitHolder) => {
    let taken = 0;
    while (leases.tryTake(holder) !== null) taken += 1;
    return taken;
  };

  it('of one tenant, or of several, leaves something to the next', () => {
    const leases = createSemaphore({ max: 16, idleMs: 100, nowMs: () => 0 });
    expect(['a', 'b', 'c', 'd'].map((tenant) => takeAll(leases, of(tenant)))).toEqual([8, 4, 2, 1]);
    expect(leases.tryTake(of('e'))).not.toBe(null);
  });

  it('of one source or bucket leaves something to the others of its tenant', () => {
    const leases = createSemaphore({ max: 16, idleMs: 100, nowMs: () => 0 });
    const [source, bucket] = [
      { name: 'source s', max: 2 },
      { name: 'bucket b', max: 5 },
    ];
    expect(takeAll(leases, of('a', [source, bucket]))).toBe(2);
    expect(takeAll(leases, of('a', [{ name: 'source t', max: 2 }, bucket]))).toBe(2);
    expect(takeAll(leases, of('a', [bucket]))).toBe(1);
    expect(takeAll(leases, of('a', [{ name: 'bucket c', max: 5 }]))).toBe(3);
    expect(takeAll(leases, of('b', [source]))).toBe(0);
  });
});
