import { beforeAll, describe, expect, it } from 'vitest';
import { checksumOf } from '../../../../../src/crypto/digest-set.ts';
import { drainedRows } from '../../kit/drained-rows.ts';
import { codeOf, contentMd5 } from '../../kit/responses.ts';
import { frameUnsigned } from '../../kit/sign-for-test.ts';
import { createTestSurface, OWNER } from '../../kit/surface.ts';

const surface = createTestSurface({ inlineBodyMaxBytes: 4 });
const { send } = surface;

beforeAll(async () => {
  await send({ method: 'PUT', path: '/puts' });
  await send({ method: 'PUT', path: '/puts-public', headers: { 'x-amz-acl': 'public-read' } });
});

const put = (
  key: string,
  body: string | Uint8Array = 'body',
  headers: Record<string, string> = {},
  bucket = 'puts',
) => send({ method: 'PUT', path: `/${bucket}/${key}`, body, headers });
const get = (key: string, headers: Record<string, string> = {}) =>
  send({ path: `/puts/${key}`, headers });

describe('PutObject', () => {
  it('answers with the ETag and nothing else', async () => {
    const reply = await put('plain');
    expect([reply.status, reply.headers.etag, reply.text]).toEqual([
      200,
      '"841a2d689ad86bd1611447453c22c6fc"',
      '',
    ]);
    expect((await get('plain')).text).toBe('body');
  });

  it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const)(
    'verifies, keeps and returns %s',
    async (algorithm) => {
      const header = `x-amz-checksum-${algorithm.toLowerCase()}`;
      const value = checksumOf(algorithm, new TextEncoder().encode('body'));
      const reply = await put('sum', 'body', { [header]: value });
      expect(reply.headers).toMatchObject({
        [header]: value,
        'x-amz-checksum-type': 'FULL_OBJECT',
      });
      const wrong = checksumOf(algorithm, new TextEncoder().encode('other'));
      expect(codeOf(await put('sum-wrong', 'body', { [header]: wrong }))).toEqual([
        400,
        'BadDigest',
      ]);
      expect(codeOf(await put('sum-wrong', 'body', { [header]: 'bad' }))).toEqual([
        400,
        'BadDigest',
      ]);
      expect((await get('sum-wrong')).status).toBe(404);
    },
  );

  it('verifies a checksum in a trailer', async () => {
    const crc = checksumOf('CRC32', new TextEncoder().encode('body'));
    const sendTrailer = (key: string, value: string) =>
      put(
        key,
        frameUnsigned([new TextEncoder().encode('body')], { 'x-amz-checksum-crc32': value }),
        {
          'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
          'x-amz-decoded-content-length': '4',
          'x-amz-trailer': 'x-amz-checksum-crc32',
          'x-amz-sdk-checksum-algorithm': 'CRC32',
          'content-encoding': 'gzip, aws-chunked',
        },
      );
    const reply = await sendTrailer('trailer', crc);
    expect([reply.status, reply.headers['x-amz-checksum-crc32']]).toEqual([200, crc]);
    expect((await get('trailer')).headers['content-encoding']).toBe('gzip');
    expect(codeOf(await sendTrailer('trailer-wrong', 'AAAAAA=='))).toEqual([400, 'BadDigest']);
    expect((await get('trailer-wrong')).status).toBe(404);
  });

  it('verifies Content-MD5', async () => {
    expect((await put('md5', 'body', { 'content-md5': contentMd5('body') })).status).toBe(200);
    expect(codeOf(await put('md5-wrong', 'body', { 'content-md5': contentMd5('other') }))).toEqual([
      400,
      'BadDigest',
    ]);
    expect(codeOf(await put('md5-wrong', 'body', { 'content-md5': 'x' }))).toEqual([
      400,
      'InvalidDigest',
    ]);
    expect((await get('md5-wrong')).status).toBe(404);
  });

  it('honours conditions', async () => {
    const first = await put('cond', 'one', { 'if-none-match': '*' });
    expect(first.status).toBe(200);
    expect(codeOf(await put('cond', 'two', { 'if-none-match': '*' }))).toEqual([
      412,
      'PreconditionFailed',
    ]);
    expect(codeOf(await put('cond', 'two', { 'if-match': '"x"' }))).toEqual([
      412,
      'PreconditionFailed',
    ]);
    expect((await put('cond', 'two', { 'if-match': first.headers.etag ?? '' })).status).toBe(200);
    expect(codeOf(await put('cond-new', 'x', { 'if-match': '"x"' }))).toEqual([404, 'NoSuchKey']);
    expect((await get('cond')).text).toBe('two');
  });

  it('takes an ACL that S3 knows, and no other', async () => {
    expect((await put('acl', 'x', { 'x-amz-acl': 'private' })).status).toBe(200);
    expect((await put('acl', 'x', { 'x-amz-acl': 'public-read' })).status).toBe(200);
    expect(codeOf(await put('acl-none', 'x', { 'x-amz-acl': 'open' }))).toEqual([
      400,
      'InvalidArgument',
    ]);
    expect(codeOf(await put('acl-none', 'x', { 'x-amz-acl': 'aws-exec-read' }))).toEqual([
      501,
      'NotImplemented',
    ]);
    expect((await get('acl-none')).status).toBe(404);
  });

  it('expects the owner that its header names', async () => {
    const as = (owner: string) => put('owned', 'x', { 'x-amz-expected-bucket-owner': owner });
    expect((await as(OWNER.id)).status).toBe(200);
    expect(codeOf(await as('f'.repeat(64)))).toEqual([403, 'AccessDenied']);
    expect(codeOf(await as(''))).toEqual([403, 'AccessDenied']);
  });

  it('is the owner’s alone', async () => {
    for (const as of ['stranger', 'nobody'] as const) {
      for (const path of ['/puts/x', '/puts-public/x']) {
        expect(codeOf(await send({ method: 'PUT', path, body: 'x', as }))).toEqual([
          403,
          'AccessDenied',
        ]);
      }
    }
  });
});

