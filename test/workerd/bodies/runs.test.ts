// Reads of several slices by one call of the cached entrypoint, over the real entrypoint with
// Workers Cache as described: the whole app, and what of the tier fails.
import { env, exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createR2BlobStore } from '../../../src/adapters/cloudflare/bodies/r2-blob-store.ts';
import { createWorkersEdgeCache } from '../../../src/adapters/cloudflare/bodies/workers-edge-cache.ts';
import { createMemoryBodies } from '../../../src/adapters/shared/memory-bodies.ts';
import type { BlobId, Segment } from '../../../src/domain/nouns.ts';
import type { Log } from '../../../src/ports/system.ts';
import { identityOf, isSameBytes, patternBytes, sourceOf } from '../../contract/bodies.ts';
import { createIsolate } from '../kit/isolate.ts';
import { makePublicBucket } from '../kit/public-bucket.ts';
import { createWorkersCache } from '../kit/workers-cache.ts';

const MiB = 1024 * 1024;
const bytes = patternBytes(3 * MiB);
const whole = { offsetBytes: 0, lengthBytes: bytes.length };

let made = 0;
/** A run of several slices that is in R2. */
async function storedRun(): Promise<Segment> {
  const blobId = `run-test~1/${Date.now().toString(36)}x${++made}` as BlobId;
  await createR2BlobStore(env.BLOBS).write(blobId, sourceOf(bytes), identityOf());
  return { blobId, ...whole };
}

function openTier(
  entrypoint: Pick<Fetcher, 'fetch'> | null,
  { maxSliceBytes = 0, limitMs = 15_000 } = {},
) {
  const reported: string[] = [];
  const log: Log = { info() {}, error: (event) => reported.push(event) };
  const clock = { ms: 1_750_000_000_000, nowMs: () => clock.ms };
  const memory = createMemoryBodies({ maxBytes: 8 * MiB, maxSliceBytes });
  const background = { run: () => undefined };
  const tier = createWorkersEdgeCache({ memory, entrypoint, clock, background, log, limitMs });
  return { openRun: tier.openRun ?? (async () => null), reported, clock };
}

const bytesOf = async (stream: ReadableStream<Uint8Array>) =>
  new Uint8Array(await new Response(stream).arrayBuffer());

describe('a public object of 8 MiB', () => {
  const sizeBytes = 8 * MiB;
  const body = patternBytes(sizeBytes, 5);

  async function setUp(...parts: Uint8Array<ArrayBuffer>[]) {
    const cached = createWorkersCache(exports.BodySlices);
    const { put, url } = await makePublicBucket();
    await put('long', ...parts);
    const get = (range?: string) => {
      const isolate = createIsolate({ cached });
      return isolate.fetch(url('long'), range === undefined ? {} : { headers: { range } });
    };
    return { get, calls: cached.calls };
  }

  it('comes by one call of the entrypoint, which reads R2 once for all isolates', async () => {
    const { get, calls } = await setUp(body);
    for (const status of ['quayside-edge; fwd', 'quayside-edge; hit']) {
      const response = await get();
      expect(response.headers.get('cache-status')).toContain(status);
      expect(isSameBytes(new Uint8Array(await response.arrayBuffer()), body)).toBe(true);
    }
    expect(calls).toEqual({ asked: 2, run: 1 });
  });

  it('comes in ranges out of the same run', async () => {
    const { get, calls } = await setUp(body);
    const ranges = [
      [0, 3 * MiB],
      [MiB + 7, 5 * MiB + 9],
      [6 * MiB - 1, sizeBytes],
    ] as const;
    for (const [from, to] of ranges) {
      const response = await get(`bytes=${from}-${to - 1}`);
      expect(response.status).toBe(206);
      const part = new Uint8Array(await response.arrayBuffer());
      expect(isSameBytes(part, body.subarray(from, to))).toBe(true);
    }
    expect(calls).toEqual({ asked: 3, run: 1 });
  });

  it('comes by one call for each part that it was uploaded in', async () => {
    const { get, calls } = await setUp(body.slice(0, 5 * MiB), body.slice(5 * MiB));
    expect(isSameBytes(new Uint8Array(await (await get()).arrayBuffer()), body)).toBe(true);
    expect(calls).toEqual({ asked: 2, run: 2 });
  });
});

