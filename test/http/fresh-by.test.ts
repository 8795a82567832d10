// What a change hears of when it will be seen: the time goes by what the request has changed, on
// both surfaces. The port says seconds by the change, as KV would where it holds one key and no
// read policy.
import { beforeEach, describe, expect, it } from 'vitest';
import type { HotMetadata, ReaderChange } from '../../src/ports/hot-metadata.ts';
import { startMemoryApi } from '../api/memory-api.ts';
import { contentMd5 } from './s3/kit/responses.ts';
import { createTestSurface } from './s3/kit/surface.ts';

const headers = { 'x-quayside-fresh-by': '1' };

/**
 * Lets the tier say: 120 s for the key `hot`, 60 s for what nobody knows of, 20 s for the read
 * policy, else 5 s.
 */
function watch(hotMetadata: HotMetadata): void {
  const secondsOf = (change: ReaderChange): number => {
    if (change === 'unknown') return 60;
    if (change === 'readPolicy') return 20;
    return change.some((key) => key === 'hot') ? 120 : 5;
  };
  Object.assign(hotMetadata, {
    staleForMs: (_bucket: string, change: ReaderChange) => secondsOf(change) * 1000,
  });
}

describe('the time when a change will be seen, of S3', () => {
  let surface = createTestSurface();
  beforeEach(async () => {
    surface = createTestSurface();
    watch(surface.core.ports.hotMetadata);
    await surface.send({ method: 'PUT', path: '/ddd' });
    for (const key of ['hot', 'cold'])
      await surface.send({ method: 'PUT', path: `/ddd/${key}`, body: key });
  });
  const secondsOf = async (sent: Parameters<typeof surface.send>[0]) => {
    const reply = await surface.send({ ...sent, headers: { ...sent.headers, ...headers } });
    expect([200, 204]).toContain(reply.status);
    return (
      (Date.parse(reply.headers['x-quayside-fresh-by'] ?? '') - surface.core.ports.clock.nowMs()) /
      1000
    );
  };

  it('is that of the keys, however the request names them', async () => {
    const remove = (...keys: string[]) => {
      const objects = keys.map((key) => `<Object><Key>${key}</Key></Object>`);
      const body = `<Delete>${objects.join('')}</Delete>`;
      const named = { method: 'POST', path: '/ddd', query: { delete: '' } };
      return secondsOf({ ...named, body, headers: { 'content-md5': contentMd5(body) } });
    };
    expect(await remove('cold')).toBe(5);
    expect(await remove('cold', 'hot')).toBe(120);
    expect(await secondsOf({ method: 'PUT', path: '/ddd/hot', body: 'x' })).toBe(120);
    expect(await secondsOf({ method: 'PUT', path: '/ddd/cold', body: 'x' })).toBe(5);
  });

  it('is the bucket’s for its settings, the longest where nothing was changed', async () => {
    expect(await secondsOf({ method: 'PUT', path: '/eee' })).toBe(20);
    expect(await secondsOf({ method: 'PUT', path: '/eee' })).toBe(60);
    expect(await secondsOf({ method: 'DELETE', path: '/ddd', query: { website: '' } })).toBe(20);
  });
});

describe('the time when a change will be seen, of the JSON API', () => {
  it('is that of the keys', async () => {
    const { core, send } = await startMemoryApi();
    watch(core.ports.hotMetadata);
    const secondsOf = async (key: string) => {
      const path = `/buckets/fuzz-bucket-one/object?key=${encodeURIComponent(key)}`;
      const reply = await send({ method: 'DELETE', path, headers, body: null });
      return (
        (Date.parse(reply.headers.get('x-quayside-fresh-by') ?? '') - core.ports.clock.nowMs()) /
        1000
      );
    };
    expect(await secondsOf('photos/1.jpg')).toBe(5);
    expect(await secondsOf('hot')).toBe(120);
  });
});