describe('CopyObject', () => {
  const copy = (key: string, source: string, headers: Record<string, string> = {}) =>
    send({
      method: 'PUT',
      path: `/puts/${key}`,
      headers: { 'x-amz-copy-source': source, ...headers },
    });
  const attributes = {
    'content-type': 'text/x-source',
    'x-amz-meta-from': 'source',
    'x-amz-website-redirect-location': '/there',
    'x-amz-storage-class': 'STANDARD_IA',
  };

  beforeAll(() => put('source', 'source body', attributes));

  it('keeps headers and metadata, but neither redirect nor storage class', async () => {
    const reply = await copy('kept', '/puts/source', {
      'x-amz-meta-new': '1',
      'content-type': 'text/x-new',
    });
    expect(reply.status).toBe(200);
    const { headers, text } = await get('kept');
    expect(text).toBe('source body');
    expect(headers).toMatchObject({ 'content-type': 'text/x-source', 'x-amz-meta-from': 'source' });
    for (const name of [
      'x-amz-meta-new',
      'x-amz-website-redirect-location',
      'x-amz-storage-class',
    ]) {
      expect(headers).not.toHaveProperty(name);
    }
  });

  it('replaces all of it by a directive', async () => {
    await copy('replaced', 'puts/source', {
      'x-amz-metadata-directive': 'REPLACE',
      'x-amz-meta-new': '1',
      'x-amz-storage-class': 'ONEZONE_IA',
      'x-amz-website-redirect-location': '/here',
    });
    const { headers } = await get('replaced');
    expect(headers).toMatchObject({
      'x-amz-meta-new': '1',
      'x-amz-storage-class': 'ONEZONE_IA',
      'x-amz-website-redirect-location': '/here',
    });
    expect(headers).not.toHaveProperty('x-amz-meta-from');
  });

  it.each([
    ['x-amz-metadata-directive', 'replace'],
    ['x-amz-tagging-directive', 'MERGE'],
  ])('knows no %s %s', async (name, value) => {
    expect(codeOf(await copy('x', '/puts/source', { [name]: value }))).toEqual([
      400,
      'InvalidArgument',
    ]);
  });

  it.each([
    [[400, 'InvalidRequest'], {}],
    [[400, 'InvalidRequest'], { 'x-amz-metadata-directive': 'COPY', 'x-amz-meta-a': 'b' }],
    [[200, undefined], { 'x-amz-metadata-directive': 'REPLACE' }],
    [[200, undefined], { 'x-amz-storage-class': 'STANDARD' }],
    [[200, undefined], { 'x-amz-website-redirect-location': '/x' }],
    [[200, undefined], { 'x-amz-checksum-algorithm': 'SHA1' }],
  ] as [unknown[], Record<string, string>][])(
    'onto itself answers %j to %j',
    async (expected, headers) => {
      await put('itself', 'itself');
      expect(codeOf(await copy('itself', '/puts/itself', headers))).toEqual(expected);
      expect((await get('itself')).text).toBe('itself');
    },
  );

  it.each([
    [[200, undefined], { 'if-match': '*' }],
    [[412, 'PreconditionFailed'], { 'if-match': '"x"' }],
    [[412, 'PreconditionFailed'], { 'if-none-match': '*' }],
    [[200, undefined], { 'if-none-match': '"x"' }],
    [[412, 'PreconditionFailed'], { 'if-modified-since': 'Sat, 25 May 2013 00:00:00 GMT' }],
    [[412, 'PreconditionFailed'], { 'if-unmodified-since': 'Thu, 23 May 2013 00:00:00 GMT' }],
  ] as [unknown[], Record<string, string>][])(
    'answers %j to copy-source-%j',
    async (expected, conditions) => {
      const headers = Object.fromEntries(
        Object.entries(conditions).map(([name, value]) => [`x-amz-copy-source-${name}`, value]),
      );
      const reply = await copy('conditional', '/puts/source', headers);
      expect(codeOf(reply)).toEqual(expected);
      if (reply.status === 412) {
        const [name = ''] = Object.keys(conditions);
        expect(reply.text.toLowerCase()).toContain(
          `<condition>x-amz-copy-source-${name}</condition>`,
        );
      }
    },
  );

  it('takes the version that there is', async () => {
    const reply = await copy('versioned', '/puts/source?versionId=null');
    expect([reply.status, reply.headers['x-amz-copy-source-version-id']]).toEqual([200, 'null']);
    expect(codeOf(await copy('versioned', '/puts/source?versionId=abc'))).toEqual([
      400,
      'InvalidArgument',
    ]);
  });

  it('retrieves what a colder class stores, for the owner of the source', async () => {
    await put('cold', 'cold body', { 'x-amz-storage-class': 'STANDARD_IA' }, 'puts-public');
    await put('cold', 'cold body', { 'x-amz-storage-class': 'STANDARD_IA' });
    await put('cold-in-row', 'cold', { 'x-amz-storage-class': 'STANDARD_IA' });
    drainedRows(surface);
    await copy('warm', '/puts/cold');
    expect(drainedRows(surface)).toMatchObject({
      'class-a/STANDARD': 1n,
      'retrieval/STANDARD_IA': 9n,
    });
    for (const source of ['/puts/cold-in-row', '/puts/plain']) await copy('warm', source);
    expect(drainedRows(surface)).not.toHaveProperty('retrieval/STANDARD_IA');
    const { 'x-quayside-receipt': receipt } = (
      await copy('warm', '/puts/cold', { 'x-quayside-receipt': '1' })
    ).headers;
    expect(receipt).toContain('retrieval/STANDARD_IA;n=9');
    expect(drainedRows(surface)).not.toHaveProperty('retrieval/STANDARD_IA');
  });

  it('takes only what the caller may read', async () => {
    await send({ method: 'PUT', path: '/strangers', as: 'stranger' });
    const steal = (source: string) =>
      send({
        method: 'PUT',
        path: '/strangers/x',
        headers: { 'x-amz-copy-source': source },
        as: 'stranger',
      });
    await put('open', 'open', { 'x-amz-acl': 'public-read' }, 'puts-public');
    expect(codeOf(await steal('/puts/source'))).toEqual([403, 'AccessDenied']);
    expect(codeOf(await steal('/puts/missing'))).toEqual([403, 'AccessDenied']);
    expect((await steal('/puts-public/open')).status).toBe(200);
    expect(codeOf(await steal('/puts-public/missing'))).toEqual([404, 'NoSuchKey']);
    expect(codeOf(await steal('/puts-nowhere/x'))).toEqual([404, 'NoSuchBucket']);
  });

  it('expects the owner of the source that its header names', async () => {
    const header = 'x-amz-source-expected-bucket-owner';
    expect((await copy('x', '/puts/source', { [header]: OWNER.id })).status).toBe(200);
    expect(codeOf(await copy('x', '/puts/source', { [header]: 'somebody' }))).toEqual([
      403,
      'AccessDenied',
    ]);
  });
});
