// Images made with sharp (libvips), in its own threads. It is loaded with the first
// image: most servers never make one, and a machine without its binary can do
// everything else. Uploads are hostile: only five formats are read, whatever a file
// calls itself, and pixels, frames and time are bounded.
import { availableParallelism } from 'node:os';
import type { Sharp, SharpOptions } from 'sharp';
import { StorageError } from '../../../domain/errors.ts';
import type { ImageRecipe } from '../../../ports/derived.ts';
import type { StoredDerived } from '../../shared/derived-bodies.ts';
import { boxOf, type ImageBox, MOVING_FORMATS } from '../../shared/image-box.ts';

type SharpModule = typeof import('sharp').default;

/**
 * Pixels of an original, all frames together: 100 megapixels take 400 MB at the
 * very worst.
 */
const INPUT_MAX_PIXELS = 100_000_000;
/** Seconds for one image; an AVIF of 16 megapixels takes about 5. */
const TIMEOUT_SECONDS = 20;
/**
 * CPU effort of AVIF, 0 to 9: 2 is four times as fast as the usual 4, for slightly
 * larger files.
 */
const AVIF_EFFORT = 2;
/**
 * CPU effort of GIF, 1 to 10: 1 is ten times as fast as the usual 7, for files 5 to
 * 15 percent larger (noise, measured 2026-11).
 */
const GIF_EFFORT = 1;
/**
 * Readers of libvips, by the class in its documentation. All others stay blocked:
 * SVG, PDF, …
 */
const READERS = [
  'VipsForeignLoadJpeg',
  'VipsForeignLoadPng',
  'VipsForeignLoadWebp',
  'VipsForeignLoadHeif',
  'VipsForeignLoadNsgif',
];
const FITS = { 'scale-down': 'inside', contain: 'inside', cover: 'cover', fill: 'fill' } as const;

/**
 * Makes images. InvalidRequest for no image or too large a one; NotImplemented
 * without sharp.
 */
export function createSharpImages(): (
  source: Uint8Array,
  recipe: ImageRecipe,
) => Promise<StoredDerived> {
  let loading: Promise<SharpModule> | null = null;
  const load = () => {
    loading ??= loadSharp();
    return loading;
  };
  return async (source, recipe) => {
    const sharp = await load();
    try {
      const bytes = await render(sharp, source, recipe);
      return { bytes: new Uint8Array(bytes), contentType: `image/${recipe.format}` };
    } catch (cause) {
      throw cause instanceof StorageError ? cause : translateError(cause);
    }
  };
}

async function loadSharp(): Promise<SharpModule> {
  try {
    const { default: sharp } = await import('sharp');
    sharp.cache(false);
    sharp.concurrency(Math.min(4, availableParallelism()));
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: READERS });
    return sharp;
  } catch (cause) {
    throw new StorageError('NotImplemented', {
      detail: 'This server makes no images: its image library is not there for this platform.',
      cause,
    });
  }
}

async function render(
  sharp: SharpModule,
  source: Uint8Array,
  recipe: ImageRecipe,
): Promise<Buffer> {
  const { format, quality } = recipe;
  const options: SharpOptions = {
    limitInputPixels: INPUT_MAX_PIXELS,
    failOn: 'error',
    sequentialRead: true,
  };
  const frames = MOVING_FORMATS.has(format) ? await countFrames(sharp, source, options) : 1;
  const image = sharp(source, { ...options, animated: frames > 1 })
    .timeout({ seconds: TIMEOUT_SECONDS })
    .autoOrient();
  resize(image, boxOf(recipe, frames));
  switch (format) {
    case 'avif':
      return image.avif({ quality, effort: AVIF_EFFORT }).toBuffer();
    case 'webp':
      return image.webp({ quality }).toBuffer();
    case 'jpeg':
      return image.flatten({ background: '#fff' }).jpeg({ quality, mozjpeg: true }).toBuffer();
    case 'png':
      return image.png().toBuffer();
    case 'gif':
      return image.gif({ effort: GIF_EFFORT }).toBuffer();
  }
}

/** Frames of an original. InvalidRequest where they are too large together. */
async function countFrames(
  sharp: SharpModule,
  source: Uint8Array,
  options: SharpOptions,
): Promise<number> {
  const { pages = 1, width, height } = await sharp(source, options).metadata();
  if (pages * width * height > INPUT_MAX_PIXELS) throw tooLarge();
  return pages;
}

function resize(image: Sharp, { widthPx: width, heightPx: height, fit }: ImageBox): void {
  image.resize({ width, height, fit: FITS[fit], withoutEnlargement: fit === 'scale-down' });
}

function tooLarge(cause?: unknown): StorageError {
  return new StorageError('InvalidRequest', {
    detail:
      `Images are made of originals up to ${INPUT_MAX_PIXELS / 1e6} megapixels, ` +
      'all frames together.',
    cause,
  });
}

/** Translates an error of sharp, which only its text distinguishes. */
function translateError(cause: unknown): StorageError {
  const text = cause instanceof Error ? cause.message : String(cause);
  if (/pixel limit/i.test(text)) return tooLarge(cause);
  if (/timeout/i.test(text))
    return new StorageError('ServiceUnavailable', {
      detail: 'Making the image took too long.',
      cause,
    });
  return new StorageError('InvalidRequest', {
    detail: 'The object is no image that can be read.',
    cause,
  });
}
