// One object: its bytes at every size that may be stored differently, its headers and metadata,
// HEAD, overwrites, deletion and GetObjectAttributes.
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { sampleBytes } from '../kit/clients/client.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectError, expectFailure, xmlRoot } from '../kit/clients/xml.ts';
import { md5Hex } from '../kit/reference-checksums.ts';

const { s3, send } = client;
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/;
const KiB = 1024;

describeCore('bytes', () => {
  const bucket = useBucket(client);
  const edges = [4 * KiB, 8 * KiB, 16 * KiB, 64 * KiB, 128 * KiB, 256 * KiB, 1024 * KiB];
  const sizes = [0, 1, 100, ...edges.flatMap((size) => [size - 1, size, size + 1]), 5 * 1024 * KiB];

  it.each(sizes)('come back as they went, %i of them', async (size) => {
    const body = sampleBytes(size, size + 7);
    const put = await send({ method: 'PUT', bucket, key: `size-${size}`, body });
    expect(put.status, put.text).toBe(200);
    expect(put.headers.etag).toBe(`"${md5Hex(body)}"`);
    expect(put.body.length).toBe(0);
    const got = await send({ method: 'GET', bucket, key: `size-${size}` });
    expect(got.status).toBe(200);
    expect(got.headers['content-length']).toBe(`${size}`);
    expect(got.body.equals(body)).toBe(true);
  });

  it('come from a stream of the SDK', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quayside-wire-'));
    try {
      const bytes = sampleBytes(3 * 1024 * KiB + 17, 3);
      await writeFile(join(folder, 'file'), bytes);
      const Body = createReadStream(join(folder, 'file'));
      await s3.send(
        new PutObjectCommand({ Bucket: bucket, Key: 'stream', Body, ContentLength: bytes.length }),
      );
      const got = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'stream' }));
      expect(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(bytes)).toBe(true);
      expect(got.ContentEncoding).toBeUndefined();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it.each([0, 3, 300_000])('need no length: %i bytes in chunks', async (sizeBytes) => {
    const body = sampleBytes(sizeBytes, 9);
    const call = { method: 'PUT', bucket, key: `unsized-${sizeBytes}`, body, announcedBytes: null };
    for (const payloadHash of [undefined, 'UNSIGNED-PAYLOAD']) {
      const put = await send(payloadHash === undefined ? call : { ...call, payloadHash });
      expect([put.status, put.text]).toEqual([200, '']);
      const got = await send({ method: 'GET', bucket, key: call.key });
      expect(got.body.equals(body)).toBe(true);
      expect(got.headers['content-length']).toBe(`${sizeBytes}`);
    }
    const wrong = await send({ ...call, key: 'unsized-wrong', payloadHash: 'a'.repeat(64) });
    expectError(wrong, 400, 'XAmzContentSHA256Mismatch');
    expectError(await send({ method: 'GET', bucket, key: 'unsized-wrong' }), 404, 'NoSuchKey');
  });
});

