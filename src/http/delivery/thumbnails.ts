// Thumbnails: small images of objects for who may read them, public or not. Made and
// kept as images in other sizes are, but in three sizes and no others, so that
// nobody's settings are needed. Called by the JSON API, which has decided that the
// caller may read the object.
import type { Core } from '../../core/core.ts';
import { unwrapDataKey } from '../../core/encryption/envelope.ts';
import { IMAGE_SOURCE_MAX_BYTES } from '../../core/limits.ts';
import { readWhole } from '../../core/objects/read-whole.ts';
import { hasCode, StorageError } from '../../domain/errors.ts';
import type { ObjectVersion } from '../../domain/nouns.ts';
import type { Derived, DerivedRequester, ImageFormat, ImageRecipe } from '../../ports/derived.ts';
import { contentTypeOf } from '../semantics/content-type.ts';
import { imageFormatOf, recipeName, takesImage } from '../semantics/image-query.ts';
import { sourceName } from './representation.ts';

/** Largest sides of thumbnails, pixels: a row of a list, a tile, a preview. */
export const THUMBNAIL_SIZES = [64, 256, 1024] as const;
export type ThumbnailSize = (typeof THUMBNAIL_SIZES)[number];

/**
 * Largest thumbnail of a row or a tile, bytes, so that a page of a hundred takes 2
 * MB at most. Our own limit.
 */
const SMALL_MAX_BYTES = 20 * 1024;
const SMALL_MAX_SIDE_PX = 256;
/**
 * What looks alike, and what is tried besides until a small one is small enough;
 * the last makes of noise what the limit takes.
 */
const QUALITY = 75;
const LOWER_QUALITIES = [50, 25, 5] as const;
const LOWEST_QUALITY = 5;

/** A thumbnail that may be asked for, before anything is read for it. */
export type Thumbnail = {
  /** Without quotes: tells versions, sizes and formats apart. */
  readonly etag: string;
  /**
   * Finds it, or makes it. UnsupportedMediaType for an object that is no image that
   * can be read; else as DerivedBodies.make and readWhole.
   */
  find(requester: DerivedRequester): Promise<Derived>;
};

/**
 * The thumbnail of a version, in the best format that the client takes.
 * UnsupportedMediaType for what is no image, or too large a one; InvalidRequest
 * where only its client has the key.
 */
export function thumbnailOf(
  core: Core,
  version: ObjectVersion,
  { size, accept }: { readonly size: ThumbnailSize; readonly accept: string },
): Thumbnail {
  const source = sourceFormatOf(version);
  const format = formatFor(source, accept);
  return {
    etag: `${version.etag}-${size}-${format}`,
    async find(requester) {
      // A key that was disabled meanwhile opens nothing, not even what memory holds.
      if (version.encryption !== null) await unwrapDataKey(core, version.encryption, null);
      const [first, ...smaller] = recipesOf(size, format);
      let made = await findOrMake(core, version, first, requester);
      for (const recipe of smaller) {
        if (made.bytes.length <= SMALL_MAX_BYTES) break;
        made = await findOrMake(core, version, recipe, requester);
      }
      return made;
    },
  };
}

async function findOrMake(
  core: Core,
  version: ObjectVersion,
  recipe: ImageRecipe,
  requester: DerivedRequester,
): Promise<Derived> {
  const { derived } = core.ports;
  const name = `${sourceName(version)};${recipeName(recipe)}`;
  // What is encrypted at rest is kept on no disk in the clear.
  const tier = version.encryption === null ? 'below' : 'memory';
  try {
    const known = derived.peek(name) ?? (tier === 'below' ? await derived.find(name) : null);
    const load = () => readWhole(core, version);
    const made = known ?? (await derived.make(name, recipe, requester, load, tier));
    if (made !== 'none') return made;
  } catch (error) {
    if (!hasCode(error, 'InvalidRequest')) throw error;
    throw noImage(error instanceof StorageError ? error.message : '', error);
  }
  throw noImage('The object is no image that can be read.');
}

/**
 * The recipe of a thumbnail, and what is made in its place while that is too large:
 * the same in lower qualities, and at last half as wide, for a platform that takes
 * quality for a hint.
 */
function recipesOf(
  size: ThumbnailSize,
  format: ImageFormat,
): readonly [ImageRecipe, ...ImageRecipe[]] {
  const recipeOf = (side: number, quality: number): ImageRecipe => ({
    kind: 'image',
    widthPx: side,
    heightPx: side,
    maxSidePx: side,
    fit: 'scale-down',
    format,
    quality,
  });
  const best = recipeOf(size, QUALITY);
  if (size > SMALL_MAX_SIDE_PX) return [best];

  const lower = LOWER_QUALITIES.map((quality) => recipeOf(size, quality));
  return [best, ...lower, recipeOf(size / 2, LOWEST_QUALITY)];
}

/**
 * WebP, which every browser takes; of what may be animated a format that is not, or
 * all its frames would be in it.
 */
function formatFor(source: ImageFormat, accept: string): ImageFormat {
  const best = source === 'gif' || source === 'webp' ? 'avif' : 'webp';
  return takesImage(accept, best) ? best : 'jpeg';
}

function sourceFormatOf({ headers, key, sizeBytes, encryption }: ObjectVersion): ImageFormat {
  const format = imageFormatOf(headers.contentType ?? contentTypeOf(key));
  if (format === null || headers.contentEncoding !== undefined)
    throw noImage('Thumbnails are made of JPEG, PNG, WebP, AVIF and GIF.');
  if (sizeBytes > IMAGE_SOURCE_MAX_BYTES) {
    throw noImage(
      `Thumbnails are made of files up to ${IMAGE_SOURCE_MAX_BYTES} bytes; ` +
        `this one has ${sizeBytes}.`,
    );
  }
  if (encryption?.kind === 'customer') {
    throw new StorageError('InvalidRequest', {
      detail: 'The object can only be read with the key that its client encrypted it with.',
    });
  }
  return format;
}

function noImage(detail: string, cause?: unknown): StorageError {
  return new StorageError('UnsupportedMediaType', { detail, cause });
}
