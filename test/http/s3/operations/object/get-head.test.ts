import { beforeAll, describe, expect, it } from 'vitest';
import { publicPolicy } from '../../../../access-samples.ts';
import { codeOf } from '../../kit/responses.ts';
import { createTestSurface } from '../../kit/surface.ts';

const surface = createTestSurface({ inlineBodyMaxBytes: 4 });
const { send } = surface;
const BODY = 'hello world';
const ETAG = '"5eb63bbbe01eeed093cb22bb8f5acdc3"';
const SHA256 = 'uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=';
const PATH = '/reads/k.txt';

beforeAll(async () => {
  await send({ method: 'PUT', path: '/reads' });
  await send({
    method: 'PUT',
    path: PATH,
    body: BODY,
    headers: {
      'content-type': 'text/x-a',
      'cache-control': 'no-cache',
      'x-amz-meta-colour': 'blue',
      'x-amz-checksum-sha256': SHA256,
    },
  });
  await send({ method: 'PUT', path: '/reads/empty' });
});

const get = (
  headers: Record<string, string> = {},
  query: Record<string, string> = {},
  path = PATH,
) => send({ path, headers, query });
const head = (
  headers: Record<string, string> = {},
  query: Record<string, string> = {},
  path = PATH,
) => send({ method: 'HEAD', path, headers, query });

describe('a read', () => {
  it('has the body, what was stored with it, and the headers of every answer', async () => {
    const reply = await get();
    expect([reply.status, reply.text]).toEqual([200, BODY]);
    expect(reply.headers).toEqual({
      'accept-ranges': 'bytes',
      'cache-control': 'no-cache',
      'content-length': '11',
      'content-type': 'text/x-a',
      etag: ETAG,
      'last-modified': 'Fri, 24 May 2013 00:00:00 GMT',
      server: 'Quayside',
      'x-content-type-options': 'nosniff',
      'x-amz-id-2': 'REQUEST1',
      'x-amz-meta-colour': 'blue',
      'x-amz-request-id': 'REQUEST1',
    });
  });

  it.each([
    {},
    { range: 'bytes=0-3' },
    { range: 'bytes=-2', 'x-amz-checksum-mode': 'ENABLED' },
  ] as Record<string, string>[])('by HEAD is the same without body: %j', async (headers) => {
    const [whole, heads] = await Promise.all([get(headers), head(headers)]);
    expect(heads.headers).toEqual(whole.headers);
    expect([heads.status, heads.text]).toEqual([whole.status, '']);
  });

  it('of nothing is a 200 of no bytes', async () => {
    for (const reply of [await get({}, {}, '/reads/empty'), await head({}, {}, '/reads/empty')]) {
      expect([reply.status, reply.headers['content-length'], reply.text]).toEqual([200, '0', '']);
    }
  });
});

it('an object without a type has S3’s, whatever its extension, and an override wins', async () => {
  await send({ method: 'PUT', path: '/reads/page.html', body: 'x' });
  expect((await head({}, {}, '/reads/page.html')).headers['content-type']).toBe(
    'binary/octet-stream',
  );
  const overridden = await get({}, { 'response-content-type': 'text/html' }, '/reads/page.html');
  expect(overridden.headers['content-type']).toBe('text/html');
});

