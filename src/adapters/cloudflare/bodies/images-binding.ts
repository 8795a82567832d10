// Images made by Cloudflare Images through its binding, which a deployment need not
// have: then there are none, and the response says so.
// https://developers.cloudflare.com/images/transform-images/bindings/

import { StorageError } from '../../../domain/errors.ts';
import type { ImageRecipe } from '../../../ports/derived.ts';
import type { StoredDerived } from '../../shared/derived-bodies.ts';
import { boxOf } from '../../shared/image-box.ts';
import { countFrames } from './count-frames.ts';
import { beginsAsImage } from './image-signature.ts';

/** What is used of the binding. */
export type ImagesBindingLike = Pick<ImagesBinding, 'input'>;

const FITS = {
  'scale-down': 'scale-down',
  contain: 'contain',
  cover: 'cover',
  fill: 'squeeze',
} as const;

/**
 * Null: no binding. InvalidRequest for what is no image or too large;
 * NotImplemented. Cost: one transformation.
 */
export function createImagesBinding(
  binding: ImagesBindingLike | null,
): (source: Uint8Array, recipe: ImageRecipe) => Promise<StoredDerived> {
  return async (source, recipe) => {
    if (binding === null) {
      throw new StorageError('NotImplemented', {
        detail: 'This service makes no images: it has no Images binding (docs/images.md).',
      });
    }
    if (!beginsAsImage(source)) {
      throw new StorageError('InvalidRequest', {
        detail: 'The object is no image that can be read.',
      });
    }
    const { format, quality } = recipe;
    const { widthPx: width, heightPx: height, fit } = boxOf(recipe, countFrames(source));
    const contentType = `image/${format}` as const;
    try {
      const stream = new Response(source as BodyInit).body as ReadableStream<Uint8Array>;
      const transformed = binding.input(stream).transform({ width, height, fit: FITS[fit] });
      const output = await transformed.output({ format: contentType, quality });
      const bytes = new Uint8Array(await new Response(output.image()).arrayBuffer());
      return { bytes, contentType: output.contentType() };
    } catch (cause) {
      throw translateError(cause);
    }
  };
}

/**
 * Errors of the service have a number of four digits; those from 9400 on are about
 * the image or the request.
 */
function translateError(cause: unknown): StorageError {
  const code = cause instanceof Error && 'code' in cause ? Number(cause.code) : Number.NaN;
  if (code >= 9400 && code < 9500) {
    return new StorageError('InvalidRequest', {
      detail: 'The object is no image that can be made smaller.',
      cause,
    });
  }
  return new StorageError('ServiceUnavailable', {
    detail: 'The image could not be made now.',
    cause,
  });
}
