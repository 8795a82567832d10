// What a change hears of when it will be seen: the time goes by the bucket's setting and by how
// long browsers keep its reads, on both surfaces.
import { beforeEach, describe, expect, it } from 'vitest';
import type { HotMetadata } from '../../src/ports/caches/hot-metadata.ts';
import { startMemoryApi } from '../api/memory-api.ts';
import { createTestSurface } from './s3/kit/surface.ts';

const headers = { 'x-quayside-fresh-by': '1' };

/** Lets the tiers say: 5 s, 1 s of a strict bucket, and 60 s for what nobody knows of. */
function watch(hotMetadata: HotMetadata): void {
  const seconds = { strict: 1, balanced: 5, kv: 40, unknown: 60 };
  const staleForMs: HotMetadata['staleForMs'] = (mode) => seconds[mode ?? 'balanced'] * 1000;
  Object.assign(hotMetadata, { staleForMs });
}

describe('the time when a change will be seen, of S3', () => {
  let surface = createTestSurface();
  beforeEach(async () => {
    surface = createTestSurface();
    watch(surface.core.ports.hotMetadata);
    await surface.send({ method: 'PUT', path: '/ddd' });
  });
  const secondsOf = async (sent: Parameters<typeof surface.send>[0]) => {
    const reply = await surface.send({ ...sent, headers: { ...sent.headers, ...headers } });
    expect([200, 204]).toContain(reply.status);
    return (
      (Date.parse(reply.headers['x-quayside-fresh-by'] ?? '') - surface.core.ports.clock.nowMs()) /
      1000
    );
  };
  const publish = (query: Record<string, string>, document: object) =>
    surface.send({ method: 'PUT', path: '/ddd', query, body: JSON.stringify(document) });
  const POLICY = {
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::ddd/*' },
    ],
  };

  it('is that of the tiers while nobody reads without a signature', async () => {
    expect(await secondsOf({ method: 'PUT', path: '/ddd/a', body: 'x' })).toBe(5);
    expect(await secondsOf({ method: 'DELETE', path: '/ddd/a' })).toBe(5);
    expect(await secondsOf({ method: 'DELETE', path: '/ddd', query: { website: '' } })).toBe(5);
  });

  it('is the longest where nothing was changed: another process may have', async () => {
    expect(await secondsOf({ method: 'PUT', path: '/eee' })).toBe(5);
    expect(await secondsOf({ method: 'PUT', path: '/eee' })).toBe(120);
  });

  it('has the time for which browsers keep what everyone reads', async () => {
    await publish({ policy: '' }, POLICY);
    expect(await secondsOf({ method: 'PUT', path: '/ddd/a', body: 'x' })).toBe(65);
    // A bucket that is closed was open before.
    expect(await secondsOf({ method: 'DELETE', path: '/ddd', query: { policy: '' } })).toBe(65);
    expect(await secondsOf({ method: 'PUT', path: '/ddd/a', body: 'x' })).toBe(5);
  });
});

describe('the time when a change will be seen, of the JSON API', () => {
  const path = '/buckets/fuzz-bucket-one';

  async function start(hosting: object | null) {
    const { core, send } = await startMemoryApi();
    watch(core.ports.hotMetadata);
    const change = async (body: object | null, method = 'PATCH', at = path) => {
      const reply = await send({
        method,
        path: at,
        headers: { ...headers, 'content-type': 'application/json', 'if-match': '*' },
        body: body === null ? null : JSON.stringify(body),
      });
      expect(reply.status).toBeLessThan(300);
      const freshBy = Date.parse(reply.headers.get('x-quayside-fresh-by') ?? '');
      return (freshBy - core.ports.clock.nowMs()) / 1000;
    };
    await change({ publicAccess: 'read', hosting });
    const remove = (key: string) =>
      change(null, 'DELETE', `${path}/object?key=${encodeURIComponent(key)}`);
    return { change, remove };
  }

  it('goes by the setting of the bucket before the change', async () => {
    const { change } = await start(null);
    expect(await change({ metadata: 'strict' })).toBe(65);
    expect(await change({ metadata: 'kv' })).toBe(61);
    expect(await change({ metadata: 'balanced' })).toBe(100);
  });

  it.each([
    ['no-cache', 5],
    ['max-age=600, no-store', 5],
    ['max-age=20', 25],
    ['public, s-maxage=30, max-age=20', 35],
    ['public,max-age=20,stale-while-revalidate=100', 125],
    ['immutable', 5],
  ])('goes by the Cache-Control of a rule: %s', async (cacheControl, seconds) => {
    const rule = { match: '/photos/**', cacheControl };
    const { remove, change } = await start({ cacheControlRules: [rule] });
    expect(await remove('photos/1.jpg')).toBe(seconds);
    expect(await remove('other.jpg')).toBe(65);
    expect(await change({ tags: {} })).toBe(Math.max(65, seconds));
  });
});
