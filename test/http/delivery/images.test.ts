// Images by the address, through delivery with the makers of the Node platform.
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSharpImages } from '../../../src/adapters/node/services/sharp-images.ts';
import {
  createDerivedBodies,
  type StoredDerived,
} from '../../../src/adapters/shared/derived-bodies.ts';
import { createDecide } from '../../../src/core/auth/decide.ts';
import { HOSTING_DEFAULTS } from '../../../src/core/hosting/read-hosting.ts';
import { setHosting } from '../../../src/core/hosting/set-hosting.ts';
import type { StorageError } from '../../../src/domain/errors.ts';
import type { ImageSettings } from '../../../src/domain/hosting.ts';
import type { ObjectAttributes } from '../../../src/domain/nouns.ts';
import { createDelivery, type Delivery } from '../../../src/http/delivery/create-delivery.ts';
import { FailureWithHeaders } from '../../../src/http/failure-with-headers.ts';
import {
  ATTRIBUTES,
  type MemoryCore,
  openTestBucket,
  putBytes,
  withPorts,
} from '../../core/memory-core.ts';
import { createStockedCore, PUBLIC_BUCKET } from '../../node/fast-path/both-paths.ts';
import { makeRequest } from '../s3/kit/make-request.ts';
import { deliverySettings } from './delivery-settings.ts';

let core: MemoryCore;
let delivery: Delivery;
let photo: Buffer;
let makings = 0;

type Headers = Record<string, string>;

async function allow(images: ImageSettings | null): Promise<void> {
  await setHosting(core, await openTestBucket(core, PUBLIC_BUCKET), {
    ...HOSTING_DEFAULTS,
    images,
  });
}

async function store(
  name: string,
  bytes: Uint8Array,
  headers: ObjectAttributes['headers'] = {},
): Promise<void> {
  const bucket = await openTestBucket(core, PUBLIC_BUCKET);
  await putBytes(core, bucket, name, bytes, { attributes: { ...ATTRIBUTES, headers } });
}

beforeAll(async () => {
  const images = createSharpImages();
  const stored = new Map<string, StoredDerived>();
  const plain = await createStockedCore();
  core = withPorts(plain, {
    derived: createDerivedBodies({
      tier: 'bucket',
      memoryMaxBytes: 1_000_000,
      store: {
        get: async (name) => stored.get(name) ?? null,
        put: async (name, made) => void stored.set(name, made),
      },
      derive(source, recipe) {
        makings += 1;
        return recipe.kind === 'image' ? images(source, recipe) : Promise.resolve(null);
      },
      clock: plain.ports.clock,
      background: plain.ports.background,
      limits: {
        coding: { concurrency: 1, waitingMax: 1, slotMs: 60_000 },
        image: { concurrency: 1, waitingMax: 100, slotMs: 60_000 },
      },
      sharesWork: true,
    }),
  });
  delivery = createDelivery(core, deliverySettings(), createDecide());
  photo = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#083' } })
    .jpeg()
    .toBuffer();
  await store('photo.jpg', photo);
  await store('broken.jpg', photo.subarray(0, 100));
  await allow({ sizes: 'any', maxSize: 500 });
});

function codeOf(error: { code: string } | FailureWithHeaders): string {
  return error instanceof FailureWithHeaders ? (error.failure as StorageError).code : error.code;
}

async function get(query: string, headers: Headers = {}, method = 'GET', key = 'photo.jpg') {
  const request = makeRequest({ method, target: `/${PUBLIC_BUCKET}/${key}?${query}`, headers });
  const deliver = async () => delivery.deliver(request, PUBLIC_BUCKET, key, 'id');
  const answer = await deliver().catch((error: { code: string } | FailureWithHeaders) =>
    codeOf(error),
  );
  if (typeof answer === 'string')
    return { status: answer, headers: {} as Headers, body: Buffer.alloc(0) };
  const body = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: Object.fromEntries(answer.headers) as Headers, body };
}

