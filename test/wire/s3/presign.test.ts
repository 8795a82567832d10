// Signatures in the query: made by the SDK, by aws4fetch and by this suite; their lifetime, what
// they cover, and every way to get one wrong.
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { AwsV4Signer } from 'aws4fetch';
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import type { Call } from '../kit/clients/client.ts';
import { exchange } from '../kit/clients/http.ts';
import { encodeQuery, type Pairs, signUrlV2 } from '../kit/clients/sign.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectError } from '../kit/clients/xml.ts';
import { checksumOf } from '../kit/reference-checksums.ts';

const { s3, send, target } = client;
const KEY = 'a b+c/ü.txt';
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000);

describeCore('presigned URLs', () => {
  const bucket = useBucket(client);
  beforeAll(() => send({ method: 'PUT', bucket, key: KEY, body: 'hello' }));

  /** Sends a presigned target as it is. */
  const visit = (
    requestTarget: string,
    method = 'GET',
    headers: Record<string, string> = {},
    body?: string,
  ) =>
    exchange(target.url, {
      method,
      target: requestTarget,
      headers: { host: client.host, ...headers },
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
    });
  const get: Call = { method: 'GET', bucket, key: KEY };

  it('of the SDK read, look, write and delete', async () => {
    const read = await fetch(
      await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: KEY })),
    );
    expect([read.status, await read.text()]).toEqual([200, 'hello']);
    const head = await getSignedUrl(s3, new HeadObjectCommand({ Bucket: bucket, Key: KEY }));
    expect((await fetch(head, { method: 'HEAD' })).headers.get('content-length')).toBe('5');
    const input = { Bucket: bucket, Key: 'written', Body: 'by URL', ContentType: 'text/x-url' };
    const put = await getSignedUrl(s3, new PutObjectCommand(input), {
      signableHeaders: new Set(['content-type']),
    });
    const written = await fetch(put, {
      method: 'PUT',
      body: 'by URL',
      headers: { 'content-type': 'text/x-url' },
    });
    expect(written.status, await written.text()).toBe(200);
    const got = await send({ method: 'GET', bucket, key: 'written' });
    expect([got.text, got.headers['content-type']]).toEqual(['by URL', 'text/x-url']);
    const gone = await getSignedUrl(
      s3,
      new DeleteObjectCommand({ Bucket: bucket, Key: 'written' }),
    );
    expect((await fetch(gone, { method: 'DELETE' })).status).toBe(204);
    expectError(await send({ method: 'GET', bucket, key: 'written' }), 404, 'NoSuchKey');
  });

  it('of the SDK write any body when no checksum was calculated beforehand', async () => {
    const plain = client.sdk({ requestChecksumCalculation: 'WHEN_REQUIRED' });
    const url = await getSignedUrl(plain, new PutObjectCommand({ Bucket: bucket, Key: 'any' }));
    expect((await fetch(url, { method: 'PUT', body: 'whatever' })).status).toBe(200);
    expect((await send({ method: 'GET', bucket, key: 'any' })).text).toBe('whatever');
  });

  it('hold the writer to a checksum in the query', async () => {
    const query = { 'x-amz-checksum-crc32': checksumOf('CRC32', Buffer.from('right')) };
    const url = client.presigned({ method: 'PUT', bucket, key: 'held', query });
    expectError(await visit(url, 'PUT', {}, 'wrong'), 400, 'BadDigest');
    expect((await visit(url, 'PUT', {}, 'right')).status).toBe(200);
  });

  it('of aws4fetch read', async () => {
    const signer = new AwsV4Signer({
      url: client.url(bucket, KEY),
      accessKeyId: target.accessKey,
      secretAccessKey: target.secretKey,
      region: target.region,
      service: 's3',
      signQuery: true,
    });
    expect(await (await fetch((await signer.sign()).url)).text()).toBe('hello');
  });

  it('override headers of the answer', async () => {
    const query = {
      'response-content-type': 'text/x-other',
      'response-content-disposition': 'attachment; filename="ü"',
    };
    const reply = await visit(
      client.presigned({
        ...get,
        query: { ...query, 'response-content-disposition': 'attachment' },
      }),
    );
    expect(reply.headers).toMatchObject({
      'content-type': 'text/x-other',
      'content-disposition': 'attachment',
    });
  });

  it('live from one second to seven days', async () => {
    // Dated ahead, or a second that is nearly over would be all that the URL has.
    expect(
      (await visit(client.presigned({ ...get, sign: { date: secondsAgo(-60) } }, '1'))).status,
    ).toBe(200);
    expect((await visit(client.presigned(get, '604800'))).status).toBe(200);
    expect(
      (await visit(client.presigned({ ...get, sign: { date: secondsAgo(600_000) } }, '604800')))
        .status,
    ).toBe(200);
    for (const expires of ['-1', '604801']) {
      expectError(await visit(client.presigned(get, expires)), 403, 'AccessDenied');
    }
    for (const expires of ['soon', '', '1.5']) {
      expectError(
        await visit(client.presigned(get, expires)),
        400,
        'AuthorizationQueryParametersError',
      );
    }
  });

  it('expire', async () => {
    // S3 calls a lifetime of nothing expired, others call it malformed.
    expect([400, 403]).toContain((await visit(client.presigned(get, '0'))).status);
    const error = expectError(
      await visit(client.presigned({ ...get, sign: { date: secondsAgo(61) } }, '60')),
      403,
      'AccessDenied',
    );
    expect(error.Message).toMatch(/expired/i);
    expect(
      (await visit(client.presigned({ ...get, sign: { date: secondsAgo(50) } }, '60'))).status,
    ).toBe(200);
  });

  it('are not valid long before their date', async () => {
    const reply = await visit(client.presigned({ ...get, sign: { date: secondsAgo(-3600) } }));
    expect(reply.status).toBe(403);
    expect(reply.text).toMatch(/<Code>(AccessDenied|RequestTimeTooSkewed)<\/Code>/);
  });

  it.each([
    ['secret', { signer: { secretKey: 'wrong' } }, 'SignatureDoesNotMatch'],
    ['key', { signer: { accessKey: 'AKIAUNKNOWNUNKNOWN00' } }, 'InvalidAccessKeyId'],
    ['path', { signedPath: '/elsewhere' }, 'SignatureDoesNotMatch'],
  ] as [string, Partial<Call>, string][])('by a wrong %s are refused', async (_, change, code) => {
    const { signedPath, ...rest } = change;
    const signed = client.presigned({
      ...get,
      ...rest,
      ...(signedPath === undefined ? {} : { path: signedPath }),
    });
    const query = signed.slice(signed.indexOf('?'));
    const path = client.presigned(get).split('?')[0];
    expectError(await visit(`${path}${query}`), 403, code);
  });

  it('are refused for another method, with another or a further parameter', async () => {
    const url = client.presigned({ ...get, query: { prefix: 'a' } });
    expectError(await visit(url, 'DELETE'), 403, 'SignatureDoesNotMatch');
    expectError(await visit(url, 'PUT', {}, 'x'), 403, 'SignatureDoesNotMatch');
    expectError(await visit(url.replace('prefix=a', 'prefix=b')), 403, 'SignatureDoesNotMatch');
    expectError(await visit(`${url}&more=1`), 403, 'SignatureDoesNotMatch');
    expectError(
      await visit(url.replace('X-Amz-Expires=300', 'X-Amz-Expires=3000')),
      403,
      'SignatureDoesNotMatch',
    );
    expect((await visit(url)).text).toBe('hello');
  });

  it('cover the headers that they name', async () => {
    const call: Call = {
      method: 'PUT',
      bucket,
      key: 'covered',
      headers: { 'x-amz-meta-a': '1', 'content-type': 'a/b' },
    };
    const url = client.presigned(call);
    expectError(
      await visit(url, 'PUT', { 'content-type': 'a/b' }, 'x'),
      403,
      'SignatureDoesNotMatch',
    );
    expectError(
      await visit(url, 'PUT', { 'content-type': 'a/c', 'x-amz-meta-a': '1' }, 'x'),
      403,
      'SignatureDoesNotMatch',
    );
    expect(
      (await visit(url, 'PUT', { 'content-type': 'a/b', 'x-amz-meta-a': '1' }, 'x')).status,
    ).toBe(200);
    expect((await send({ method: 'HEAD', bucket, key: 'covered' })).headers['x-amz-meta-a']).toBe(
      '1',
    );
  });

  it.each([
    'X-Amz-Algorithm',
    'X-Amz-Credential',
    'X-Amz-Date',
    'X-Amz-Expires',
    'X-Amz-SignedHeaders',
    'X-Amz-Signature',
  ])('without %s are refused', async (name) => {
    const [path, query = ''] = client.presigned(get).split('?');
    const rest = query.split('&').filter((pair) => !pair.startsWith(`${name}=`));
    const reply = await visit(`${path}?${rest.join('&')}`);
    expect([400, 403], reply.text).toContain(reply.status);
    expect(reply.text).toMatch(/<Code>(AuthorizationQueryParametersError|AccessDenied)<\/Code>/);
  });

  it.each([
    ['X-Amz-Algorithm=AWS4-HMAC-SHA256', 'X-Amz-Algorithm=AWS4-HMAC-SHA1'],
    [/X-Amz-Date=\w+/, 'X-Amz-Date=today'],
    [/X-Amz-Credential=[^&]+/, 'X-Amz-Credential=nobody'],
    ['aws4_request', 'aws5_request'],
  ])('with %s made wrong are refused', async (part, wrong) => {
    const reply = await visit(client.presigned(get).replace(part, wrong));
    expect([400, 403]).toContain(reply.status);
    expect(reply.text).toMatch(/<Code>(AuthorizationQueryParametersError|AccessDenied)<\/Code>/);
  });

  it('keep their rights out of every answer', async () => {
    const reply = await visit(client.presigned({ ...get, key: 'missing' }));
    expectError(reply, 404, 'NoSuchKey');
    expect(reply.text).not.toMatch(/X-Amz-Signature|X-Amz-Credential/);
  });
});

