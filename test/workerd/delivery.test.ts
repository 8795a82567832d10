// The read walk through the Worker itself: which tiers answer, what each answer costs in calls to
// the platform, and that requests share nothing but plain values.
import { createExecutionContext } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createWorkersPorts } from '../../src/adapters/cloudflare/ports.ts';
import { parseConfig } from '../../src/config.ts';
import { HOSTING_DEFAULTS } from '../../src/core/hosting/read-hosting.ts';
import worker from '../../src/worker.ts';
import { isSameBytes, patternBytes } from '../contract/bodies.ts';
import { objectOf, refOf } from './kit/bucket.ts';
import { createIsolate } from './kit/isolate.ts';
import { makePublicBucket } from './kit/public-bucket.ts';
import { createWorkersCache } from './kit/workers-cache.ts';

const MiB = 1024 * 1024;

const get = (url: string, init?: RequestInit) => exports.default.fetch(url, init as never);

describe('public reads through the Worker', () => {
  it('come from the bucket first and from memory from then on', async () => {
    const { put, url } = await makePublicBucket();
    const bytes = patternBytes(100_000);
    await put('a', bytes);
    const cold = await get(url('a'));
    expect(isSameBytes(new Uint8Array(await cold.arrayBuffer()), bytes)).toBe(true);
    expect(cold.headers.get('cache-status')).toContain('quayside-memory; fwd=uri-miss');
    const hot = await get(url('a'));
    expect(isSameBytes(new Uint8Array(await hot.arrayBuffer()), bytes)).toBe(true);
    expect(hot.headers.get('cache-status')).toBe('quayside-memory; hit');
    expect(hot.headers.get('content-length')).toBe('100000');
  });

  it('share no stream between requests: two large reads at once, one given up', async () => {
    const { put, url } = await makePublicBucket();
    const bytes = patternBytes(3 * MiB);
    await put('large', bytes);
    const [first, second] = await Promise.all([get(url('large')), get(url('large'))]);
    await first.body?.cancel();
    expect(isSameBytes(new Uint8Array(await second.arrayBuffer()), bytes)).toBe(true);
    const third = await get(url('large'), { headers: { range: 'bytes=1000000-2999999' } });
    expect(third.status).toBe(206);
    expect(
      isSameBytes(new Uint8Array(await third.arrayBuffer()), bytes.subarray(1_000_000, 3_000_000)),
    ).toBe(true);
  });

  it('share no unfinished lookup between requests: many cold reads of one object', async () => {
    const { put, url } = await makePublicBucket();
    const bytes = patternBytes(50_000);
    await put('a', bytes);
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(url('a'))));
    for (const answer of answers) {
      expect(isSameBytes(new Uint8Array(await answer.arrayBuffer()), bytes)).toBe(true);
    }
  });

  it('join the parts of an object, and cut ranges across them', async () => {
    const { put, url } = await makePublicBucket();
    const bytes = patternBytes(2 * MiB + 10);
    await put('parts', bytes.slice(0, MiB), bytes.slice(MiB, MiB + 10), bytes.slice(MiB + 10));
    const whole = await get(url('parts'));
    expect(isSameBytes(new Uint8Array(await whole.arrayBuffer()), bytes)).toBe(true);
    const range = await get(url('parts'), { headers: { range: `bytes=${MiB - 1}-${MiB + 10}` } });
    expect(
      isSameBytes(new Uint8Array(await range.arrayBuffer()), bytes.slice(MiB - 1, MiB + 11)),
    ).toBe(true);
  });
});