describeCore('headers', () => {
  const bucket = useBucket(client);
  const given = {
    'content-type': 'text/css; charset=utf-8',
    'cache-control': 'max-age=60, public',
    'content-disposition': 'attachment; filename="a b.html"',
    'content-encoding': 'gzip',
    'content-language': 'de, en',
    expires: 'Thu, 01 Dec 2044 16:00:00 GMT',
    'x-amz-website-redirect-location': '/elsewhere',
  };

  it('given with an object come back as they were', async () => {
    await send({ method: 'PUT', bucket, key: 'all', body: 'x', headers: given });
    for (const method of ['GET', 'HEAD']) {
      const reply = await send({ method, bucket, key: 'all' });
      expect(reply.headers).toMatchObject(given);
      expect(reply.headers['last-modified']).toMatch(HTTP_DATE);
      expect(reply.headers['accept-ranges']).toBe('bytes');
      expect(reply.headers['x-amz-request-id']).toMatch(/\S/);
    }
  });

  it('of HEAD are those of GET', async () => {
    for (const key of ['all', 'empty']) {
      if (key === 'empty') await send({ method: 'PUT', bucket, key });
      const get = await send({ method: 'GET', bucket, key });
      const head = await send({ method: 'HEAD', bucket, key });
      expect(head.status).toBe(200);
      expect(head.body.length).toBe(0);
      const own = new Set([
        'date',
        'x-amz-request-id',
        'x-amz-id-2',
        'server-timing',
        'cache-status',
        'connection',
        'keep-alive',
      ]);
      const kept = (headers: object) =>
        Object.fromEntries(Object.entries(headers).filter(([name]) => !own.has(name)));
      expect(kept(head.headers)).toEqual(kept(get.headers));
      expect(head.headers['content-length']).toBe(key === 'all' ? '1' : '0');
    }
  });

  it('default to binary/octet-stream and nothing else', async () => {
    await send({ method: 'PUT', bucket, key: 'plain.css', body: 'x' });
    const { headers } = await send({ method: 'HEAD', bucket, key: 'plain.css' });
    expect(headers['content-type']).toBe('binary/octet-stream');
    for (const name of ['content-encoding', 'content-disposition', 'content-language', 'expires']) {
      expect(headers[name]).toBeUndefined();
    }
  });

  it('of user metadata are lower-case, and encoded words where they are no ASCII', async () => {
    const headers = {
      'x-amz-meta-Colour-Code': 'a, b  c',
      'x-amz-meta-empty': '',
      'x-amz-meta-utf8': 'grün',
    };
    const put = await send({
      method: 'PUT',
      bucket,
      key: 'meta',
      body: 'x',
      headers: lowerCased(headers),
    });
    expect(put.status, put.text).toBe(200);
    const got = await send({ method: 'GET', bucket, key: 'meta' });
    expect(got.headers['x-amz-meta-colour-code']).toMatch(/^a, b {1,2}c$/);
    expect(got.headers['x-amz-meta-utf8']).toBe('=?UTF-8?Q?gr=C3=BCn?=');
    const copy = { 'x-amz-copy-source': `${bucket}/meta` };
    expect((await send({ method: 'PUT', bucket, key: 'meta-copy', headers: copy })).status).toBe(
      200,
    );
    for (const Key of ['meta', 'meta-copy']) {
      const { Metadata } = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key }));
      expect(Metadata).toMatchObject({ 'colour-code': 'a, b  c', utf8: '=?UTF-8?Q?gr=C3=BCn?=' });
    }
  });

  it('of user metadata end at 2 KiB of names and values', async () => {
    const sized = (bytes: number) => ({ 'x-amz-meta-a': 'v'.repeat(bytes - 1) });
    expect(
      (await send({ method: 'PUT', bucket, key: 'big', body: 'x', headers: sized(2048) })).status,
    ).toBe(200);
    const refused = await send({
      method: 'PUT',
      bucket,
      key: 'bigger',
      body: 'x',
      headers: sized(2049),
    });
    expectError(refused, 400, 'MetadataTooLarge');
    expectError(await send({ method: 'GET', bucket, key: 'bigger' }), 404, 'NoSuchKey');
  });

  it('and bytes are all replaced by an overwrite', async () => {
    const first = { ...given, 'x-amz-meta-old': '1' };
    await send({ method: 'PUT', bucket, key: 'over', body: 'first body', headers: first });
    await send({
      method: 'PUT',
      bucket,
      key: 'over',
      body: '2nd',
      headers: { 'x-amz-meta-new': '2' },
    });
    const { headers, text } = await send({ method: 'GET', bucket, key: 'over' });
    expect(text).toBe('2nd');
    expect(headers['x-amz-meta-new']).toBe('2');
    for (const name of ['x-amz-meta-old', 'cache-control', 'content-encoding'])
      expect(headers[name]).toBeUndefined();
  });

  it('of the answer can be overridden in a signed request', async () => {
    const query = {
      'response-content-type': 'text/x-other',
      'response-cache-control': 'no-store',
      'response-content-disposition': 'inline; filename="a b.txt"',
      'response-content-encoding': 'identity',
      'response-content-language': 'fr',
      'response-expires': 'Fri, 02 Dec 2044 16:00:00 GMT',
    };
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await send({ method, bucket, key: 'all', query });
      expect(status).toBe(200);
      for (const [name, value] of Object.entries(query))
        expect(headers[name.slice('response-'.length)]).toBe(value);
    }
  });

  it('of the answer cannot be what no header can hold', async () => {
    for (const value of ['日本', 'a\r\nset-cookie: b', '\u0000']) {
      const query = { 'response-content-disposition': value };
      expectError(await send({ method: 'GET', bucket, key: 'all', query }), 400, 'InvalidArgument');
    }
  });

  it('name storage classes that exist', async () => {
    const put = (storageClass: string) =>
      send({
        method: 'PUT',
        bucket,
        key: 'class',
        body: 'x',
        headers: { 'x-amz-storage-class': storageClass },
      });
    expect((await put('STANDARD')).status).toBe(200);
    expectError(await put('NO_SUCH_CLASS'), 400, 'InvalidStorageClass');
  });
});

