import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { countFrames } from '../../../src/adapters/cloudflare/bodies/count-frames.ts';
import { boxOf, MOVING_IMAGE_MAX_PIXELS } from '../../../src/adapters/shared/image-box.ts';
import type { ImageRecipe } from '../../../src/ports/derived.ts';

const RECIPE: ImageRecipe = {
  kind: 'image',
  widthPx: null,
  heightPx: null,
  maxSidePx: 4096,
  fit: 'contain',
  format: 'webp',
  quality: 75,
};

describe('the box of an image', () => {
  it.each<[Partial<ImageRecipe>, number, number, number, ImageRecipe['fit']]>([
    [{ widthPx: 300, heightPx: 200, fit: 'cover' }, 1, 300, 200, 'cover'],
    [{ widthPx: 4096, heightPx: 4096, fit: 'fill' }, 1, 4096, 4096, 'fill'],
    // The other side follows, but not for ever.
    [{ widthPx: 300 }, 1, 300, 4096, 'contain'],
    [{ heightPx: 300, fit: 'scale-down', maxSidePx: 500 }, 1, 500, 300, 'scale-down'],
    // Without a size nothing is made larger.
    [{}, 1, 4096, 4096, 'scale-down'],
    [{ maxSidePx: 640 }, 1, 640, 640, 'scale-down'],
    // 20 frames: 647 pixels a side, or whatever has as many.
    [{ widthPx: 1024 }, 20, 647, 647, 'contain'],
    [{ widthPx: 320 }, 20, 320, 647, 'contain'],
    [{ widthPx: 1000, heightPx: 100, fit: 'cover' }, 20, 1000, 100, 'cover'],
    [{ widthPx: 4096, heightPx: 1024, fit: 'cover' }, 20, 1295, 323, 'cover'],
    // Only the first is shown.
    [{ widthPx: 1024, format: 'avif' }, 20, 1024, 4096, 'contain'],
    [{ widthPx: 1024 }, 100_000_000, 1, 1, 'contain'],
  ])('of %j with %i frames is %i by %i', (changes, frames, widthPx, heightPx, fit) => {
    expect(boxOf({ ...RECIPE, ...changes }, frames)).toEqual({ widthPx, heightPx, fit });
  });

  it('never has more than there may be', () => {
    const side = fc.option(fc.integer({ min: 1, max: 4096 }));
    const fit = fc.constantFrom('scale-down', 'contain', 'cover', 'fill');
    fc.assert(
      fc.property(
        side,
        side,
        fit,
        fc.integer({ min: 1, max: 5000 }),
        (width, height, how, frames) => {
          const box = boxOf({ ...RECIPE, widthPx: width, heightPx: height, fit: how }, frames);
          expect(Math.min(box.widthPx, box.heightPx)).toBeGreaterThanOrEqual(1);
          expect(box.widthPx).toBeLessThanOrEqual(width ?? 4096);
          expect(box.heightPx).toBeLessThanOrEqual(height ?? 4096);
          const pixels = box.widthPx * box.heightPx * frames;
          const isThin = Math.min(box.widthPx, box.heightPx) === 1;
          if (frames > 1 && !isThin) expect(pixels).toBeLessThanOrEqual(MOVING_IMAGE_MAX_PIXELS);
        },
      ),
    );
  });
});

describe('the frames of an image', () => {
  const frame = (red: number) =>
    sharp({ create: { width: 9, height: 7, channels: 3, background: { r: red, g: 0, b: 0 } } })
      .png()
      .toBuffer();

  it.each(['gif', 'webp'] as const)(
    'of a %s are counted without a look at them',
    async (format) => {
      const frames = await Promise.all([0, 80, 160, 240].map(frame));
      const moving = await sharp(frames, { join: { animated: true } })
        .toFormat(format)
        .toBuffer();
      expect(countFrames(moving)).toBe(4);
      expect(countFrames(await sharp(frames[0]).toFormat(format).toBuffer())).toBe(1);
      for (let length = 0; length < moving.length; length += 7) {
        expect(countFrames(moving.subarray(0, length))).toBeLessThanOrEqual(4);
      }
    },
  );

  it('are one where there is nothing to count', async () => {
    expect([countFrames(new Uint8Array()), countFrames(await frame(1))]).toEqual([1, 1]);
    fc.assert(
      fc.property(
        fc.constantFrom('GIF89a', 'RIFF'),
        fc.uint8Array({ maxLength: 500 }),
        (start, rest) => {
          const bytes = new Uint8Array([...new TextEncoder().encode(start), ...rest]);
          expect(countFrames(bytes)).toBeLessThanOrEqual(bytes.length);
        },
      ),
    );
  });
});
