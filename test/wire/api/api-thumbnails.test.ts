// Thumbnails of private images, as a console shows them in its lists: by the cookie of a session or
// a token, small, and kept by the browser.
import { PutObjectCommand, PutPublicAccessBlockCommand } from '@aws-sdk/client-s3';
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { sampleBytes } from '../kit/clients/client.ts';
import {
  type ApiClient,
  apiClient,
  newAccount,
  signIn,
  tokenClient,
} from '../kit/clients/json-api.ts';
import { client, describeCore, itUnless } from '../kit/clients/suite.ts';
import { noisyPngOf, pngOf } from '../kit/png.ts';

const { s3, target } = client;

/** Where Cloudflare Images is not bound there are none; wrangler.toml names none. */
const imagesReason = target.platform === 'node' ? null : 'no Images binding here';
const bindingReason = target.platform === 'node' ? 'images are made here' : null;

const ACCEPT = { accept: 'image/avif,image/webp,image/apng,image/*,*/*;q=0.8' };
const YEAR = 'private, max-age=31536000, immutable';

describeCore('thumbnails', () => {
  const Bucket = useBucket(client);
  const Capped = useBucket(client);
  let api: ApiClient;
  let cookie: string;
  const put = async (Key: string, Body: Buffer | string, ContentType = 'image/png', more = {}) =>
    (await s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentType, ...more }))).ETag ?? '';
  const urlOf = (key: string, query: Record<string, string> = {}) =>
    `${target.url}/-/api/v1/buckets/${Bucket}/thumbnail?${new URLSearchParams({ key, ...query })}`;
  const get = (
    key: string,
    query: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) => fetch(urlOf(key, query), { headers: { cookie, ...ACCEPT, ...headers } });
  const bytesOf = async (reply: Response) => Buffer.from(await reply.arrayBuffer());
  const codeOf = async (reply: Response) => {
    const { code } = (await reply.json()) as { readonly code: string };
    return [reply.status, code];
  };

  beforeAll(async () => {
    api = await tokenClient(client);
    cookie = await signIn(client, target.accessKey, target.secretKey);
    // Nobody but the account reads here.
    await s3.send(
      new PutPublicAccessBlockCommand({
        Bucket,
        PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
      }),
    );
    await put('ü/photo.png', pngOf(640, 480));
  });

  itUnless(imagesReason)('are small images that the browser keeps', async () => {
    const etag = await put('kept.png', pngOf(640, 480));
    const plain = await get('kept.png', { size: '64' });
    expect(plain.status).toBe(200);
    expect(Object.fromEntries(plain.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'private, max-age=60',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      vary: 'Accept, Authorization, Cookie',
    });
    const bytes = await bytesOf(plain);
    expect(bytes.toString('latin1', 8, 12)).toBe('WEBP');
    // The frame of a lossy WebP: its width and height.
    expect([bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff]).toEqual([64, 48]);
    expect(plain.headers.get('content-length')).toBe(`${bytes.length}`);

    const fixed = await get('kept.png', { size: '64', etag: etag.replaceAll('"', '') });
    expect(fixed.headers.get('cache-control')).toBe(YEAR);
    expect((await bytesOf(fixed)).equals(bytes)).toBe(true);
    const stale = await get('kept.png', { size: '64', etag: 'other' });
    expect(stale.headers.get('cache-control')).toBe('private, max-age=60');

    const tag = plain.headers.get('etag') ?? '';
    const again = await get('kept.png', { size: '64' }, { 'if-none-match': tag });
    expect([again.status, again.headers.get('etag')]).toEqual([304, tag]);
    expect((await get('kept.png', { size: '256' }, { 'if-none-match': tag })).status).toBe(200);
    await put('kept.png', pngOf(64, 480));
    expect((await get('kept.png', { size: '64' }, { 'if-none-match': tag })).status).toBe(200);
    const old = await get('kept.png', {}, { accept: '*/*' });
    expect(old.headers.get('content-type')).toBe('image/jpeg');
  });

  itUnless(imagesReason)('take 20 KiB at most in a list, whatever the image', async () => {
    await put('noise.png', noisyPngOf(512, 512, sampleBytes(512 * 512 * 3, 7)));
    for (const accept of [ACCEPT.accept, 'image/jpeg']) {
      for (const size of ['64', '256']) {
        const reply = await get('noise.png', { size }, { accept });
        const { length } = await bytesOf(reply);
        expect([reply.status, size, length > 100, length <= 20 * 1024]).toEqual([
          200,
          size,
          true,
          true,
        ]);
      }
    }
    expect((await get('noise.png', { size: '1024' })).status).toBe(200);
  });

  itUnless(imagesReason)('are made of what is encrypted, for who may read it', async () => {
    await put('encrypted.png', pngOf(200, 100), 'image/png', { ServerSideEncryption: 'AES256' });
    for (let time = 0; time < 3; time++) {
      const reply = await get('encrypted.png', { size: '64' });
      expect([reply.status, (await bytesOf(reply)).toString('latin1', 8, 12)]).toEqual([
        200,
        'WEBP',
      ]);
    }
  });

  it('are of images alone, and the refusal says so', async () => {
    await put('page.png', '<svg onload="alert(1)"/>', 'image/svg+xml');
    await put('note.txt', 'no image', 'text/plain');
    await put('broken.png', 'no image');
    await put('large.png', Buffer.alloc(24 * 1024 * 1024 + 1));
    const refusal = [415, 'UnsupportedMediaType'];
    expect(await codeOf(await get('page.png'))).toEqual(refusal);
    expect(await codeOf(await get('note.txt'))).toEqual(refusal);
    expect(await codeOf(await get('large.png'))).toEqual(refusal);
    expect(await codeOf(await get('missing.png'))).toEqual([404, 'NoSuchKey']);
    expect(await codeOf(await get('ü/photo.png', { size: '65' }))).toEqual([400, 'InvalidInput']);
    if (imagesReason === null) expect(await codeOf(await get('broken.png'))).toEqual(refusal);
  });

  itUnless(bindingReason)('are not implemented without a binding', async () => {
    expect(await codeOf(await get('ü/photo.png'))).toEqual([501, 'NotImplemented']);
  });

  it('are promised by the server where it makes any', async () => {
    const { json } = await api.call('GET', '/server');
    expect(json.features.images).toBe(imagesReason === null);
  });

  it('are for who may read the object', async () => {
    const status = async (by: ApiClient, key = 'ü/photo.png') =>
      (await by.call('GET', `/buckets/${Bucket}/thumbnail?${new URLSearchParams({ key })}`)).status;
    expect(await status(apiClient(client))).toBe(401);
    const other = await tokenClient(client, await newAccount(api, 'thumbnail-stranger'));
    expect(await status(other)).toBe(404);
    expect(await status(api)).toBe(imagesReason === null ? 200 : 501);
    const { json } = await api.call('POST', '/tokens', { name: 'x', scopes: ['buckets:read'] });
    expect(await status(apiClient(client, { authorization: `Bearer ${json.token}` }))).toBe(403);

    // A policy that denies it to everybody holds here as it does for every read.
    const Statement = [
      {
        Effect: 'Deny',
        Principal: '*',
        Action: 's3:GetObject',
        Resource: `arn:aws:s3:::${Bucket}/secret/*`,
      },
    ];
    await put('secret/photo.png', pngOf(10, 10));
    const policy = JSON.stringify({ Version: '2012-10-17', Statement });
    expect(
      (await client.send({ method: 'PUT', bucket: Bucket, query: { policy: '' }, body: policy }))
        .status,
    ).toBe(204);
    await expect.poll(() => status(api, 'secret/photo.png')).toBe(403);
  });

  itUnless(imagesReason)('count, and stop at a cap', async () => {
    const key = 'capped.png';
    await s3.send(
      new PutObjectCommand({
        ...{ Bucket: Capped, Key: key, ContentType: 'image/png' },
        Body: pngOf(640, 480),
      }),
    );
    const path = `/buckets/${Capped}/thumbnail?key=${key}&size=64`;
    const cap = `thumbnails-${Capped}`;
    expect((await api.call('GET', path)).status).toBe(200);
    const limited = { bucket: Capped, unit: 'bytes', limit: '10' };
    expect((await api.call('PUT', `/caps/${cap}`, limited)).status).toBe(200);
    const refused = async () => (await api.call('GET', path)).json?.code;
    await expect.poll(refused).toBe('UsageCapReached');
    expect((await api.call('DELETE', `/caps/${cap}`)).status).toBe(204);
    await expect.poll(async () => (await api.call('GET', path)).status).toBe(200);
  });
});
