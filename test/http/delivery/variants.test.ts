// Compressed variants through both doors of delivery, over real tiers in memory.

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryDerived } from '../../../src/adapters/memory/memory-derived.ts';
import { createDecide } from '../../../src/core/auth/decide.ts';
import { HOSTING_DEFAULTS } from '../../../src/core/hosting/read-hosting.ts';
import { setHosting } from '../../../src/core/hosting/set-hosting.ts';
import type { ObjectAttributes } from '../../../src/domain/nouns.ts';
import { createDelivery, type Delivery } from '../../../src/http/delivery/create-delivery.ts';
import { type MemoryCore, openTestBucket, sampleBytes, withPorts } from '../../core/memory-core.ts';
import { createStockedCore, PUBLIC_BUCKET, put } from '../../node/fast-path/both-paths.ts';
import { makeRequest } from '../s3/kit/make-request.ts';
import { deliverySettings } from './delivery-settings.ts';
import { bytesThatStay } from './fast-path/fast-response-sample.ts';

const SETTINGS = deliverySettings({ compressionMaxBytes: 100_000 });
const SIZE = 20_000;
const BYTES = sampleBytes(SIZE);

let core: MemoryCore;
let delivery: Delivery;
beforeEach(async () => {
  core = await createStockedCore();
  delivery = createDelivery(core, SETTINGS, createDecide());
});

type Headers = Record<string, string>;

async function get(headers: Headers = {}, method = 'GET', key = 'large.js') {
  const request = makeRequest({ method, target: `/${PUBLIC_BUCKET}/${key}`, headers });
  // Failures come at once or late.
  const deliver = async () => delivery.deliver(request, PUBLIC_BUCKET, key, 'id');
  const answer = await deliver().catch((error: { code: string }) => error.code);
  if (typeof answer === 'string')
    return { status: answer, headers: {} as Headers, body: Buffer.alloc(0) };
  const body = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: Object.fromEntries(answer.headers) as Headers, body };
}

/** Asks for it, and again once it is made. */
async function getMade(acceptEncoding: string) {
  await get({ 'accept-encoding': acceptEncoding });
  await core.settle();
  return get({ 'accept-encoding': acceptEncoding });
}

function hot(headers: Headers = {}, isHead = false, key = 'large.js') {
  return delivery.answerAtOnce({
    isHead,
    rawPath: `/${PUBLIC_BUCKET}/${key}`,
    host: 'h',
    ifNoneMatch: headers['if-none-match'] ?? null,
    range: headers.range ?? null,
    header: (name) => headers[name] ?? null,
  });
}

