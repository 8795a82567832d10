// A thousand first requests at once, over a thousand connections: nobody fails, and what stands
// below is asked once.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sampleBytes } from '../../core/memory-core.ts';
import { startWrappedPlatform, type WrappedPlatform } from '../kit/wrapped-platform.ts';

const MiB = 2 ** 20;
const HERD = 1000;

let platform: WrappedPlatform;
beforeAll(async () => {
  platform = await startWrappedPlatform({
    QUAYSIDE_TIER_LIMIT_MS: '60000',
    QUAYSIDE_NEGATIVE_FRESH_SECONDS: '60',
  });
});
afterAll(() => platform.close());

beforeEach(() => {
  // Slow enough that all have come before the first is answered.
  platform.behave.index = { ms: 200 };
  platform.behave.bucket = { ms: 200 };
});

const herd = <Result>(ask: (at: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: HERD }, (_, at) => ask(at)));

describe('a herd', () => {
  it('on a cold object reads the index once and the bucket once', { timeout: 60_000 }, async () => {
    const bytes = sampleBytes(20_000);
    await platform.put('cold', bytes);
    platform.reset();
    const replies = await herd(() => platform.get('cold'));
    expect(replies.filter(({ status, body }) => status !== 200 || !body.equals(bytes)).length).toBe(
      0,
    );
    expect(platform.calls).toEqual({ resolve: 1, read: 1 });
    await platform.get('cold');
    expect(platform.calls).toEqual({ resolve: 1, read: 1 });
  });

  it('on a key that is not there reads the index once', { timeout: 60_000 }, async () => {
    platform.reset();
    const replies = await herd(() => platform.get('missing'));
    expect(replies.every(({ status }) => status === 404)).toBe(true);
    expect(platform.calls).toEqual({ resolve: 1 });
    const statuses = replies.map(({ headers }) => headers['cache-status']);
    expect(
      statuses.filter((status) => status === 'quayside-memory; fwd=uri-miss').length,
    ).toBeGreaterThan(0);
    expect((await platform.get('missing')).headers['cache-status']).toBe('quayside-memory; hit');
  });

  it('on a thousand ranges of one large file reads each slice of it once', {
    timeout: 60_000,
  }, async () => {
    const bytes = sampleBytes(4 * MiB);
    await platform.put('large', bytes);
    platform.reset();
    const replies = await herd(async (at) => {
      const start = Math.floor((at * (bytes.length - 3000)) / HERD);
      const { status, body } = await platform.get('large', {
        range: `bytes=${start}-${start + 2999}`,
      });
      return status === 206 && body.equals(bytes.subarray(start, start + 3000));
    });
    expect(replies.filter((isRight) => !isRight).length).toBe(0);
    expect(platform.calls).toEqual({ resolve: 1, read: 4 });
  });

  it('on the whole of one large file reads each slice of it once', {
    timeout: 60_000,
  }, async () => {
    const bytes = sampleBytes(2 * MiB + 5);
    await platform.put('whole', bytes);
    platform.reset();
    const readers = await Promise.all(Array.from({ length: 30 }, () => platform.get('whole')));
    expect(readers.every(({ status, body }) => status === 200 && body.equals(bytes))).toBe(true);
    expect(platform.calls).toEqual({ resolve: 1, read: 3 });
  });

  it('that meets a failure fails with it once, and the next is served', {
    timeout: 60_000,
  }, async () => {
    await platform.put('broken', sampleBytes(50_000));
    platform.behave.index = 'fails';
    const replies = await Promise.all(Array.from({ length: 50 }, () => platform.get('broken')));
    expect(replies.every(({ status }) => status === 500)).toBe(true);
    platform.behave.index = 'works';
    platform.behave.bucket = 'fails';
    expect((await platform.get('broken')).status).toBe(500);
    platform.behave.bucket = 'works';
    expect((await platform.get('broken')).status).toBe(200);
  });
});