describe('the fast path', () => {
  /** Decides nothing without CORS rules, but sends a request the full way. */
  const DECIDING = { origin: 'http://h' };

  /** What a refusal says, but for its id, which must be the same wherever it stands. */
  async function nameless(answer: Response | null) {
    if (answer === null) return null;
    const id = answer.headers.get('x-amz-request-id') ?? '';
    const headers = [...answer.headers].filter(([name]) => name !== 'server-timing');
    const text = JSON.stringify([answer.status, headers, await answer.text()]);
    return text.replaceAll(id, 'ID');
  }

  /** What an answer says, but for what tells answers apart. */
  async function content(answer: Response) {
    const {
      'cache-status': _tier,
      'server-timing': _time,
      'x-amz-request-id': _id,
      ...headers
    } = Object.fromEntries(answer.headers);
    return { status: answer.status, headers, body: new Uint8Array(await answer.arrayBuffer()) };
  }

  it('answers as the full way does', async () => {
    const { call, record, url } = await makePublicBucket();
    const object = {
      ...objectOf('a', 'e1'),
      headers: { contentType: 'text/plain', contentEncoding: 'x-test' },
      userMetadata: { who: 'J\u00c3\u00bcrgen' },
    };
    await call('commitObject', {
      bucket: refOf(record),
      object,
      condition: null,
      newReferences: [],
    });
    for (const init of [{}, { method: 'HEAD' }, { headers: { 'if-none-match': '"e1"' } }]) {
      // A header that decides something sends the request the full way.
      const full = await get(url('a'), { ...init, headers: { ...DECIDING, ...init.headers } });
      const hot = await get(url('a'), init);
      expect(hot.headers.get('cache-status')).toBe('quayside-memory; hit');
      expect(hot.headers.get('x-amz-request-id')).not.toBe(full.headers.get('x-amz-request-id'));
      expect(await content(hot)).toEqual(await content(full));
    }
    const answer = await get(url('a'));
    expect(answer.headers.get('x-amz-meta-who')).toBe('=?UTF-8?Q?J=C3=BCrgen?=');
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(object.inlineBytes);
  });

  it('refuses as the full way does', async () => {
    const { put, url } = await makePublicBucket();
    await put('a', patternBytes(10));
    const isolate = createIsolate();
    for (const key of ['a', 'none'])
      await (await isolate.fetch(url(key), { headers: { host: 'h' } })).arrayBuffer();
    const requests: readonly (readonly [string, number, RequestInit])[] = [
      ['none', 404, {}],
      ['none', 404, { method: 'HEAD' }],
      ['a', 416, { headers: { range: 'bytes=99-' } }],
      ['a', 412, { headers: { 'if-match': '"x"' } }],
      ['a', 304, { headers: { 'if-modified-since': 'Sun, 06 Nov 2094 08:49:37 GMT' } }],
    ];
    for (const [key, status, init] of requests) {
      const headers = { host: 'h', ...init.headers };
      const hot = isolate.atOnce(url(key), { ...init, headers });
      expect(hot?.status, key).toBe(status);
      const full = await isolate.fetch(url(key), { ...init, headers: { ...headers, ...DECIDING } });
      expect(await nameless(hot)).toEqual(await nameless(full));
    }
    const browser = { headers: { host: 'h', accept: 'text/html' } };
    expect(isolate.atOnce(url('none'), browser)).toBe(null);
  });

  it('leaves alone what is no plain read', async () => {
    const { put, url } = await makePublicBucket();
    await put('a', patternBytes(10));
    await get(url('a'));
    expect((await get(url('a'), { headers: { range: 'bytes=2-3' } })).status).toBe(206);
    expect((await get(`${url('a')}?acl`)).status).toBe(403);
    expect((await get(url('a'), { method: 'DELETE' })).status).toBe(403);
    expect((await get(url('b'))).status).toBe(404);
  });
});

describe('a Worker with a wrong setting', () => {
  it('says which one', async () => {
    const wrong = { ...env, QUAYSIDE_REGION: 'not a region' };
    const request = new Request('http://files.example/') as never;
    const answer = await worker.fetch(request, wrong, createExecutionContext());
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('QUAYSIDE_REGION');
  });
});

