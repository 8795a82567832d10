// Images in other sizes by their address, as a page uses them: in buckets whose owner allows it.
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import type { Signer } from '../kit/clients/sign.ts';
import { client, describeCore, itUnless } from '../kit/clients/suite.ts';
import { expectError } from '../kit/clients/xml.ts';
import { pngOf } from '../kit/png.ts';

const { send, anonymous, presigned, target } = client;

/** Where Cloudflare Images is not bound there are none; wrangler.toml names none. */
const imagesReason = target.platform === 'node' ? null : 'no Images binding here';

const sizeOfPng = (bytes: Buffer) => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];

describeCore('images by their address', () => {
  const bucket = useBucket(client);
  const original = pngOf(320, 200);
  const read = (
    query: Record<string, string>,
    headers: Record<string, string> = {},
    key = 'a/photo.png',
  ) => anonymous({ method: 'GET', bucket, key, query, headers });
  const allow = (images: object | null) =>
    send({ method: 'PUT', bucket, query: { hosting: '' }, body: JSON.stringify({ images }) });

  beforeAll(async () => {
    await openToEveryone(client, bucket);
    const headers = { 'content-type': 'image/png' };
    await send({ method: 'PUT', bucket, key: 'a/photo.png', body: original, headers });
    await send({ method: 'PUT', bucket, key: 'broken.png', body: 'no image', headers });
  });

  it('are the originals until the owner allows it', async () => {
    expect((await read({ w: '10' })).body.equals(original)).toBe(true);
  });

  itUnless(imagesReason)('are made, kept, and told apart', async () => {
    expect((await allow({ sizes: [40, 64], maxSize: 500 })).status).toBe(200);
    const small = await read({ w: '40' });
    expect([small.status, small.headers['content-type'], sizeOfPng(small.body)]).toEqual([
      200,
      'image/png',
      [40, 25],
    ]);
    expect(small.headers['content-length']).toBe(`${small.body.length}`);
    const again = await read({ w: '40' });
    expect([again.headers.etag, again.body.equals(small.body)]).toEqual([small.headers.etag, true]);
    expect((await read({ w: '40' }, { 'if-none-match': small.headers.etag ?? '' })).status).toBe(
      304,
    );
    expect(sizeOfPng((await read({ w: '64', h: '64', fit: 'cover' })).body)).toEqual([64, 64]);
    const webp = await read({ w: '40', format: 'auto' }, { accept: 'image/webp,*/*' });
    expect([webp.headers['content-type'], webp.body.toString('latin1', 8, 12)]).toEqual([
      'image/webp',
      'WEBP',
    ]);
    expect(webp.headers.vary).toContain('Accept');
    expect((await read({})).body.equals(original)).toBe(true);
  });

  itUnless(imagesReason)('are refused with a reason', async () => {
    await allow({ sizes: [40] });
    for (const query of [{ w: '41' }, { w: '40', fit: 'x' }, { format: 'x' }, { q: '0' }]) {
      expectError(await read(query), 400, 'InvalidArgument');
    }
    expectError(await read({ w: '40' }, {}, 'broken.png'), 400, 'InvalidRequest');
    expectError(await read({ w: '40' }, {}, 'missing.png'), 404, 'NoSuchKey');
  });

  itUnless(target.platform === 'workers' ? null : 'images are made here')(
    'say so where none are made',
    async () => {
      await allow({ sizes: [10] });
      const reply = await read({ w: '10' });
      expectError(reply, 501, 'NotImplemented');
      expect(reply.text).toContain('Images binding');
    },
  );

  it('are of no size that is not listed, unless the owner asks for any', async () => {
    for (const images of [{}, { sizes: [] }, { sizes: [40], maxSize: 500 }]) {
      expect((await allow(images)).status).toBe(200);
      for (const query of [{ w: '41' }, { h: '41' }, { w: '40', h: '41' }]) {
        expectError(await read(query), 400, 'InvalidArgument');
      }
    }
    expect((await allow({ sizes: 'any', maxSize: 500 })).status).toBe(200);
    if (imagesReason === null) expect(sizeOfPng((await read({ w: '48' })).body)).toEqual([48, 30]);
  });

  itUnless(imagesReason)(
    'are of any size that the owner has signed, private ones too, and nobody else',
    async () => {
      await allow({ sizes: [40], maxSize: 500 });
      const { other } = target;
      const link = (w: string, signer: Partial<Signer> = {}, key = 'a/photo.png') =>
        presigned({ method: 'GET', bucket, key, query: { w }, signer });
      const open = async (path: string) => {
        const [pathname = '', sentQuery = ''] = path.split('?');
        return anonymous({ method: 'GET', path: pathname, sentQuery });
      };
      const small = await open(link('48'));
      expect([small.status, sizeOfPng(small.body)]).toEqual([200, [48, 30]]);
      const signed = await send({ method: 'GET', bucket, key: 'a/photo.png', query: { w: '56' } });
      expect(sizeOfPng(signed.body)).toEqual([56, 35]);
      expectError(await open(link('48').replace('w=48', 'w=49')), 403, 'SignatureDoesNotMatch');
      expectError(await open(link('501')), 400, 'InvalidArgument');
      // It may read the object, as everybody may, and gets what is stored.
      if (other !== null) expect((await open(link('52', other))).body.equals(original)).toBe(true);
      await send({ method: 'DELETE', bucket, query: { policy: '' } });
      const mine = await open(link('60'));
      expect([mine.status, mine.headers['cache-control'], sizeOfPng(mine.body)[0]]).toEqual([
        200,
        'private, no-cache',
        60,
      ]);
      expectError(await read({ w: '40' }), 403, 'AccessDenied');
      if (other !== null) expectError(await open(link('60', other)), 403, 'AccessDenied');
      await openToEveryone(client, bucket);
    },
  );

  it('are configured with sense', async () => {
    for (const images of [
      { sizes: [0] },
      { sizes: 'all' },
      { maxSize: 5000 },
      { width: 1 },
      'on',
    ]) {
      const body = JSON.stringify({ images });
      expectError(
        await send({ method: 'PUT', bucket, query: { hosting: '' }, body }),
        400,
        'InvalidRequest',
      );
    }
  });
});
