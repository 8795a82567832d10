// Images in other sizes and formats, made when they are first requested and kept as
// all that is derived. The reader waits for the making: an image of another size is
// not what was requested. Called by features/images.ts, for addresses with a query
// in buckets whose owner allows it.
import type { Core } from '../../core/core.ts';
import { IMAGE_SOURCE_MAX_BYTES } from '../../core/limits.ts';
import { readWhole } from '../../core/objects/read-whole.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ImageSettings } from '../../domain/hosting.ts';
import type { Pointer } from '../../domain/nouns.ts';
import type { Derived } from '../../ports/derived.ts';
import type { HttpRequest } from '../request.ts';
import { contentTypeOf } from '../semantics/content-type.ts';
import { findEntityTag } from '../semantics/entity-tag.ts';
import {
  imageFormatOf,
  parseImageQuery,
  type RequestedImage,
  recipeName,
} from '../semantics/image-query.ts';
import { type Choice, type Representation, sourceName } from './representation.ts';
import type { Making } from './requester.ts';

export type Images = {
  /**
   * The image that the address names; null: the object as it is. InvalidArgument
   * for a wrong parameter, InvalidRequest for an object that is no good image,
   * NotImplemented where none can be made, SlowDown when too many wait; those of
   * `making.work`, which is asked before anything is done below memory.
   */
  choose(
    pointer: Pointer,
    request: HttpRequest,
    settings: ImageSettings,
    making: Making,
  ): Choice | null | Promise<Choice | null>;
};

export function createImages(core: Core): Images {
  const { derived } = core.ports;
  const made = new WeakMap<Derived, Representation>();

  function represent(
    { etag }: Pointer,
    { recipe, isByAccept }: RequestedImage,
    found: Derived,
  ): Representation {
    const own = `${etag}-${recipeName(recipe)}-${found.tag}`;
    const vary = isByAccept ? 'Accept' : null;
    const known = made.get(found);
    if (known !== undefined && known.etag === own && known.vary === vary) return known;
    const changes = {
      etag: `"${own}"`,
      'content-type': found.contentType ?? `image/${recipe.format}`,
      'content-length': `${found.bytes.length}`,
    };
    const representation = { etag: own, bytes: found.bytes, changes, vary };
    made.set(found, representation);
    return representation;
  }

  async function findOrMake(
    pointer: Pointer,
    requested: RequestedImage,
    name: string,
    { work, findRequester }: Making,
  ): Promise<Choice | null> {
    await work?.toFind();
    const found = await derived.find(name);
    if (found === null) await work?.toMake();
    const image =
      found ??
      (await derived.make(name, requested.recipe, findRequester(), () =>
        readSource(core, pointer),
      ));
    if (image === 'none') return null;
    return choiceOf(represent(pointer, requested, image), found === null ? 'bucket' : derived.tier);
  }

  return {
    choose(pointer, request, settings, making) {
      const { headers } = pointer;
      const source = imageFormatOf(headers.contentType ?? contentTypeOf(pointer.key));
      // What is encrypted at rest is kept nowhere else in the clear.
      if (source === null || pointer.encryption !== null || headers.contentEncoding !== undefined)
        return null;
      if (/\bno-transform\b/i.test(headers.cacheControl ?? '')) return null;
      const requested = parseImageQuery(
        request.rawQuery,
        request.header('accept'),
        source,
        settings,
        making.isOwners,
      );
      if (requested === null) return null;
      const recipe = recipeName(requested.recipe);
      const known = knownTag(request.header('if-none-match'), `${pointer.etag}-${recipe}-`);
      if (known !== null) {
        return {
          etag: known,
          representation: null,
          origin: 'memory',
          vary: requested.isByAccept ? 'Accept' : null,
        };
      }
      const name = `${sourceName(pointer)};${recipe}`;
      const ready = derived.peek(name);
      if (ready === null || ready === 'none') return findOrMake(pointer, requested, name, making);
      return choiceOf(represent(pointer, requested, ready), 'memory');
    },
  };
}

function choiceOf(representation: Representation, origin: Choice['origin']): Choice {
  return { etag: representation.etag, representation, origin, vary: representation.vary };
}

/** Reads the original, if it is not too large to be read. */
async function readSource(core: Core, pointer: Pointer): Promise<Uint8Array> {
  if (pointer.sizeBytes <= IMAGE_SOURCE_MAX_BYTES) return readWhole(core, pointer);
  throw new StorageError('InvalidRequest', {
    detail:
      `Images are made of files up to ${IMAGE_SOURCE_MAX_BYTES} bytes; ` +
      `this one has ${pointer.sizeBytes}.`,
  });
}

/**
 * The tag, among those of the header, of this very image: the reader has it,
 * whether or not it is still here.
 */
function knownTag(ifNoneMatch: string | null, start: string): string | null {
  if (ifNoneMatch === null || !ifNoneMatch.includes(start)) return null;
  const isIt = (tag: string) =>
    tag.startsWith(start) && /^[0-9a-f]{8}$/.test(tag.slice(start.length));
  return findEntityTag(ifNoneMatch, isIt, true);
}
