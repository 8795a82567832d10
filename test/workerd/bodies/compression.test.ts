// Compression at rest on the Cloudflare platform: the cron trigger packs old bodies in R2, and
// readers of any tier get the same.
import { env, exports } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createDoDirectory } from '../../../src/adapters/cloudflare/clients/do-directory.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import type { AccountId } from '../../../src/domain/nouns.ts';
import { isSameBytes } from '../../contract/bodies.ts';
import { logBytes } from '../../contract/index/compressed-blobs.contract.ts';
import { refOf } from '../kit/bucket.ts';
import { createIsolate } from '../kit/isolate.ts';
import { makePublicBucket } from '../kit/public-bucket.ts';
import { sweepFrom } from '../kit/sweep-from.ts';
import { createWorkersCache } from '../kit/workers-cache.ts';

const directory = createDoDirectory(env.DIRECTORY, {
  ...{ clock: systemClock, background: { run: () => undefined }, hostFreshSeconds: 5 },
});
const LOG = logBytes(3 * 1024 * 1024);

it('the cron trigger packs what is old; whoever reads gets the same, past every tier', async () => {
  const { name, call, record, put, url } = await makePublicBucket();
  await directory.call('addBucket', { ownerId: 'owner' as AccountId, name, createdAtMs: 0 });
  await put('log', LOG.subarray(0, 2_000_000), LOG.subarray(2_000_000));
  const before = await createIsolate().fetch(url('log'));
  expect(isSameBytes(new Uint8Array(await before.arrayBuffer()), LOG)).toBe(true);

  const compression = { afterDays: 1, setAtMs: 1 };
  const changed = await call('setBucketSettings', {
    bucket: refOf(record),
    settings: { compression },
  });
  await sweepFrom(name);
  const bucket = refOf(changed);
  const [object] = await call('getObjects', { bucket, keys: ['log' as never] });
  const [segment, another] = object?.segments ?? [];
  expect(another).toBeUndefined();
  expect(segment?.packing).toMatchObject({ plainBytes: LOG.length });
  const storedBytes = segment?.packing?.storedBytes ?? 0;
  expect(storedBytes).toBeLessThan(LOG.length / 4);
  expect((await env.BLOBS.head(`b/${segment?.blobId}`))?.size).toBe(storedBytes);
  expect(await call('getStorageTotals', { bucket })).toMatchObject([
    { compressedBytes: LOG.length - storedBytes },
  ]);

  for (const cached of [createWorkersCache(exports.BodySlices as never), null]) {
    const isolate = createIsolate({ cached });
    for (const [from, to] of [
      [0, LOG.length - 1],
      [0, LOG.length - 1],
      [2_000_000, 2_000_100],
      [1_048_570, 1_048_580],
      [LOG.length - 5, LOG.length - 1],
    ] as const) {
      const answer = await isolate.fetch(url('log'), { headers: { range: `bytes=${from}-${to}` } });
      expect(answer.status).toBe(206);
      expect(answer.headers.get('etag')).toBe(before.headers.get('etag'));
      const bytes = new Uint8Array(await answer.arrayBuffer());
      expect(isSameBytes(bytes, LOG.subarray(from, to + 1))).toBe(true);
      await isolate.settle();
    }
    // From here on the place has the plain slices: nothing is read or opened again.
    expect((await isolate.count(url('log'))).r2).toEqual({});
  }
});