describe('an object that may be compressed', () => {
  it('goes out as it is first, and compressed once that is made', async () => {
    const first = await get({ 'accept-encoding': 'gzip, br' });
    expect([first.status, first.headers['content-encoding']]).toEqual([200, undefined]);
    expect(first.headers).toMatchObject({ vary: 'Accept-Encoding', 'content-length': `${SIZE}` });
    expect(first.body.equals(BYTES)).toBe(true);
    await core.settle();
    const second = await get({ 'accept-encoding': 'gzip, br' });
    expect(second.headers).toMatchObject({
      vary: 'Accept-Encoding',
      'content-encoding': 'br',
      'content-length': `${second.body.length}`,
      'content-type': first.headers['content-type'],
      'last-modified': first.headers['last-modified'],
      'accept-ranges': 'bytes',
    });
    const tag = first.headers.etag?.slice(1, -1);
    expect(second.headers.etag).toMatch(new RegExp(`^"${tag}-br-[0-9a-f]{8}"$`));
    expect(brotliDecompressSync(second.body).equals(BYTES)).toBe(true);
  });

  it('is what the client can read', async () => {
    await getMade('br');
    for (const headers of [
      {},
      { 'accept-encoding': 'identity' },
      { 'accept-encoding': 'deflate' },
    ]) {
      const plain = await get(headers);
      expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([
        undefined,
        'Accept-Encoding',
      ]);
    }
    const gzip = await getMade('gzip;q=0.9, br;q=0.1');
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.body).equals(BYTES)).toBe(true);
  });

  it('gives what is ready while the best is being made', async () => {
    await getMade('gzip');
    expect((await get({ 'accept-encoding': 'br, gzip' })).headers['content-encoding']).toBe('gzip');
    await core.settle();
    expect((await get({ 'accept-encoding': 'br, gzip' })).headers['content-encoding']).toBe('br');
  });

  it('is described by HEAD as by GET, which alone has it made', async () => {
    await get({ 'accept-encoding': 'br' }, 'HEAD');
    await core.settle();
    expect(
      (await get({ 'accept-encoding': 'br' }, 'HEAD')).headers['content-encoding'],
    ).toBeUndefined();
    const made = await getMade('br');
    const head = await get({ 'accept-encoding': 'br' }, 'HEAD');
    expect(head.body).toHaveLength(0);
    expect(head.headers).toEqual(made.headers);
  });

  it('is not modified by the tag of any representation that the client takes', async () => {
    const plain = await get();
    const { headers: made } = await getMade('br');
    const ask = (tag: string, encoding = 'br') =>
      get({ 'accept-encoding': encoding, 'if-none-match': tag });
    const [own = '', coded = ''] = [plain.headers.etag, made.etag];
    for (const tag of [own, coded]) {
      const answer = await ask(tag);
      expect([answer.status, answer.headers.etag, answer.headers.vary]).toEqual([
        304,
        tag,
        'Accept-Encoding',
      ]);
      expect(answer.headers['content-encoding']).toBeUndefined();
    }
    expect((await ask(`W/${coded}`)).status).toBe(304);
    expect((await ask(`${coded} x`)).status).toBe(200);
    expect((await ask(`"a", ${coded}, x`)).headers.etag).toBe(coded);
    expect((await ask(coded, 'gzip')).status).toBe(200);
    expect((await ask(own.replace('"', '"x'))).status).toBe(200);
    expect((await ask(coded.replace('-br-', '-xy-'))).status).toBe(200);
    expect((await ask('*')).headers.etag).toBe(coded);
  });

  it('is not modified although its variant is gone from all caches', async () => {
    const { headers } = await getMade('br');
    core = withPorts(core, { derived: createMemoryDerived(core.ports.clock) });
    delivery = createDelivery(core, SETTINGS, createDecide());
    expect(
      (await get({ 'accept-encoding': 'br', 'if-none-match': headers.etag ?? '' })).status,
    ).toBe(304);
  });

  it('gives ranges of the representation that is named, and else of the stored bytes', async () => {
    const plain = await get();
    const made = await getMade('br');
    const range = (headers: Headers) =>
      get({ 'accept-encoding': 'br', range: 'bytes=10-19', ...headers });
    const coded = await range({ 'if-range': made.headers.etag ?? '' });
    expect([
      coded.status,
      coded.headers['content-range'],
      coded.headers['content-encoding'],
    ]).toEqual([206, `bytes 10-19/${made.body.length}`, 'br']);
    expect(coded.body.equals(made.body.subarray(10, 20))).toBe(true);
    for (const headers of [{}, { 'if-range': plain.headers.etag ?? '' }]) {
      const part = await range(headers);
      expect([
        part.status,
        part.headers['content-range'],
        part.headers['content-encoding'],
      ]).toEqual([206, `bytes 10-19/${SIZE}`, undefined]);
      expect(part.body.equals(BYTES.subarray(10, 20))).toBe(true);
    }
    // By a date nobody can tell what the client has.
    expect((await range({ 'if-range': made.headers['last-modified'] ?? '' })).status).toBe(200);
    expect((await range({ 'if-range': '"else"' })).status).toBe(200);
    expect(
      (await range({ 'if-range': (made.headers.etag ?? '').replace(/.{9}$/, '00000000"') })).status,
    ).toBe(200);
  });

  it('makes a variant again for a client that goes on with it', async () => {
    const made = await getMade('br');
    core = withPorts(core, { derived: createMemoryDerived(core.ports.clock) });
    delivery = createDelivery(core, SETTINGS, createDecide());
    for (const condition of ['if-range', 'if-match']) {
      const part = await get({
        'accept-encoding': 'br',
        range: 'bytes=5-',
        [condition]: made.headers.etag ?? '',
      });
      expect([part.status, part.body.equals(made.body.subarray(5))]).toEqual([206, true]);
    }
    const failed = await get({ 'accept-encoding': 'br', 'if-match': '"else"' });
    expect(failed.status).toBe('PreconditionFailed');
  });

  it('has another variant once it is overwritten', async () => {
    const old = await getMade('br');
    const bytes = await put(core, PUBLIC_BUCKET, 'large.js', SIZE - 1);
    expect(
      (await get({ 'accept-encoding': 'br', 'if-none-match': old.headers.etag ?? '' })).status,
    ).toBe(200);
    const fresh = await getMade('br');
    expect(fresh.headers.etag).toContain(bytes);
    expect(brotliDecompressSync(fresh.body)).toHaveLength(SIZE - 1);
  });

  it('comes from memory, and says so', async () => {
    const made = await getMade('br');
    expect(made.headers['cache-status']).toBe('quayside-memory; hit');
  });
});

