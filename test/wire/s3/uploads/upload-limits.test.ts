// Limits that are signed into presigned URLs: by the SDK's presigner, by aws4fetch, by the JSON API
// and by this suite's own signer. What is refused stores nothing.
import { CreateMultipartUploadCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { AwsV4Signer } from 'aws4fetch';
import { expect, it } from 'vitest';
import { useBucket } from '../../kit/bucket.ts';
import { type Call, sampleBytes } from '../../kit/clients/client.ts';
import { exchange, type Reply } from '../../kit/clients/http.ts';
import { encodeQuery, signUrlV2 } from '../../kit/clients/sign.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { expectError } from '../../kit/clients/xml.ts';
import { startUpload } from '../../kit/multipart-kit.ts';

const { s3, send, target } = client;
/** Above what is stored in the row of the index. */
const BODY = sampleBytes(300_000, 77);

type Sent = {
  readonly body?: Uint8Array;
  readonly headers?: Record<string, string>;
  readonly announcedBytes?: number | null;
  readonly method?: string;
};

const visit = (requestTarget: string, sent: Sent = {}): Promise<Reply> =>
  exchange(target.url, {
    method: sent.method ?? 'PUT',
    target: requestTarget,
    headers: { host: client.host, ...sent.headers },
    body: sent.body ?? Buffer.from('hello'),
    ...(sent.announcedBytes === undefined ? {} : { announcedBytes: sent.announcedBytes }),
  });

describeCore('limits of presigned URLs', () => {
  const bucket = useBucket(client);
  const limited = (key: string, query: Record<string, string>, more: Partial<Call> = {}) =>
    client.presigned({ method: 'PUT', bucket, key, query, ...more });
  const expectAbsent = async (key: string) =>
    expectError(await send({ method: 'GET', bucket, key }), 404, 'NoSuchKey');

  /** Presigns as users of the SDK do: a middleware adds the parameters. */
  const bySdk = (command: PutObjectCommand, query: Record<string, string>) => {
    command.middlewareStack.add(
      (next) => (args) => {
        Object.assign((args.request as { query: Record<string, string> }).query, query);
        return next(args);
      },
      { step: 'build', name: 'limits' },
    );
    return getSignedUrl(s3, command);
  };

  it('hold for a URL of the SDK', async () => {
    const url = await bySdk(new PutObjectCommand({ Bucket: bucket, Key: 'by-sdk' }), {
      'x-quayside-max-bytes': '5',
      'x-quayside-content-types': 'text/plain,image/*',
    });
    const put = (body: string, type: string) =>
      fetch(url, { method: 'PUT', body, headers: { 'content-type': type } });
    const tooLarge = await put('longer', 'text/plain');
    expect([tooLarge.status, await tooLarge.text()]).toEqual([
      400,
      expect.stringContaining('<Code>EntityTooLarge</Code>'),
    ]);
    const otherType = await put('hello', 'text/html');
    expect([otherType.status, await otherType.text()]).toEqual([
      403,
      expect.stringContaining('text/plain, image/*'),
    ]);
    await expectAbsent('by-sdk');
    for (const type of ['text/plain; charset=utf-8', 'IMAGE/PNG'])
      expect((await put('hello', type)).status).toBe(200);
  });

  it('hold for a URL of aws4fetch', async () => {
    const url = new URL(client.url(bucket, 'by-aws4fetch'));
    url.searchParams.set('x-quayside-max-bytes', '5');
    const signer = new AwsV4Signer({
      url: url.href,
      method: 'PUT',
      accessKeyId: target.accessKey,
      secretAccessKey: target.secretKey,
      region: target.region,
      service: 's3',
      signQuery: true,
    });
    const signed = (await signer.sign()).url;
    expect((await fetch(signed, { method: 'PUT', body: 'longer' })).status).toBe(400);
    expect((await fetch(signed, { method: 'PUT', body: 'hello' })).status).toBe(200);
  });

  it('cut a body in chunks where it passes them, and keep nothing', async () => {
    const url = limited('cut', { 'x-quayside-max-bytes': '200000' });
    const reply = await visit(url, { body: BODY, announcedBytes: null });
    expectError(reply, 400, 'EntityTooLarge');
    await expectAbsent('cut');
    const short = limited('cut', { 'x-quayside-min-bytes': '300001' });
    expectError(await visit(short, { body: BODY, announcedBytes: null }), 400, 'EntityTooSmall');
    expectError(await visit(short, { body: BODY }), 400, 'EntityTooSmall');
    await expectAbsent('cut');
    const fits = limited('cut', {
      'x-quayside-min-bytes': '300000',
      'x-quayside-max-bytes': '300000',
    });
    expect((await visit(fits, { body: BODY, announcedBytes: null })).status).toBe(200);
  });

  it('are part of what is signed', async () => {
    const url = limited('signed', { 'x-quayside-max-bytes': '3' });
    const raised = url.replace('x-quayside-max-bytes=3', 'x-quayside-max-bytes=9');
    const removed = url
      .replace('x-quayside-max-bytes=3&', '')
      .replace('&x-quayside-max-bytes=3', '');
    for (const changed of [raised, removed])
      expectError(await visit(changed), 403, 'SignatureDoesNotMatch');
    await expectAbsent('signed');
  });

  it('let a URL be used so often, counted exactly among many at once', async () => {
    const url = limited('used', { 'x-quayside-max-uses': '10', 'x-quayside-max-bytes': '5' });
    // What is refused is no use.
    for (let attempt = 0; attempt < 3; attempt++)
      expectError(await visit(url, { body: Buffer.from('longer') }), 400, 'EntityTooLarge');
    const cut = { body: Buffer.from('longer'), announcedBytes: null };
    for (let attempt = 0; attempt < 3; attempt++)
      expectError(await visit(url, cut), 400, 'EntityTooLarge');
    const uses = await Promise.all(
      Array.from({ length: 40 }, async () => (await visit(url)).status),
    );
    const done = uses.filter((status) => status === 200).length;
    // A use that was taken by a request which is cut is free again a moment later.
    expect(done).toBeLessThanOrEqual(10);
    for (let more = done; more < 10; more++)
      await expect.poll(async () => (await visit(url)).status).toBe(200);
    const error = expectError(await visit(url), 403, 'AccessDenied');
    expect(error.Message).toBe('This URL may be used 10 times, and has been.');
    const other = limited('used', { 'x-quayside-max-uses': '1' }, { sign: { date: new Date() } });
    expect((await visit(other)).status).toBe(200);
  });

  it('open all keys below a prefix, and no others', async () => {
    const url = limited('in box/ü/', { 'x-quayside-key-prefix': 'in box/ü/' });
    const at = (path: string) => url.replace(/^[^?]*/, `/${bucket}/${path}`);
    expect((await visit(at('in%20box/%C3%BC/a.txt'))).status).toBe(200);
    expect((await visit(at('in%20box/%c3%bc/deep/b+c.txt'))).status).toBe(200);
    expect((await send({ method: 'GET', bucket, key: 'in box/ü/deep/b+c.txt' })).text).toBe(
      'hello',
    );
    for (const path of ['other.txt', 'in%20box/u', 'in%20bo', 'in%20box/%C3%BD/x'])
      expectError(await visit(at(path)), 403, 'AccessDenied');
    const longer = url.replace(/key-prefix=[^&]*/, 'key-prefix=in%20box%2F');
    expectError(await visit(longer), 403, 'SignatureDoesNotMatch');
    // Other requests are not signed by it.
    expectError(
      await visit(at('in%20box/%C3%BC/a.txt'), { method: 'DELETE' }),
      403,
      'SignatureDoesNotMatch',
    );
  });

  it('hold for parts, and for the beginning of an upload', async () => {
    const uploadId = await startUpload(bucket, 'parts');
    const part = { partNumber: '1', uploadId };
    const url = limited('parts', { ...part, 'x-quayside-max-bytes': '5' });
    const longer = Buffer.from('longer');
    expectError(await visit(url, { body: longer }), 400, 'EntityTooLarge');
    expect((await visit(url)).status).toBe(200);
    const begun = { Bucket: bucket, Key: 'begun', ContentType: 'text/css' };
    const begin = await bySdk(
      new CreateMultipartUploadCommand(begun) as unknown as PutObjectCommand,
      { 'x-quayside-content-types': 'text/css', 'x-quayside-max-uses': '1' },
    );
    const start = (type: string) =>
      fetch(begin, { method: 'POST', headers: { 'content-type': type } });
    expect((await start('text/html')).status).toBe(403);
    expect((await start('text/css')).status).toBe(200);
    expect((await start('text/css')).status).toBe(403);
  });

  it('are refused where they would not hold', async () => {
    const max = { 'x-quayside-max-bytes': '5' };
    const refused: readonly [string, Reply, number, string][] = [
      [
        'a read',
        await visit(client.presigned({ method: 'GET', bucket, key: 'x', query: max }), {
          method: 'GET',
          body: new Uint8Array(),
        }),
        400,
        'InvalidRequest',
      ],
      [
        'a header',
        await send({ method: 'PUT', bucket, key: 'x', query: max }),
        400,
        'InvalidRequest',
      ],
      [
        'nobody',
        await client.anonymous({ method: 'PUT', bucket, key: 'x', query: max }),
        400,
        'InvalidRequest',
      ],
      [
        'another name',
        await visit(limited('x', { 'x-quayside-maxbytes': '5' })),
        400,
        'InvalidArgument',
      ],
      [
        'another case',
        await visit(limited('x', { 'X-Quayside-Max-Bytes': '5' })),
        400,
        'InvalidArgument',
      ],
      [
        'no number',
        await visit(limited('x', { 'x-quayside-max-bytes': '-1' })),
        400,
        'InvalidArgument',
      ],
      ['no use', await visit(limited('x', { 'x-quayside-max-uses': '0' })), 400, 'InvalidArgument'],
      [
        'no type',
        await visit(limited('x', { 'x-quayside-content-types': '*/*' })),
        400,
        'InvalidArgument',
      ],
      [
        'no prefix',
        await visit(limited('x', { 'x-quayside-key-prefix': '' })),
        403,
        'AccessDenied',
      ],
    ];
    for (const [what, reply, status, code] of refused)
      expect([what, expectError(reply, status, code).Code]).toEqual([what, code]);
    const begun = client.presigned({
      method: 'POST',
      bucket,
      key: 'x',
      query: { uploads: '', ...max },
    });
    expectError(await visit(begun, { method: 'POST' }), 400, 'InvalidRequest');
    const expires = String(Math.floor(Date.now() / 1000) + 300);
    const v2 = signUrlV2(['PUT\n\n\n', `/${bucket}/x`], target, expires);
    const unsigned = encodeQuery([...v2, ['x-quayside-max-bytes', '5']]);
    expectError(await visit(`/${bucket}/x?${unsigned}`), 400, 'InvalidRequest');
    await expectAbsent('x');
  });
});
