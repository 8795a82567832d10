// What the Node platform serves while its index or its disk fails or hangs. Memory is exact there:
// every write of the process empties it before it is answered, so what it holds is served as ever
// and never as stale; the rest is an error, in time.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import { PUBLIC_ACCESS } from '../../access-samples.ts';
import { key, sampleBytes } from '../../core/memory-core.ts';
import {
  type Behaviour,
  startWrappedPlatform,
  type WrappedPlatform,
} from '../kit/wrapped-platform.ts';

let platform: WrappedPlatform;
/** Keeps no bodies in memory, so that each is streamed. */
let untiered: WrappedPlatform;
afterEach(() => {
  platform.behave.index = 'works';
  platform.behave.bucket = 'works';
});

function breakDown(how: Behaviour): void {
  platform.behave.index = how;
  platform.behave.bucket = how;
}

/**
 * How, the status of what can't be served, and the limit in milliseconds: a hang takes that long,
 * anything else may.
 */
const OUTAGES: readonly ['fails' | 'hangs', number, number][] = [
  ['fails', 500, 15_000],
  ['hangs', 503, 500],
];

describe.each(OUTAGES)('while all below memory %s', (how, status, limitMs) => {
  beforeAll(async () => {
    const env = { QUAYSIDE_TIER_LIMIT_MS: `${limitMs}`, QUAYSIDE_NEGATIVE_FRESH_SECONDS: '0' };
    platform = await startWrappedPlatform(env);
    untiered = await startWrappedPlatform({ ...env, QUAYSIDE_BODY_MEMORY_BYTES: '0' });
  });
  afterAll(() => Promise.all([platform.close(), untiered.close()]));

  it('hot objects are served, whole, in parts and not at all', async () => {
    const bytes = sampleBytes(60_000, 1);
    await platform.put('hot', bytes);
    await platform.get('hot');
    breakDown(how);
    const hot = await platform.get('hot');
    expect([hot.status, hot.headers['cache-status'], hot.headers.age]).toEqual([
      200,
      'quayside-memory; hit',
      undefined,
    ]);
    expect(hot.body.equals(bytes)).toBe(true);
    const part = await platform.get('hot', { range: 'bytes=100-199' });
    expect([part.status, part.body.equals(bytes.subarray(100, 200))]).toEqual([206, true]);
    expect((await platform.get('hot', { 'if-none-match': String(hot.headers.etag) })).status).toBe(
      304,
    );
  });

  it('cold ones fail in time, and are served again afterwards', async () => {
    const bytes = sampleBytes(60_000, 2);
    await platform.put('cold', bytes);
    breakDown(how);
    expect((await platform.get('cold')).status).toBe(status);
    platform.behave.index = 'works';
    expect((await platform.get('cold')).status).toBe(status);
    platform.behave.bucket = 'works';
    expect((await platform.get('cold')).body.equals(bytes)).toBe(true);
  });

  it('reads past the tiers fail in time too', async () => {
    // Longer than what is read at once where the page cache has it.
    await untiered.put('past', sampleBytes(1_100_000));
    expect((await untiered.get('past')).status).toBe(200);
    untiered.behave.bucket = how;
    expect((await untiered.get('past')).status).toBe(status);
    expect(untiered.calls.openRuns).toBeGreaterThan(0);
    untiered.behave.bucket = 'works';
  });

  it('nothing is served that this process deleted or made private', async () => {
    await platform.put('gone', sampleBytes(10));
    await platform.get('gone');
    await deleteObjects(platform.core, platform.bucket, [{ key: key('gone') }]);
    breakDown(how);
    expect((await platform.get('gone')).status).toBe(status);
    platform.behave.index = 'works';
    expect((await platform.get('gone')).status).toBe(404);

    await platform.put('secret', sampleBytes(10));
    platform.behave.bucket = 'works';
    expect((await platform.get('secret')).status).toBe(200);
    await platform.bucket.call('setBucketAccess', { access: PRIVATE_ACCESS });
    breakDown(how);
    expect((await platform.get('secret')).status).toBe(status);
    platform.behave.index = 'works';
    expect((await platform.get('secret')).status).toBe(403);
    await platform.bucket.call('setBucketAccess', { access: PUBLIC_ACCESS });
  });
});