describe('an object that is left alone', () => {
  const headers = { 'accept-encoding': 'br' };
  type Stored = ObjectAttributes['headers'];
  const stored = (key: string, sizeBytes: number, more: Stored) =>
    put(core, PUBLIC_BUCKET, key, sizeBytes, { headers: more });

  it.each<[string, number, Stored]>([
    ['is too small', 1000, { contentType: 'text/css' }],
    ['is too large', 100_001, { contentType: 'text/css' }],
    ['has a coding of its own', 5000, { contentType: 'text/css', contentEncoding: 'gzip' }],
    ['must not be transformed', 5000, { contentType: 'text/css', cacheControl: 'no-transform' }],
    ['gains nothing by it', 5000, { contentType: 'image/jpeg' }],
  ])('%s', async (_reason, sizeBytes, more) => {
    await stored('x', sizeBytes, more);
    await get(headers, 'GET', 'x');
    await core.settle();
    const answer = await get(headers, 'GET', 'x');
    expect(answer.headers['content-encoding']).toBe(more.contentEncoding);
    expect([answer.headers.vary, answer.body.length]).toEqual([undefined, sizeBytes]);
  });

  it('is of a bucket that wants none, or of a server', async () => {
    await getMade('br');
    const bucket = await openTestBucket(core, PUBLIC_BUCKET);
    await setHosting(core, bucket, { ...HOSTING_DEFAULTS, compression: false });
    expect((await get(headers)).headers).not.toHaveProperty('vary');
    await setHosting(core, bucket, HOSTING_DEFAULTS);
    expect((await get(headers)).headers['content-encoding']).toBe('br');
    delivery = createDelivery(core, { ...SETTINGS, compressionMaxBytes: 0 }, createDecide());
    expect((await get(headers)).headers).not.toHaveProperty('vary');
  });

  it('is as it is where its variant saves nothing', async () => {
    const name = 'noise.txt';
    await stored(name, 5000, { contentType: 'text/plain' });
    core = withPorts(core, {
      derived: { ...core.ports.derived, find: async () => 'none', peek: () => 'none' },
    });
    delivery = createDelivery(core, SETTINGS, createDecide());
    const answer = await get(headers, 'GET', name);
    expect([answer.headers['content-encoding'], answer.headers.vary]).toEqual([
      undefined,
      'Accept-Encoding',
    ]);
  });
});

describe('the fast path', () => {
  it('gives variants as the other does', async () => {
    const made = await getMade('br');
    expect(hot()).toMatchObject({
      status: 200,
      headers: { vary: 'Accept-Encoding', 'content-length': `${SIZE}` },
    });
    const reply = hot({ 'accept-encoding': 'br' });
    expect(Buffer.from(bytesThatStay(reply)).equals(made.body)).toBe(true);
    expect({ ...reply?.headers, 'x-amz-request-id': 'id' }).toEqual(made.headers);
    expect(hot({ 'accept-encoding': 'br' })?.headers).toBe(reply?.headers);
    const known = hot({ 'accept-encoding': 'br', 'if-none-match': made.headers.etag ?? '' });
    expect(known).toMatchObject({ status: 304, headers: { etag: made.headers.etag }, body: null });
    expect(known?.headers['content-encoding']).toBeUndefined();
    expect(hot({ 'accept-encoding': 'br' }, true)).toMatchObject({
      body: null,
      headers: reply?.headers,
    });
    const part = hot({ 'accept-encoding': 'br', range: 'bytes=3-6' });
    expect([part?.status, part?.headers['content-encoding']]).toEqual([206, undefined]);
    expect(Buffer.from(bytesThatStay(part)).equals(BYTES.subarray(3, 7))).toBe(true);
  });

  it('leaves what memory does not know', async () => {
    await get();
    expect(hot({ 'accept-encoding': 'br' })).toBe(null);
    expect(hot({ 'accept-encoding': 'identity' })).not.toBe(null);
    await getMade('br');
    expect(hot({ 'accept-encoding': 'gzip' })).toBe(null);
    expect(hot({ 'accept-encoding': 'br' })).not.toBe(null);
  });
});