// URLs that botocore makes: what it would send as headers stands in the query.
describeCore('URLs of Signature Version 2', () => {
  const bucket = useBucket(client);
  const path = `/${bucket}/a%20b%2B/%C3%BC`;
  const inSeconds = (seconds: number) => `${Math.floor(Date.now() / 1000) + seconds}`;

  type Url = {
    method?: string;
    signed?: readonly [string, string];
    query?: Pairs;
    path?: string;
    expires?: string;
  };
  const urlOf = ({ method = 'GET', signed, query = [], expires = inSeconds(300), ...url }: Url) => {
    const pairs = signUrlV2(signed ?? [`${method}\n\n\n`, url.path ?? path], target, expires);
    return `${url.path ?? path}?${encodeQuery([...query, ...pairs])}`;
  };
  const visit = (url: Url, headers: Record<string, string> = {}, body?: string) =>
    exchange(target.url, {
      method: url.method ?? 'GET',
      target: urlOf(url),
      headers: { host: client.host, ...headers },
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
    });

  it('tell their bearer no prices, as they sign no request for a receipt', async () => {
    const priced = `/${bucket}/priced`;
    expect((await visit({ method: 'PUT', path: priced }, {}, 'x')).status).toBe(200);
    for (const [option, status] of [
      ['', 200],
      ['receipt=1&', 200],
      ['receipt=1&zip&', 403],
    ] as const) {
      const [there, query] = urlOf({ path: priced }).split('?');
      const request = {
        method: 'GET',
        target: `${there}?${option}${query}`,
        headers: { host: client.host },
      };
      const reply = await exchange(target.url, request);
      const receipt = reply.headers['x-quayside-receipt'];
      expect([option, reply.status, receipt?.includes('currency') ?? false]).toEqual([
        option,
        status,
        false,
      ]);
    }
  });

  it('write, read, look and delete', async () => {
    const put: Url = {
      method: 'PUT',
      signed: ['PUT\n\ntext/x-old\n', `x-amz-meta-a:b c\n${path}`],
      query: [
        ['content-type', 'text/x-old'],
        ['x-amz-meta-a', 'b c'],
      ],
    };
    const written = await visit(put, { 'content-type': 'text/x-old' }, 'old');
    expect(written.status, written.text).toBe(200);
    const read = await visit({});
    expect([read.status, read.text]).toEqual([200, 'old']);
    expect(read.headers).toMatchObject({ 'content-type': 'text/x-old', 'x-amz-meta-a': 'b c' });
    expect((await visit({ method: 'HEAD' })).headers['content-length']).toBe('3');
    const part = await visit({}, { range: 'bytes=1-1' });
    expect([part.status, part.text]).toEqual([206, 'l']);
    const type = 'text/y; a';
    const named = await visit({
      signed: ['GET\n\n\n', `${path}?response-content-type=${type}`],
      query: [['response-content-type', type]],
    });
    expect(named.headers['content-type']).toBe(type);
    expect((await visit({ method: 'DELETE' })).status).toBe(204);
    expectError(await visit({}), 404, 'NoSuchKey');
  });

  it('open nothing else, and nothing when they are over', async () => {
    await send({ method: 'PUT', bucket, key: 'other', body: 'x' });
    expectError(await visit({ expires: inSeconds(-1) }), 403, 'AccessDenied');
    expectError(await visit({ query: [['acl', '']] }), 403, 'SignatureDoesNotMatch');
    const moved: Url = { signed: ['GET\n\n\n', path], path: `/${bucket}/other` };
    expectError(await visit(moved), 403, 'SignatureDoesNotMatch');
    expectError(await visit({}, { 'x-amz-acl': 'public-read' }), 403, 'SignatureDoesNotMatch');
  });

  it.each([
    { StringEquals: { 's3:signatureversion': 'AWS' } },
    { NumericGreaterThan: { 's3:signatureAge': '600000' } },
  ])('are what a policy says: %j', async (Condition) => {
    await send({ method: 'PUT', bucket, key: 'a b+/ü', body: 'x' });
    const Resource = `arn:aws:s3:::${bucket}/*`;
    const Statement = {
      Effect: 'Deny',
      Principal: '*',
      Action: 's3:GetObject',
      Resource,
      Condition,
    };
    const body = JSON.stringify({ Version: '2012-10-17', Statement });
    expect((await visit({})).status).toBe(200);
    const query = { policy: '' };
    expect((await send({ method: 'PUT', bucket, query, body })).status).toBe(204);
    expectError(await visit({}), 403, 'AccessDenied');
    expect((await send({ method: 'GET', bucket, key: 'a b+/ü' })).status).toBe(200);
    await send({ method: 'DELETE', bucket, query });
  });
});