describe('an image by its address', () => {
  it('is made once, and kept', async () => {
    const before = makings;
    const all = await Promise.all(Array.from({ length: 20 }, () => get('w=30&format=webp')));
    expect(makings - before).toBe(1);
    const again = await get('format=webp&w=30');
    expect(again.headers['cache-status']).toBe('quayside-memory; hit');
    for (const { status, headers, body } of [...all, again]) {
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'image/webp',
        'content-length': `${body.length}`,
      });
      expect(headers.etag).toBe(again.headers.etag);
    }
    expect(await sharp(again.body).metadata()).toMatchObject({
      format: 'webp',
      width: 30,
      height: 20,
    });
    expect(makings - before).toBe(1);
  });

  it('has tags, ranges and HEAD of its own', async () => {
    await get('w=40');
    const whole = await get('w=40');
    const etag = whole.headers.etag ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{32}-w40-max500-scale-down-jpeg80-[0-9a-f]{8}"$/);
    expect((await get('w=41')).headers.etag).not.toBe(etag);
    const head = await get('w=40', {}, 'HEAD');
    expect([head.headers, head.body.length]).toEqual([whole.headers, 0]);
    const known = await get('w=40', { 'if-none-match': `"x", ${etag}` });
    expect([known.status, known.headers.etag, known.body.length]).toEqual([304, etag, 0]);
    expect((await get('w=41', { 'if-none-match': etag })).status).toBe(200);
    expect((await get('w=40', { 'if-none-match': '*' })).headers.etag).toBe(etag);
    const part = await get('w=40', { range: 'bytes=2-5', 'if-range': etag });
    expect([part.status, part.headers['content-range']]).toEqual([
      206,
      `bytes 2-5/${whole.body.length}`,
    ]);
    expect(part.body.equals(whole.body.subarray(2, 6))).toBe(true);
    expect((await get('w=40', { 'if-match': etag })).status).toBe(200);
    expect((await get('w=40', { 'if-match': '"x"' })).status).toBe('PreconditionFailed');
  });

  it('is what the client shows, and says that it depends on it', async () => {
    const webp = await get('w=20&format=auto', { accept: 'image/webp' });
    expect([webp.headers['content-type'], webp.headers.vary]).toEqual(['image/webp', 'Accept']);
    const jpeg = await get('w=20&format=auto');
    expect([jpeg.headers['content-type'], jpeg.headers.vary]).toEqual(['image/jpeg', 'Accept']);
    expect((await get('w=20')).headers.vary).toBeUndefined();
    const known = await get('w=20&format=auto', {
      accept: 'image/webp',
      'if-none-match': webp.headers.etag ?? '',
    });
    expect([known.status, known.headers.vary]).toEqual([304, 'Accept']);
  });

  it('can be saved under a name', async () => {
    const saved = await get('w=20&download=small.jpg');
    expect(saved.headers['content-disposition']).toBe('attachment; filename="small.jpg"');
    expect((await sharp(saved.body).metadata()).width).toBe(20);
  });

  it('is refused where the parameters or the object are wrong', async () => {
    expect((await get('w=501')).status).toBe('InvalidArgument');
    expect((await get('format=exe')).status).toBe('InvalidArgument');
    expect((await get('w=10', {}, 'GET', 'broken.jpg')).status).toBe('InvalidRequest');
    expect((await get('w=10', {}, 'GET', 'missing.jpg')).status).toBe('NoSuchKey');
  });

  it('is new when the object is', async () => {
    await store('changing.jpg', photo);
    const old = await get('w=10', {}, 'GET', 'changing.jpg');
    const red = await sharp({
      create: { width: 300, height: 200, channels: 3, background: '#f00' },
    })
      .jpeg()
      .toBuffer();
    await store('changing.jpg', red);
    const fresh = await get(
      'w=10',
      { 'if-none-match': old.headers.etag ?? '' },
      'GET',
      'changing.jpg',
    );
    expect(fresh.status).toBe(200);
    expect((await sharp(fresh.body).stats()).dominant).toMatchObject({ r: 248, g: 8, b: 8 });
  });

  it('is the object as it is where none is requested, possible or wanted', async () => {
    expect((await get('v=2')).body.equals(photo)).toBe(true);
    expect((await get('w=10', {}, 'GET', 'a/b.txt')).headers['content-type']).toBe('text/plain');
    await store('kept.jpg', photo, { cacheControl: 'no-transform' });
    expect((await get('w=10', {}, 'GET', 'kept.jpg')).body.equals(photo)).toBe(true);
    await allow(null);
    expect((await get('w=10')).body.equals(photo)).toBe(true);
    await allow({ sizes: [10], maxSize: 500 });
    expect((await get('w=10')).body.equals(photo)).toBe(false);
    expect((await get('w=11')).status).toBe('InvalidArgument');
  });
});