describe('ranges', () => {
  it.each([
    ['bytes=0-4', 206, 'hello', 'bytes 0-4/11'],
    ['bytes=6-', 206, 'world', 'bytes 6-10/11'],
    ['bytes=-5', 206, 'world', 'bytes 6-10/11'],
    ['bytes=-100', 206, BODY, 'bytes 0-10/11'],
    ['bytes=5-5', 206, ' ', 'bytes 5-5/11'],
    ['bytes=0-1,3-4', 200, BODY, undefined],
    ['bytes=4-2', 200, BODY, undefined],
    ['lines=1-2', 200, BODY, undefined],
  ])('are cut as RFC 9110 has them: %s', async (range, status, text, contentRange) => {
    const reply = await get({ range });
    expect([reply.status, reply.text, reply.headers['content-range']]).toEqual([
      status,
      text,
      contentRange,
    ]);
    expect(reply.headers['content-length']).toBe(`${text.length}`);
    expect(reply.headers.etag).toBe(ETAG);
  });

  it('outside are 416 with the size', async () => {
    const reply = await get({ range: 'bytes=11-' });
    expect(reply.status).toBe(416);
    expect(reply.headers['content-range']).toBe('bytes */11');
    expect(reply.text).toContain('<Code>InvalidRange</Code>');
    expect(reply.text).toContain(
      '<RangeRequested>bytes=11-</RangeRequested><ActualObjectSize>11</ActualObjectSize>',
    );
    expect((await get({ range: 'bytes=0-' }, {}, '/reads/empty')).status).toBe(416);
    expect((await head({ range: 'bytes=11-' })).status).toBe(416);
  });

  it('count only if If-Range holds', async () => {
    expect((await get({ range: 'bytes=0-4', 'if-range': ETAG })).status).toBe(206);
    expect((await get({ range: 'bytes=0-4', 'if-range': '"other"' })).status).toBe(200);
    expect((await get({ range: 'bytes=90-', 'if-range': '"other"' })).status).toBe(200);
  });
});

describe('conditions', () => {
  const PAST = 'Thu, 23 May 2013 00:00:00 GMT';
  const FUTURE = 'Sat, 25 May 2013 00:00:00 GMT';
  it.each([
    [200, { 'if-match': ETAG }],
    [412, { 'if-match': '"x"' }],
    [304, { 'if-none-match': ETAG }],
    [200, { 'if-none-match': '"x"' }],
    [304, { 'if-modified-since': FUTURE }],
    [200, { 'if-modified-since': PAST }],
    [412, { 'if-unmodified-since': PAST }],
    [200, { 'if-match': ETAG, 'if-unmodified-since': PAST }],
    [200, { 'if-none-match': '"x"', 'if-modified-since': FUTURE }],
  ] as [number, Record<string, string>][])(
    '%i for %j, by GET and HEAD',
    async (status, headers) => {
      expect((await get(headers)).status).toBe(status);
      expect((await head(headers)).status).toBe(status);
    },
  );

  it('a 304 has validators and no body, a 412 names the condition', async () => {
    const unchanged = await get({ 'if-none-match': ETAG });
    expect(unchanged.text).toBe('');
    expect(unchanged.headers).toMatchObject({ etag: ETAG, 'cache-control': 'no-cache' });
    expect(unchanged.headers).toHaveProperty('last-modified');
    expect(unchanged.headers).not.toHaveProperty('content-type');
    expect(unchanged.headers).not.toHaveProperty('content-length');
    expect((await get({ 'if-match': '"x"' })).text).toContain('<Condition>If-Match</Condition>');
    expect((await get({ 'if-unmodified-since': PAST })).text).toContain(
      '<Condition>If-Unmodified-Since</Condition>',
    );
  });
});

describe('checksums', () => {
  const enabled = { 'x-amz-checksum-mode': 'ENABLED' };

  it('come when asked for, and not with a range', async () => {
    for (const reply of [await get(enabled), await head(enabled)]) {
      expect(reply.headers['x-amz-checksum-sha256']).toBe(SHA256);
      expect(reply.headers['x-amz-checksum-type']).toBe('FULL_OBJECT');
    }
    expect((await get()).headers).not.toHaveProperty('x-amz-checksum-sha256');
    const part = await get({ ...enabled, range: 'bytes=0-3' });
    expect(part.headers).not.toHaveProperty('x-amz-checksum-sha256');
    expect(part.headers).not.toHaveProperty('x-amz-checksum-type');
  });

  it('have one mode', async () => {
    expect((await get({ 'x-amz-checksum-mode': 'DISABLED' })).text).toContain(
      '<Code>InvalidRequest</Code>',
    );
  });
});

