// The body tiers of the Cloudflare platform, over the real Cache API and the real entrypoint, with
// Workers Cache as described.
import { env, exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createR2BlobStore } from '../../../src/adapters/cloudflare/bodies/r2-blob-store.ts';
import { createWorkersEdgeCache } from '../../../src/adapters/cloudflare/bodies/workers-edge-cache.ts';
import { createMemoryBodies } from '../../../src/adapters/shared/memory-bodies.ts';
import type { BlobId, Segment } from '../../../src/domain/nouns.ts';
import type { Background, Log } from '../../../src/ports/system.ts';
import { identityOf, isSameBytes, patternBytes, sourceOf } from '../../contract/bodies.ts';
import { edgeCacheContract } from '../../contract/edge-cache.contract.ts';
import { counting, countingCaches } from '../kit/counting.ts';
import { createWorkersCache } from '../kit/workers-cache.ts';

const reported: string[] = [];
const log: Log = { info() {}, error: (event) => reported.push(event) };

const running: Promise<unknown>[] = [];
const background: Background = { run: (_label, work) => void running.push(work()) };
const settle = () => Promise.all(running.splice(0));

/**
 * How long a hang is waited for where a test makes one, and where none is to be: this machine may
 * be busy.
 */
const HANG_MS = 50;
const PATIENT_MS = 15_000;

/** The tiers as a new isolate has them. */
function isolate(
  maxSliceBytes = 0,
  entrypoint: Pick<Fetcher, 'fetch'> | null = null,
  limitMs = PATIENT_MS,
) {
  const clock = { ms: 1_750_000_000_000, nowMs: () => clock.ms };
  const memory = createMemoryBodies({ maxBytes: 4_000_000, maxSliceBytes });
  const cache = createWorkersEdgeCache({ memory, entrypoint, clock, background, log, limitMs });
  const whole = (slice: Segment) => ({ offsetBytes: 0, lengthBytes: slice.lengthBytes });
  const read = (slice: Segment, load: () => Promise<Uint8Array>, part = whole(slice)) =>
    cache.read(slice, load, part);
  return { ...cache, read, clock };
}

edgeCacheContract({ name: 'Cache API only', make: () => isolate(), settle });
edgeCacheContract({ name: 'memory before Cache API', make: () => isolate(524_288), settle });

const bytes = patternBytes(100_000);
const load = async () => bytes;
const neverLoad = () => Promise.reject(new Error('must not be loaded'));

let made = 0;
/** A slice in the middle of a blob that is in R2. */
async function storedSlice(): Promise<Segment> {
  const blobId = `edge-test~1/${Date.now().toString(36)}x${++made}` as BlobId;
  const body = new Uint8Array(bytes.length + 20);
  body.set(bytes, 10);
  await createR2BlobStore(env.BLOBS).write(blobId, sourceOf(body), identityOf());
  return { blobId, offsetBytes: 10, lengthBytes: bytes.length };
}

it('the tier lets a few reads have slices at once, and forgets one that never ends', () => {
  const { beginSlices, clock } = isolate();
  const ends = Array.from({ length: 8 }, () => beginSlices?.());
  expect(ends).not.toContain(null);
  expect(beginSlices?.()).toBeNull();
  ends[0]?.();
  ends[0]?.();
  expect(beginSlices?.()).not.toBeNull();
  expect(beginSlices?.()).toBeNull();
  clock.ms += 300_000;
  expect(beginSlices?.()).not.toBeNull();
});

describe('the Cache API', () => {
  const slice: Segment = {
    blobId: 'edge-test~1/a' as BlobId,
    offsetBytes: 0,
    lengthBytes: bytes.length,
  };

  async function putElsewhere(): Promise<void> {
    await isolate().read(slice, load);
    await settle();
  }

  it(
    'gives another isolate what this one put, ' +
      'which says so and keeps it in memory from then on',
    async () => {
      await putElsewhere();
      const elsewhere = isolate(524_288);
      const first = await elsewhere.read(slice, neverLoad);
      expect(first.tier).toBe('edge');
      expect(isSameBytes(first.bytes, bytes)).toBe(true);
      expect(elsewhere.peek(slice)).not.toBeNull();
    },
  );

  it('is asked once for a slice that the place has, and not at all for a hot one', async () => {
    await putElsewhere();
    const cache = isolate(524_288);
    const calls = await countingCaches(async () => {
      await cache.read(slice, neverLoad);
      cache.peek(slice);
      await settle();
    });
    expect(calls).toEqual({ match: 1, put: 0 });
  });

  it.each([
    ['fails', () => Promise.reject(new Error('expected by the test')), ['read', 'write']],
    ['hangs', () => new Promise<Cache>(() => undefined), ['read']],
  ])('is a miss when it %s, and that is reported', async (_what, open, what) => {
    reported.length = 0;
    await countingCaches(
      async () => {
        expect((await isolate(0, null, HANG_MS).read(slice, load)).tier).toBe('bucket');
        await Promise.race([settle(), scheduler.wait(10)]);
      },
      { open },
    );
    running.length = 0;
    expect(reported).toEqual(what.map((name) => `edge-cache-${name}-failed`));
  });
});

