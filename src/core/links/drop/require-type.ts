// The media types that a drop link takes: compared with what a sender declares when
// a file begins, and with its first bytes when they come.
import { StorageError } from '../../../domain/errors.ts';
import type { DropFile, DropLink } from '../../../domain/links/drop-link.ts';
import {
  isTypeListed,
  mediaTypeOf,
  nameOfType,
  TYPE_WORDS,
} from '../../../domain/links/media-types.ts';
import { isTypeLie } from '../../../domain/links/sniff-type.ts';

/** What browsers and this service call a file of no known type. */
const UNKNOWN_TYPE = 'application/octet-stream';
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/**
 * The type that the file is stored with. AccessDenied where the link takes others
 * alone; a text that is no media type is as if not sent.
 */
export function requireTypeOf(
  { limits }: Pick<DropLink, 'limits'>,
  declared: string | null,
): string {
  const sent = mediaTypeOf(declared);
  const type = MEDIA_TYPE.test(sent) ? sent : UNKNOWN_TYPE;
  if (limits.types === null || isTypeListed(type, limits.types)) return type;
  throw wrongType(limits.types);
}

/** AccessDenied where the first bytes are another type's, which the link does not take. */
export function requireHonestType(
  { limits }: Pick<DropLink, 'limits'>,
  { contentType }: Pick<DropFile, 'contentType'>,
  head: Uint8Array,
): void {
  const { types } = limits;
  if (types === null) return;
  if (isTypeLie(contentType, head, (type) => isTypeListed(type, types))) throw wrongType(types);
}

const nameOf = (type: string): string => nameOfType(type, TYPE_WORDS);

function wrongType(types: readonly string[]): StorageError {
  return new StorageError('AccessDenied', {
    detail: `This link takes these only: ${types.map(nameOf).join(', ')}.`,
    fields: { Reason: 'type' },
  });
}