describe('partNumber', () => {
  it('1 of an object in one piece is all of it', async () => {
    const reply = await get({ 'x-amz-checksum-mode': 'ENABLED' }, { partNumber: '1' });
    expect([reply.status, reply.text, reply.headers['content-range']]).toEqual([
      206,
      BODY,
      'bytes 0-10/11',
    ]);
    expect(reply.headers['x-amz-checksum-sha256']).toBe(SHA256);
    expect(reply.headers).not.toHaveProperty('x-amz-mp-parts-count');
    expect((await get({}, { partNumber: '1' }, '/reads/empty')).status).toBe(200);
  });

  it.each([
    ['2', 400, 'InvalidPart'],
    ['10000', 400, 'InvalidPart'],
    ['0', 400, 'InvalidArgument'],
    ['10001', 400, 'InvalidArgument'],
    ['one', 400, 'InvalidArgument'],
    ['', 400, 'InvalidArgument'],
  ])('%j is refused', async (partNumber, status, code) => {
    const reply = await get({}, { partNumber });
    expect(codeOf(reply)).toEqual([status, code]);
    expect((await head({}, { partNumber })).status).toBe(status);
  });

  it('and a range are too much', async () => {
    expect((await get({ range: 'bytes=0-1' }, { partNumber: '1' })).text).toContain(
      '<Code>InvalidRequest</Code>',
    );
  });
});

describe('overrides', () => {
  const query = { 'response-content-type': 'text/x-b', 'response-cache-control': 'no-store' };

  it('replace headers of a signed request', async () => {
    for (const reply of [await get({}, query), await head({}, query)]) {
      expect(reply.headers).toMatchObject({
        'content-type': 'text/x-b',
        'cache-control': 'no-store',
      });
    }
  });

  it('are refused without a signature, where the object is public', async () => {
    await send({ method: 'PUT', path: '/reads-public' });
    await send({
      method: 'PUT',
      path: '/reads-public/k',
      body: 'x',
      headers: { 'x-amz-acl': 'public-read' },
    });
    const reply = await send({ path: '/reads-public/k', query, as: 'nobody' });
    expect(codeOf(reply)).toEqual([400, 'InvalidRequest']);
    expect((await send({ path: PATH, query, as: 'nobody' })).status).toBe(403);
  });
});

describe('version ids', () => {
  it('null is the version there is, and is sent back', async () => {
    const reply = await get({}, { versionId: 'null' });
    expect([reply.status, reply.text, reply.headers['x-amz-version-id']]).toEqual([
      200,
      BODY,
      'null',
    ]);
    expect((await get()).headers).not.toHaveProperty('x-amz-version-id');
  });

  it.each(['', 'abc', 'NULL'])('%j is no version id', async (versionId) => {
    for (const path of [PATH, '/reads/missing']) {
      const reply = await get({}, { versionId }, path);
      expect(codeOf(reply)).toEqual([400, 'InvalidArgument']);
    }
  });
});

describe('a key that is not there', () => {
  it('is 404 for who may list, 403 for who may not', async () => {
    await send({ method: 'PUT', path: '/reads-policy' });
    const policy = publicPolicy('reads-policy', 'open/');
    await send({ method: 'PUT', path: '/reads-policy', query: { policy: '' }, body: policy });
    const missing = '/reads-policy/open/missing';
    const codeFor = async (as: 'owner' | 'stranger' | 'nobody') =>
      /<Code>(\w+)/.exec(
        (await send({ path: missing, query: { versionId: 'null' }, as })).text,
      )?.[1];
    expect(await codeFor('owner')).toBe('NoSuchVersion');
    expect(await codeFor('stranger')).toBe('AccessDenied');
    expect(await codeFor('nobody')).toBe('AccessDenied');
    await send({
      method: 'PUT',
      path: '/reads-policy',
      query: { acl: '' },
      headers: { 'x-amz-acl': 'public-read' },
    });
    expect(await codeFor('stranger')).toBe('NoSuchVersion');
  });

  it('is named', async () => {
    const reply = await get({}, {}, '/reads/no such key');
    expect([reply.status, reply.headers['content-type']]).toEqual([404, 'application/xml']);
    expect(reply.text).toContain('<Code>NoSuchKey</Code>');
    expect(reply.text).toContain('<Key>no such key</Key>');
    expect((await head({}, {}, '/reads/missing')).text).toBe('');
  });
});