describe('a run', () => {
  it('is let go of when its reader hangs up', async () => {
    let isCancelled = false;
    const endless = new ReadableStream({
      type: 'bytes',
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
      cancel() {
        isCancelled = true;
      },
    });
    const headers = { 'cf-cache-status': 'HIT' };
    const { openRun } = openTier({ fetch: async () => new Response(endless, { headers }) });
    const opened = await openRun(await storedRun(), whole);
    const reader = opened?.body.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(isCancelled).toBe(true);
  });

  it('breaks rather than end short', async () => {
    const headers = { 'cf-cache-status': 'HIT' };
    const short = async () => new Response(bytes.slice(0, 2 * MiB + 1) as BodyInit, { headers });
    const { openRun } = openTier({ fetch: short });
    const opened = await openRun(await storedRun(), whole);
    expect(opened?.tier).toBe('edge');
    await expect(bytesOf(opened?.body as ReadableStream<Uint8Array>)).rejects.toThrow();
  });

  it.each([
    ['has another length', { 'content-length': '5', 'cf-cache-status': 'HIT' }, 200],
    ['is refused', { 'cf-cache-status': 'BYPASS' }, 502],
  ])('is read elsewhere where it %s', async (_what, headers, status) => {
    const answer = async () => new Response('short', { status, headers });
    const { openRun, reported } = openTier({ fetch: answer });
    expect(await openRun(await storedRun(), whole)).toBeNull();
    expect(reported).toEqual(['edge-entrypoint-failed']);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('expected by the test'))],
    ['hangs', () => new Promise<Response>(() => undefined)],
  ])('is not asked for again for a moment where it %s', async (_what, answer) => {
    let asked = 0;
    const fetch = () => {
      asked += 1;
      return answer();
    };
    const { openRun, reported, clock } = openTier({ fetch }, { limitMs: 50 });
    const run = await storedRun();
    for (let reader = 0; reader < 3; reader++) expect(await openRun(run, whole)).toBeNull();
    expect([asked, reported]).toEqual([1, ['edge-entrypoint-failed']]);
    clock.ms += 5000;
    await openRun(run, whole);
    expect(asked).toBe(2);
  });

  it('is given once, and then in slices, where nothing caches the entrypoint', async () => {
    let asked = 0;
    const fetch = (url: string) => {
      asked += 1;
      return exports.BodySlices.fetch(url);
    };
    const { openRun, clock, reported } = openTier({ fetch: fetch as Fetcher['fetch'] });
    const run = await storedRun();
    const opened = await openRun(run, whole);
    expect(opened?.tier).toBe('bucket');
    expect(isSameBytes(await bytesOf(opened?.body as ReadableStream<Uint8Array>), bytes)).toBe(
      true,
    );
    expect(await openRun(run, whole)).toBeNull();
    expect(asked).toBe(1);
    // Nothing cuts it either.
    clock.ms += 60_000;
    expect(await openRun(run, { offsetBytes: 5, lengthBytes: 2 * MiB })).toBeNull();
    expect(await openRun(run, whole)).toBeNull();
    expect([asked, reported]).toEqual([2, []]);
  });

  it('is no matter of the entrypoint where memory keeps its slices, or there is none', async () => {
    const never = () => Promise.reject(new Error('must not be asked'));
    const run = await storedRun();
    expect(await openTier({ fetch: never }, { maxSliceBytes: MiB }).openRun(run, whole)).toBeNull();
    expect(await openTier(null).openRun(run, whole)).toBeNull();
  });
});