describe('signed requests to a Worker without its secrets', () => {
  it('are answered 503 with the name of what is missing', async () => {
    const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const authorization =
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${date.slice(0, 8)}/auto/s3/aws4_request, ` +
      `SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${'0'.repeat(64)}`;
    const headers = {
      authorization,
      'x-amz-date': date,
      'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    };
    const answer = await get('http://files.example/', { headers });
    expect(answer.status).toBe(503);
    expect(await answer.text()).toMatch(/QUAYSIDE_ROOT_ACCESS_KEY/);
  });
});

describe('calls to the platform per public read', () => {
  /** The host is the service's own here, so nobody asks what it is bound to. */
  const nothing = {
    kv: {},
    index: {},
    directory: {},
    r2: {},
    cache: { match: 0, put: 0 },
    entrypoint: 0,
    behind: 0,
  };
  /**
   * State and page of the pointer and the bucket's name, looked for in the colo's cache and left
   * there, or found; a cold colo's call is claimed there too. The first of a day in a colo asks the
   * directory for the name.
   */
  const LEFT = { cache: { match: 4, put: 4 }, directory: { get: 1 } };
  const FOUND = { match: 2, put: 0 };

  it(
    'a body in R2: three when nobody has it, one ' +
      'for the body in another isolate, none when hot',
    async () => {
      const { put, url } = await makePublicBucket();
      await put('a', patternBytes(100_000));
      const cached = createWorkersCache(exports.BodySlices);
      const { count: first } = createIsolate({ cached });
      // The entrypoint behind the cache reads R2: the third.
      expect(await first(url('a'))).toEqual({
        ...nothing,
        status: 200,
        index: { get: 1 },
        ...LEFT,
        entrypoint: 1,
        behind: 1,
      });
      expect(await first(url('a'))).toEqual({ ...nothing, status: 200 });
      const { count: second } = createIsolate({ cached });
      expect(await second(url('a'))).toEqual({
        ...nothing,
        status: 200,
        cache: FOUND,
        entrypoint: 1,
      });
      expect(await second(url('a'))).toEqual({ ...nothing, status: 200 });
    },
  );

  it('the same without Workers Cache', async () => {
    const { put, url } = await makePublicBucket();
    await put('a', patternBytes(100_000));
    const cold = { ...nothing, ...LEFT, index: { get: 1 }, r2: { get: 1 } };
    cold.cache = { match: 5, put: 5 };
    expect(await createIsolate().count(url('a'))).toEqual({ ...cold, status: 200 });
    const near = { ...nothing, cache: { match: 3, put: 0 } };
    const { count: second } = createIsolate();
    expect(await second(url('a'))).toEqual({ ...near, status: 200 });
    expect(await second(url('a'))).toEqual({ ...nothing, status: 200 });
  });

  it('a range of a large body: the index, and one call for its slice or run', async () => {
    const { put, url } = await makePublicBucket();
    await put('large', patternBytes(4 * MiB));
    const { count: read } = createIsolate({ cached: createWorkersCache(exports.BodySlices) });
    const range = (from: number, to: number) => ({ headers: { range: `bytes=${from}-${to}` } });
    expect(await read(url('large'), range(MiB + 5, MiB + 9))).toEqual({
      ...nothing,
      status: 206,
      index: { get: 1 },
      ...LEFT,
      entrypoint: 1,
      behind: 1,
    });
    expect(await read(url('large'), range(2 * MiB - 5, 2 * MiB + 5))).toMatchObject({
      index: {},
      entrypoint: 1,
      behind: 1,
    });
  });

  it('a body that is longer than the tiers take: one read of R2, past them', async () => {
    const { put, url } = await makePublicBucket();
    await put('huge', patternBytes(9 * MiB));
    const { count: read } = createIsolate({ cached: createWorkersCache(exports.BodySlices) });
    expect(await read(url('huge'))).toEqual({
      ...nothing,
      status: 200,
      index: { get: 1 },
      ...LEFT,
      r2: { get: 1 },
    });
  });

  it('a conditional read that ends in 304, and a HEAD: the pointer alone', async () => {
    const { put, url } = await makePublicBucket();
    await put('a', patternBytes(100_000));
    const conditional = { headers: { 'if-none-match': '*' } };
    expect(await createIsolate().count(url('a'), conditional)).toEqual({
      ...nothing,
      index: { get: 1 },
      ...LEFT,
      status: 304,
    });
    expect(await createIsolate().count(url('a'), { method: 'HEAD' })).toEqual({
      ...nothing,
      cache: FOUND,
      status: 200,
    });
  });

  it(
    'a page of a hosted site at its own host: the index once, none when hot, its directory ' +
      'look-up kept',
    async () => {
      const { put, name, record, call } = await makePublicBucket();
      for (const key of ['index.html', 'about.html']) await put(key, patternBytes(10));
      const host = `${name}.example`;
      const domains = [{ host, prefix: '' }];
      await call('setBucketSettings', {
        bucket: refOf(record),
        settings: { hosting: { ...HOSTING_DEFAULTS, domains } },
      });
      const { directory } = createWorkersPorts(env, parseConfig({}, 'cloudflare'), null);
      await directory.call('bindHosts', { bucket: { id: record.id, name }, domains, mayTake: [] });
      const { count: read } = createIsolate();
      const hot = { status: 200, index: {}, r2: {}, directory: {} };
      const cold = { ...hot, index: { get: 1 }, r2: { get: 1 } };
      // The host and the bucket's name.
      expect(await read(`http://${host}/about`)).toMatchObject({ ...cold, directory: { get: 2 } });
      expect(await read(`http://${host}/about`)).toMatchObject(hot);
      expect(await read(`http://${host}/`)).toMatchObject(cold);
      expect(await read(`http://${host}/`)).toMatchObject(hot);
      // The likeliest page, then all that it could be instead in one call; the first visits say
      // where the site is.
      const missing = { ...hot, status: 404 };
      expect(await read(`http://${host}/none`)).toMatchObject({ ...missing, index: { get: 2 } });
      expect(await read(`http://${host}/none`)).toMatchObject(missing);
    },
  );

  it('a missing key: the index once, then nothing for a moment', async () => {
    const { url } = await makePublicBucket();
    const { count: read } = createIsolate();
    expect(await read(url('missing'))).toEqual({
      ...nothing,
      status: 404,
      index: { get: 1 },
      ...LEFT,
    });
    expect(await read(url('missing'))).toEqual({ ...nothing, status: 404 });
  });
});
