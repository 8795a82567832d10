// Timeouts for calls of ports.
import { expect, it, vi } from 'vitest';
import { withTimeout } from '../../src/ports/with-timeout.ts';

it('withTimeout gives what work gives and fails as it fails, also before it began', async () => {
  expect(await withTimeout(1000, 'x', async () => 7)).toBe(7);
  await expect(withTimeout(1000, 'x', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  vi.useFakeTimers();
  try {
    const thrown = withTimeout(1000, 'x', () => {
      throw new Error('at once');
    });
    await expect(thrown).rejects.toThrow('at once');
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it('withTimeout gives what comes too late away, and a failure of that reaches nobody', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  try {
    const { promise, resolve } = Promise.withResolvers<string>();
    const dropped = vi.fn(() => {
      throw new Error('can not be closed');
    });
    await expect(withTimeout(1, 'a disk', () => promise, dropped)).rejects.toMatchObject({
      code: 'ServiceUnavailable',
    });
    resolve('late');
    // Rejections are reported once the microtasks are done.
    await new Promise((done) => setImmediate(done));
    expect(dropped).toHaveBeenCalledWith('late');
    expect(unhandled).not.toHaveBeenCalled();
  } finally {
    process.off('unhandledRejection', unhandled);
  }
});

it('withTimeout waits without end where the limit is Infinity, and sets no timer', async () => {
  vi.useFakeTimers();
  try {
    const { promise, resolve } = Promise.withResolvers<string>();
    const dropped = vi.fn();
    const waiting = withTimeout(Number.POSITIVE_INFINITY, 'a disk', () => promise, dropped);
    expect(vi.getTimerCount()).toBe(0);
    // A timer of Infinity would fire after a millisecond.
    vi.advanceTimersByTime(20);
    resolve('slow');
    expect(await waiting).toBe('slow');
    expect(dropped).not.toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});
