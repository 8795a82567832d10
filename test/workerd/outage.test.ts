// What the Cloudflare platform serves while the index or the bucket fails or hangs: what is hot,
// for a bounded time, saying how old it is; never what this very isolate took away; and everybody
// else gets an error in time.
import { exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { deleteObjects } from '../../src/core/objects/delete-objects.ts';
import { openBucket } from '../../src/core/opened-bucket/bucket-handle.ts';
import { PRIVATE_ACCESS } from '../../src/domain/bucket-access.ts';
import type { ObjectKey } from '../../src/domain/nouns.ts';
import { isSameBytes, patternBytes } from '../contract/bodies.ts';
import { createIsolate, misbehave } from './kit/isolate.ts';
import { makePublicBucket } from './kit/public-bucket.ts';
import { createWorkersCache } from './kit/workers-cache.ts';

/** Nothing stays fresh, so every request asks. */
const SETTINGS = {
  QUAYSIDE_POINTER_FRESH_SECONDS: '0',
  QUAYSIDE_STALE_WHILE_REVALIDATE_SECONDS: '0',
};
/**
 * A hang is waited for this long; what fails needs no limit, and where nothing does this machine
 * may be busy.
 */
const limitFor = (how: 'fails' | 'hangs') => ({
  QUAYSIDE_TIER_LIMIT_MS: how === 'hangs' ? '400' : '15000',
});

const bytes = patternBytes(50_000);

async function warm(settings: Readonly<Record<string, string>>) {
  const bucket = await makePublicBucket();
  await bucket.put('hot', bytes);
  await bucket.put('cold', bytes);
  const isolate = createIsolate({ settings });
  const read = async (key: string, init?: RequestInit) => {
    const answer = await isolate.fetch(bucket.url(key), init);
    return {
      answer,
      body: new Uint8Array(await answer.arrayBuffer()),
      status: answer.headers.get('cache-status'),
    };
  };
  await read('hot');
  await isolate.settle();
  return { ...bucket, ...isolate, read };
}

describe.each(['fails', 'hangs'] as const)('while the index %s', (how) => {
  const settings = { ...SETTINGS, ...limitFor(how) };

  it('hot objects are served and say that they are stale', async () => {
    const { read, behave } = await warm(settings);
    behave.index = how;
    const first = await read('hot');
    expect(first.answer.status).toBe(200);
    expect(isSameBytes(first.body, bytes)).toBe(true);
    expect(first.status).toBe('quayside-memory; fwd=stale; detail=stale-if-error');
    expect(first.answer.headers.get('age')).toMatch(/^\d$/);
    const second = await read('hot');
    expect(second.status).toMatch(/^quayside-memory; hit; ttl=-\d; detail=stale-if-error$/);
    const part = await read('hot', { headers: { range: 'bytes=5-9' } });
    expect([part.answer.status, [...part.body]]).toEqual([206, [...bytes.subarray(5, 10)]]);
    const unchanged = await read('hot', { headers: { 'if-none-match': '*' } });
    expect([unchanged.answer.status, unchanged.answer.headers.get('age')]).toEqual([
      304,
      expect.any(String),
    ]);
  });

  it('cold ones fail in time', async () => {
    const { read, behave } = await warm(settings);
    behave.index = how;
    expect((await read('cold')).answer.status).toBe(how === 'fails' ? 500 : 503);
  });

  it('nothing is served that this isolate deleted or made private', async () => {
    const { read, behave, core, name } = await warm(settings);
    const bucket = await openBucket(core, name, () => undefined);
    await deleteObjects(core, bucket, [{ key: 'hot' as ObjectKey }]);
    behave.index = how;
    expect((await read('hot')).answer.status).toBeGreaterThanOrEqual(500);

    behave.index = 'works';
    expect((await read('cold')).answer.status).toBe(200);
    await bucket.call('setBucketAccess', { access: PRIVATE_ACCESS });
    behave.index = how;
    expect((await read('cold')).answer.status).toBeGreaterThanOrEqual(500);
    behave.index = 'works';
    expect((await read('cold')).answer.status).toBe(403);
  });

  it('nothing is served beyond the bound', async () => {
    const { read, behave } = await warm({ ...settings, QUAYSIDE_STALE_IF_ERROR_SECONDS: '0' });
    behave.index = how;
    expect((await read('hot')).answer.status).toBeGreaterThanOrEqual(500);
  });
});

describe('while pointers are asked for behind the answer', () => {
  it('the answer says so, and the next one is new', async () => {
    const { read, put } = await warm({
      ...SETTINGS,
      ...limitFor('fails'),
      QUAYSIDE_STALE_WHILE_REVALIDATE_SECONDS: '60',
    });
    await put('hot', patternBytes(10));
    const stale = await read('hot');
    expect(stale.status).toMatch(/^quayside-memory; hit; ttl=-\d; detail=stale-while-revalidate$/);
    expect(isSameBytes(stale.body, bytes)).toBe(true);
    await expect.poll(async () => (await read('hot')).body.length).toBe(10);
  });
});

describe.each([
  ['fails', 'the entrypoint says so'],
  ['fails', 'the entrypoint fails too'],
  ['hangs', 'the entrypoint hangs too'],
] as const)('while the bucket %s and %s', (how, what) => {
  it('what memory or the edge has is served, the rest fails in time', async () => {
    const { url, put } = await makePublicBucket();
    for (const key of ['hot', 'near', 'cold']) await put(key, bytes);
    let isOut = false;
    const broken = () => (what === 'the entrypoint says so' ? refuse() : misbehave(how));
    const behind = {
      fetch: (address: string) => (isOut ? broken() : exports.BodySlices.fetch(address)),
    };
    const cached = createWorkersCache(behind as unknown as Fetcher);
    const settings = limitFor(how);
    const [here, elsewhere] = [
      createIsolate({ cached, settings }),
      createIsolate({ cached, settings }),
    ];
    await here.count(url('hot'));
    await elsewhere.count(url('near'));
    isOut = true;
    here.behave.bucket = how;
    expect((await here.count(url('hot'))).status).toBe(200);
    // The cold one first: what becomes of it must not take from the others what Workers Cache has.
    expect((await here.count(url('cold'))).status).toBe(how === 'fails' ? 500 : 503);
    expect((await here.count(url('near'))).status).toBe(200);
  });
});

/** Refuses as the real entrypoint does when its bucket fails. */
const refuse = async () =>
  new Response('failed', { status: 502, headers: { 'cache-control': 'no-store' } });

describe('a herd', () => {
  const HERD = 1000;

  it(
    'on a cold object runs the cached entrypoint ' +
      'once, from however many isolates; nobody fails',
    async () => {
      const { url, put } = await makePublicBucket();
      await put('cold', bytes);
      const cached = createWorkersCache(exports.BodySlices);
      const isolates = [createIsolate({ cached }), createIsolate({ cached })];
      const answers = await Promise.all(
        Array.from({ length: HERD }, async (_, at) => {
          const answer = await isolates[at % 2]?.fetch(url('cold'));
          return (
            answer?.status === 200 && isSameBytes(new Uint8Array(await answer.arrayBuffer()), bytes)
          );
        }),
      );
      expect(answers.filter((isRight) => !isRight).length).toBe(0);
      expect(cached.calls.run).toBe(1);
    },
  );

  it('on a thousand ranges of one large file runs it once for each slice or run', async () => {
    const { url, put } = await makePublicBucket();
    const large = patternBytes(4 * 1024 * 1024);
    await put('large', large);
    const cached = createWorkersCache(exports.BodySlices);
    const { fetch } = createIsolate({ cached });
    const answers = await Promise.all(
      Array.from({ length: HERD }, async (_, at) => {
        const start = Math.floor((at * (large.length - 500)) / HERD);
        const answer = await fetch(url('large'), {
          headers: { range: `bytes=${start}-${start + 499}` },
        });
        const body = new Uint8Array(await answer.arrayBuffer());
        return answer.status === 206 && isSameBytes(body, large.subarray(start, start + 500));
      }),
    );
    expect(answers.filter((isRight) => !isRight).length).toBe(0);
    // Four slices, and the run that ranges across two of them are cut from (ADR 54).
    expect(cached.calls.run).toBe(5);
  });
});
