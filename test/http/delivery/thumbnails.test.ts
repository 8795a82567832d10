// Thumbnails with the makers of the Node platform: what is kept where, and what is not made.
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createSharpImages } from '../../../src/adapters/node/services/sharp-images.ts';
import {
  createDerivedBodies,
  type StoredDerived,
} from '../../../src/adapters/shared/derived-bodies.ts';
import type { RequestedEncryption } from '../../../src/core/encryption/envelope.ts';
import type { ObjectVersion } from '../../../src/domain/nouns.ts';
import { thumbnailOf } from '../../../src/http/delivery/thumbnails.ts';
import { MINE } from '../../core/encryption/encryption-kit.ts';
import {
  ATTRIBUTES,
  createMemoryCore,
  key,
  openTestBucket,
  putBytes,
  sampleBytes,
  withPorts,
} from '../../core/memory-core.ts';

const REQUESTER = { tenant: 't', bucket: 'b', source: 's' };
const AVIF_AND_WEBP = 'image/avif,image/webp,*/*;q=0.8';

async function withImages() {
  const stored = new Map<string, StoredDerived>();
  let makings = 0;
  const images = createSharpImages();
  const plain = createMemoryCore();
  const core = withPorts(plain, {
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
        image: { concurrency: 1, waitingMax: 4, slotMs: 60_000 },
      },
      sharesWork: true,
    }),
  });
  const bucket = await openTestBucket(core);
  const put = async (
    name: string,
    bytes: Uint8Array,
    contentType: string,
    encryption: RequestedEncryption | null = null,
  ): Promise<ObjectVersion> => {
    const attributes = { ...ATTRIBUTES, headers: { contentType } };
    await putBytes(core, bucket, name, bytes, { attributes, encryption });
    const found = await bucket.call('getVersion', { key: key(name), versionId: null });
    if (found?.kind !== 'object') throw new Error('no object');
    return found.object;
  };
  const find = (version: ObjectVersion, accept = AVIF_AND_WEBP) =>
    thumbnailOf(core, version, { size: 64, accept }).find(REQUESTER);
  return { core, stored, put, find, makings: () => makings };
}

const photo = () => sharp({ create: { width: 300, height: 200, channels: 3, background: '#c33' } });

/** A picture that nothing compresses well. */
const noise = () =>
  sharp(sampleBytes(600 * 600 * 3, 3), { raw: { width: 600, height: 600, channels: 3 } })
    .png()
    .toBuffer();

describe('thumbnails', () => {
  it('are made once, and kept below memory too', async () => {
    const { core, stored, put, find, makings } = await withImages();
    const version = await put('a.jpg', await photo().jpeg().toBuffer(), 'image/jpeg');
    const made = await find(version);
    expect(await sharp(made.bytes).metadata()).toMatchObject({
      format: 'webp',
      width: 64,
      height: 43,
    });
    await core.settle();
    expect([(await find(version)) === made, makings(), stored.size]).toEqual([true, 1, 1]);
  });

  it('of what is encrypted stay in memory, and end with their key', async () => {
    const { core, stored, put, find, makings } = await withImages();
    const bytes = await photo().png().toBuffer();
    const version = await put('a.png', bytes, 'image/png', { kind: 'server' });
    const made = await find(version);
    await core.settle();
    expect([(await find(version)) === made, makings(), stored.size]).toEqual([true, 1, 0]);

    const keyless = { ...core, settings: { ...core.settings, masterKeys: [] } };
    const thumbnail = thumbnailOf(keyless, version, { size: 64, accept: AVIF_AND_WEBP });
    await expect(thumbnail.find(REQUESTER)).rejects.toMatchObject({
      code: 'ServiceUnavailable',
    });
    const customers = await put('b.png', bytes, 'image/png', { kind: 'customer', key: MINE });
    expect(() => thumbnailOf(core, customers, { size: 64, accept: '' })).toThrow(
      expect.objectContaining({ code: 'InvalidRequest' }),
    );
  });

  it('move not, and are small whatever they are of', async () => {
    const { put, find } = await withImages();
    const [first, second] = ['#f00', '#00f'].map((background) => ({
      create: { width: 80, height: 80, channels: 3 as const, background },
    }));
    if (first === undefined || second === undefined) throw new Error('no frames');
    const frames = [await sharp(first).png().toBuffer(), await sharp(second).png().toBuffer()];
    const moving = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    const version = await put('a.gif', moving, 'image/gif');
    expect((await find(version)).contentType).toBe('image/avif');
    const still = await find(version, 'image/webp');
    expect([still.contentType, (await sharp(still.bytes).metadata()).pages ?? 1]).toEqual([
      'image/jpeg',
      1,
    ]);

    const noisy = await put('n.png', await noise(), 'image/png');
    expect((await find(noisy)).bytes.length).toBeLessThan(20 * 1024);
  });

  it('that are large are made once, however many bytes they take', async () => {
    const { core, put, makings } = await withImages();
    const noisy = await put('n.png', await noise(), 'image/png');
    const large = thumbnailOf(core, noisy, { size: 1024, accept: AVIF_AND_WEBP });
    expect((await large.find(REQUESTER)).bytes.length).toBeGreaterThan(20 * 1024);
    expect(makings()).toBe(1);
  });

  it('are of images, by their type and by their bytes', async () => {
    const { core, put, find, makings } = await withImages();
    const refusal = expect.objectContaining({ code: 'UnsupportedMediaType' });
    for (const [name, type] of [
      ['a.svg', 'image/svg+xml'],
      ['a.txt', 'text/plain'],
    ] as const) {
      const version = await put(name, new Uint8Array(10), type);
      expect(() => thumbnailOf(core, version, { size: 64, accept: '' })).toThrow(refusal);
    }
    expect(makings()).toBe(0);
    const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>');
    await expect(find(await put('svg.png', svg, 'image/png'))).rejects.toEqual(refusal);
  });
});
