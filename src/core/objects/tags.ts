// The rules for tags of objects and buckets, whether they come by a document, a
// header or a form. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html
import { StorageError } from '../../domain/errors.ts';
import type { Tags } from '../../domain/object-facts.ts';
import { TAG_KEY_MAX_LENGTH, TAG_VALUE_MAX_LENGTH } from '../limits.ts';

/**
 * The characters of tags: letters, white space and numbers of any script, and a few
 * signs.
 */
const TAG_TEXT = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;
/** The prefix of keys that only AWS itself sets. */
const SYSTEM_PREFIX = /^aws:/i;

const invalid = (detail: string, fields: Readonly<Record<string, string>> = {}) =>
  new StorageError('InvalidTag', { detail, fields });

/** Checks one tag. InvalidTag. */
function requireTag(key: string, value: string): void {
  if (key === '' || key.length > TAG_KEY_MAX_LENGTH || !TAG_TEXT.test(key)) {
    throw invalid('The TagKey you have provided is invalid', {
      TagKey: key.slice(0, TAG_KEY_MAX_LENGTH),
    });
  }
  if (SYSTEM_PREFIX.test(key))
    throw invalid('System tags cannot be added/updated by requester', { TagKey: key });
  if (value.length > TAG_VALUE_MAX_LENGTH || !TAG_TEXT.test(value)) {
    throw invalid('The TagValue you have provided is invalid', { TagKey: key });
  }
}

/**
 * Checks pairs and makes tags of them, at most `maxTags`. InvalidTag, also for a
 * repeated key.
 */
export function toTags(
  pairs: readonly (readonly [key: string, value: string])[],
  maxTags: number,
): Tags {
  if (pairs.length > maxTags)
    throw invalid(`There can be at most ${maxTags} tags, not ${pairs.length}.`);
  for (const [key, value] of pairs) requireTag(key, value);
  if (new Set(pairs.map(([key]) => key)).size < pairs.length) {
    throw invalid('Cannot provide multiple Tags with the same key');
  }
  // fromEntries makes own properties of all keys, `__proto__` too.
  return Object.fromEntries(pairs);
}