describeCore('deletion', () => {
  const bucket = useBucket(client);

  it('makes the object gone, and again does no harm', async () => {
    await send({ method: 'PUT', bucket, key: 'k', body: 'x' });
    for (let time = 0; time < 2; time++) {
      const deleted = await send({ method: 'DELETE', bucket, key: 'k' });
      expect([deleted.status, deleted.body.length]).toEqual([204, 0]);
    }
    expect(expectError(await send({ method: 'GET', bucket, key: 'k' }), 404, 'NoSuchKey').Key).toBe(
      'k',
    );
    const head = await send({ method: 'HEAD', bucket, key: 'k' });
    expect([head.status, head.body.length]).toEqual([404, 0]);
    await expectFailure(
      s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'k' })),
      404,
      'NotFound',
    );
  });
});

describeCore('GetObjectAttributes', () => {
  const bucket = useBucket(client);

  it('gives what is asked for and no more', async () => {
    await s3.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: 'k',
        Body: 'hello',
        ChecksumAlgorithm: 'SHA256',
      }),
    );
    const all = await s3.send(
      new GetObjectAttributesCommand({
        Bucket: bucket,
        Key: 'k',
        ObjectAttributes: ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'],
      }),
    );
    expect(all).toMatchObject({
      ETag: md5Hex(Buffer.from('hello')),
      ObjectSize: 5,
      StorageClass: 'STANDARD',
      Checksum: {
        ChecksumSHA256: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
        ChecksumType: 'FULL_OBJECT',
      },
    });
    expect(all.LastModified).toBeInstanceOf(Date);
    const headers = { 'x-amz-object-attributes': 'ObjectSize' };
    const one = await send({ method: 'GET', bucket, key: 'k', query: { attributes: '' }, headers });
    const root = xmlRoot(one.text, 'GetObjectAttributesResponse');
    expect(Object.keys(root).filter((name) => !name.startsWith('@'))).toEqual(['ObjectSize']);
  });

  it('wants to know what, and an object', async () => {
    const call = { method: 'GET', bucket, key: 'k', query: { attributes: '' } };
    expectError(await send(call), 400, 'InvalidArgument');
    const unknown = { 'x-amz-object-attributes': 'Colour' };
    expectError(await send({ ...call, headers: unknown }), 400, 'InvalidArgument');
    const wanted = { 'x-amz-object-attributes': 'ETag' };
    expectError(await send({ ...call, key: 'missing', headers: wanted }), 404, 'NoSuchKey');
  });
});

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
