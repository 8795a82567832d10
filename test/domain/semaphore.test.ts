// Permits of a semaphore, and that a flood of one tenant leaves some to the others.
import { describe, expect, it } from 'vitest';
import { createSemaphore, type PermitHolder } from '../../src/domain/concurrency/semaphore.ts';

const of = (tenant: string, shares: PermitHolder['shares'] = []): PermitHolder => ({
  tenant,
  shares,
});

it('a semaphore gives its permits once, and again those that came back or expired', () => {
  let nowMs = 0;
  const semaphore = createSemaphore({ max: 2, idleMs: 100, nowMs: () => nowMs });
  const first = semaphore.take(of('a'));
  const second = semaphore.take(of('b'));
  expect(() => semaphore.take(of('c'))).toThrow('reduce your request rate');
  first.release();
  first.release();
  const third = semaphore.take(of('c'));
  expect(() => semaphore.take(of('d'))).toThrow();
  nowMs = 90;
  third.renew();
  nowMs = 150;
  // The second permit was not renewed; the third was.
  semaphore.take(of('d'));
  expect(() => semaphore.take(of('e'))).toThrow();
  second.renew();
  second.release();
  expect(() => semaphore.take(of('e'))).toThrow();
});

it('a semaphore with a queue leaves no permit unused, whoever has the others', async () => {
  const semaphore = createSemaphore({ max: 3, idleMs: 100, nowMs: () => 0, queueMax: 2 });
  const one = of('a', [{ name: 'source s', max: 1 }]);
  const permits = [1, 2, 3].map(() => semaphore.takeOrWait(one));
  expect(permits.filter((permit) => permit instanceof Promise)).toEqual([]);
  // Shares are of those that wait.
  const waiting = semaphore.takeOrWait(one);
  expect(waiting).toBeInstanceOf(Promise);
  expect(() => semaphore.takeOrWait(one)).toThrow('reduce your request rate');
  (await permits[0])?.release();
  expect(await waiting).toHaveProperty('release');
});

describe('a flood of permits', () => {
  const takeAll = (semaphore: ReturnType<typeof createSemaphore>, holder: PermitHolder) => {
    let taken = 0;
    while (semaphore.tryTake(holder) !== null) taken += 1;
    return taken;
  };

  it('of one tenant, or of several, leaves something to the next', () => {
    const semaphore = createSemaphore({ max: 16, idleMs: 100, nowMs: () => 0 });
    expect(['a', 'b', 'c', 'd'].map((tenant) => takeAll(semaphore, of(tenant)))).toEqual([
      8, 4, 2, 1,
    ]);
    expect(semaphore.tryTake(of('e'))).not.toBe(null);
  });

  it('of one source or bucket leaves something to the others of its tenant', () => {
    const semaphore = createSemaphore({ max: 16, idleMs: 100, nowMs: () => 0 });
    const [source, bucket] = [
      { name: 'source s', max: 2 },
      { name: 'bucket b', max: 5 },
    ];
    expect(takeAll(semaphore, of('a', [source, bucket]))).toBe(2);
    expect(takeAll(semaphore, of('a', [{ name: 'source t', max: 2 }, bucket]))).toBe(2);
    expect(takeAll(semaphore, of('a', [bucket]))).toBe(1);
    expect(takeAll(semaphore, of('a', [{ name: 'bucket c', max: 5 }]))).toBe(3);
    expect(takeAll(semaphore, of('b', [source]))).toBe(0);
  });
});
