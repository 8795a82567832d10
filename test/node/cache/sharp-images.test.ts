import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSharpImages } from '../../../src/adapters/node/services/sharp-images.ts';
import type { ImageFormat, ImageRecipe } from '../../../src/ports/derived.ts';
import { pngOf } from '../../wire/kit/png.ts';

const make = createSharpImages();
const RECIPE: ImageRecipe = {
  kind: 'image',
  widthPx: 100,
  heightPx: null,
  maxSidePx: 4096,
  fit: 'scale-down',
  format: 'jpeg',
  quality: 70,
};

const plain = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 4, background: { r: 200, g: 30, b: 30, alpha: 0.5 } },
  });
const originals = new Map<string, Uint8Array>();
const original = (name: string) => originals.get(name) ?? new Uint8Array();

beforeAll(async () => {
  const formats = ['jpeg', 'png', 'webp', 'avif', 'gif'] as const;
  for (const format of formats)
    originals.set(format, await plain(200, 120).toFormat(format).toBuffer());
  const frames = await Promise.all(
    [1, 2, 3].map((n) =>
      plain(40, 30)
        .negate(n % 2 === 0)
        .png()
        .toBuffer(),
    ),
  );
  originals.set(
    'moving',
    await sharp(frames, { join: { animated: true } })
      .gif({ delay: [100, 100, 100] })
      .toBuffer(),
  );
  originals.set('turned', await plain(200, 120).jpeg().withMetadata({ orientation: 6 }).toBuffer());
  originals.set(
    'located',
    await plain(50, 50)
      .jpeg()
      .withExif({ IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
      .toBuffer(),
  );
});

async function made(source: Uint8Array, changes: Partial<ImageRecipe> = {}) {
  const { bytes, contentType } = await make(source, { ...RECIPE, ...changes });
  const { format, width, height, pages, exif, hasAlpha } = await sharp(bytes, {
    animated: true,
  }).metadata();
  return {
    contentType,
    format: format === 'heif' ? 'avif' : format,
    width,
    height,
    pages,
    exif,
    hasAlpha,
  };
}

describe('images made with sharp', () => {
  for (const from of ['jpeg', 'png', 'webp', 'avif', 'gif'] as const) {
    it(`come from ${from} in every format`, async () => {
      for (const format of [
        'jpeg',
        'png',
        'webp',
        'avif',
        'gif',
      ] as const satisfies readonly ImageFormat[]) {
        expect(await made(original(from), { format })).toMatchObject({
          contentType: `image/${format}`,
          format,
          width: 100,
          height: 60,
        });
      }
    });
  }

  it.each<[Partial<ImageRecipe>, number, number]>([
    [{ widthPx: 400 }, 200, 120],
    [{ widthPx: 400, fit: 'contain' }, 400, 240],
    [{ widthPx: null, heightPx: 60 }, 100, 60],
    [{ widthPx: 50, heightPx: 50 }, 50, 30],
    [{ widthPx: 50, heightPx: 50, fit: 'contain' }, 50, 30],
    [{ widthPx: 50, heightPx: 50, fit: 'cover' }, 50, 50],
    [{ widthPx: 50, heightPx: 50, fit: 'fill' }, 50, 50],
    [{ widthPx: null }, 200, 120],
  ])('have the size that was asked for: %j', async (changes, width, height) => {
    expect(await made(original('png'), { ...changes, format: 'png' })).toMatchObject({
      width,
      height,
    });
  });

  it.each<[Partial<ImageRecipe>, number, number]>([
    [{ widthPx: 400, fit: 'contain' }, 63, 500],
    [{ widthPx: 400, heightPx: 500, fit: 'contain' }, 63, 500],
    [{ widthPx: null, heightPx: 400, fit: 'contain' }, 50, 400],
    [{ widthPx: 400, heightPx: 500, fit: 'cover' }, 400, 500],
    [{ widthPx: null, maxSidePx: 4 }, 1, 4],
  ])('have no side longer than they may, also of a stripe: %j', async (changes, width, height) => {
    const stripe = await plain(1, 8).png().toBuffer();
    expect(await made(stripe, { maxSidePx: 500, format: 'png', ...changes })).toMatchObject({
      width,
      height,
    });
  });

  it('stand upright, and keep nothing of where they were taken', async () => {
    expect(await made(original('turned'))).toMatchObject({ width: 100, height: 167 });
    expect((await sharp(original('located')).metadata()).exif).toBeDefined();
    expect((await made(original('located'))).exif).toBeUndefined();
  });

  it('keep what is transparent where the format can, and are white else', async () => {
    expect(await made(original('png'), { format: 'webp' })).toMatchObject({ hasAlpha: true });
    expect(await made(original('png'), { format: 'jpeg' })).toMatchObject({ hasAlpha: false });
  });

  it('move where the format can', async () => {
    const { pages: before } = await sharp(original('moving'), { animated: true }).metadata();
    expect(before).toBeGreaterThan(1);
    for (const format of ['webp', 'gif'] as const) {
      expect(await made(original('moving'), { widthPx: 20, format })).toMatchObject({
        pages: before,
        width: 20,
      });
    }
    expect((await made(original('moving'), { widthPx: 20, format: 'jpeg' })).pages ?? 1).toBe(1);
  });

  it('that move have no more pixels than all their frames together may', async () => {
    // 100 frames, so that each may have 83,886 pixels: a side of 289. Stripes, which are made at
    // once.
    const pair = await Promise.all(
      ['#f00', '#00f'].map((tint) => plain(60, 2).tint(tint).png().toBuffer()),
    );
    const frames = Array.from({ length: 100 }, (_, n) => pair[n % 2] ?? new Uint8Array());
    const source = await sharp(frames, { join: { animated: true } })
      .gif({ effort: 1 })
      .toBuffer();
    const large = { widthPx: 300, fit: 'contain' } as const;
    expect(await made(source, { ...large, format: 'webp' })).toMatchObject({
      pages: 100,
      width: 289,
    });
    expect(await made(source, { ...large, format: 'jpeg' })).toMatchObject({ width: 300 });
  });

  const TOO_LARGE = { code: 'InvalidRequest', message: expect.stringContaining('100 megapixels') };
  const u16 = (value: number) => [value & 0xff, value >> 8];
  const bytesOf = (text: string) => new TextEncoder().encode(text);
  it.each([
    ['nothing', () => new Uint8Array()],
    ['text', () => bytesOf('hello')],
    ['half an image', () => original('jpeg').subarray(0, original('jpeg').length >> 1)],
    [
      'SVG, which may read files',
      () => bytesOf('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    ],
    ['a TIFF', () => bytesOf('II*\u0000')],
  ])('are not made of %s', async (_what, source) => {
    await expect(make(source(), RECIPE)).rejects.toMatchObject({ code: 'InvalidRequest' });
  });

  it('are not made of bombs', async () => {
    const bomb = pngOf(12_000, 9_000, false);
    expect(bomb.length).toBeLessThan(1000);
    await expect(make(bomb, RECIPE)).rejects.toMatchObject(TOO_LARGE);
  });

  it('are not made of frames that are too large together, though each alone is not', async () => {
    // 101 frames of a megapixel, of which each says one pixel.
    const screen = [...u16(1000), ...u16(1000), 0x80, 0, 0, ...[0, 0, 0, 255, 255, 255]];
    const frame = [0x2c, ...u16(0), ...u16(0), ...u16(1), ...u16(1), 0, 2, 2, 0x44, 0x01, 0];
    const frames = Array.from({ length: 101 }, () => frame).flat();
    const source = Uint8Array.from([...bytesOf('GIF89a'), ...screen, ...frames, 0x3b]);
    await expect(make(source, { ...RECIPE, format: 'webp' })).rejects.toMatchObject(TOO_LARGE);
  });
});