describe('Workers Cache', () => {
  it(
    'is asked with one call, which brings the ' +
      'slice from R2 once and from the cache from then on',
    async () => {
      const { entrypoint, calls } = createWorkersCache(exports.BodySlices);
      const slice = await storedSlice();
      const cacheApi = await countingCaches(async () => {
        const cold = await isolate(0, entrypoint).read(slice, neverLoad);
        expect(cold.tier).toBe('bucket');
        expect(isSameBytes(cold.bytes, bytes)).toBe(true);
        const warm = await isolate(0, entrypoint).read(slice, neverLoad);
        expect(warm.tier).toBe('edge');
        expect(isSameBytes(warm.bytes, bytes)).toBe(true);
        await settle();
      });
      expect(calls).toEqual({ asked: 2, run: 1 });
      expect(cacheApi).toEqual({ match: 0, put: 0 });
    },
  );

  it('is asked for no more than the part that is wanted of what memory does not keep', async () => {
    const { entrypoint, calls } = createWorkersCache(exports.BodySlices);
    const slice = await storedSlice();
    const part = { offsetBytes: 500, lengthBytes: 20 };
    for (const tier of ['bucket', 'edge']) {
      const found = await isolate(1000, entrypoint).read(slice, neverLoad, part);
      expect(found).toEqual({ bytes: bytes.slice(500, 520), isPart: true, tier });
    }
    expect(calls).toMatchObject({ asked: 2, run: 1 });
    const kept = await isolate(524_288, entrypoint).read(slice, neverLoad, part);
    expect([kept.isPart, isSameBytes(kept.bytes, bytes)]).toEqual([false, true]);
  });

  it('runs a herd once, from however many isolates', async () => {
    const { entrypoint, calls } = createWorkersCache(exports.BodySlices);
    const slice = await storedSlice();
    const isolates = [isolate(0, entrypoint), isolate(0, entrypoint)];
    const found = await Promise.all(
      Array.from({ length: 1000 }, (_, at) => isolates[at % 2]?.read(slice, neverLoad)),
    );
    expect(found.every((each) => each !== undefined && isSameBytes(each.bytes, bytes))).toBe(true);
    expect(calls.run).toBe(1);
  });

  it('gives way to the Cache API where the entrypoint is uncached, and is retried', async () => {
    const uncached = counting({ fetch: (url: string) => exports.BodySlices.fetch(url) });
    const here = isolate(0, uncached.target as unknown as Fetcher);
    const slice = await storedSlice();
    expect((await here.read(slice, neverLoad)).tier).toBe('bucket');
    await settle();
    expect((await here.read(slice, neverLoad)).tier).toBe('edge');
    expect(uncached.calls).toEqual({ fetch: 1 });
    here.clock.ms += 60_000;
    await here.read(slice, neverLoad);
    expect(uncached.calls).toEqual({ fetch: 2 });
  });

  it.each([
    ['fails', () => Promise.reject(new Error('expected by the test'))],
    ['hangs', () => new Promise<Response>(() => undefined)],
  ])(
    'is not asked again for a moment for a slice for which it %s: that comes from elsewhere',
    async (_what, fetch) => {
      reported.length = 0;
      const broken = counting({ fetch });
      const here = isolate(0, broken.target as unknown as Fetcher, HANG_MS);
      const slice = await storedSlice();
      for (let reader = 0; reader < 3; reader++) {
        expect(isSameBytes((await here.read(slice, load)).bytes, bytes)).toBe(true);
      }
      expect(broken.calls).toEqual({ fetch: 1 });
      expect(reported).toEqual(['edge-entrypoint-failed']);
      await here.read(await storedSlice(), load);
      expect(broken.calls).toEqual({ fetch: 2 });
      here.clock.ms += 5000;
      await here.read(slice, load);
      expect(broken.calls).toEqual({ fetch: 3 });
      await settle();
    },
  );

  it.each([
    [
      'answers short',
      async () =>
        new Response(bytes.slice(1) as BodyInit, { headers: { 'cf-cache-status': 'HIT' } }),
    ],
    ['refuses', async () => new Response('no', { status: 502 })],
  ])(
    'is asked again by the next reader when it %s: the slice comes from elsewhere',
    async (_what, fetch) => {
      reported.length = 0;
      const broken = counting({ fetch });
      const here = isolate(0, broken.target as unknown as Fetcher);
      const slice = await storedSlice();
      for (let reader = 0; reader < 2; reader++) {
        expect(isSameBytes((await here.read(slice, load)).bytes, bytes)).toBe(true);
      }
      expect(broken.calls).toEqual({ fetch: 2 });
      expect(reported).toEqual(['edge-entrypoint-failed', 'edge-entrypoint-failed']);
      await settle();
    },
  );

  it('must not be cached when it is no slice, or not there', async () => {
    const missing = 'https://bodies.quayside.invalid/slice/0/10/nothing~1%2Fhere';
    for (const [url, status] of [
      [missing, 502],
      ['https://bodies.quayside.invalid/', 404],
    ] as const) {
      const answer = await exports.BodySlices.fetch(url);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'no-store']);
    }
  });
});
