// Tags in headers: x-amz-tagging of a write, x-amz-tagging-count of a read. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
// (x-amz-tagging), API_GetObject.html
import { OBJECT_MAX_TAGS } from '../../../core/limits.ts';
import { toTags } from '../../../core/objects/tags.ts';
import type { Tags } from '../../../domain/object-facts.ts';
import { parseQuery } from '../../semantics/raw-path.ts';
import { invalidArgument } from '../formats/invalid-argument.ts';
import type { HeaderLookup, ReadFacts } from './request-headers.ts';

/** The header by which a write says its tags. */
export const TAGGING_HEADER = 'x-amz-tagging';

/**
 * The requested tags of a write: `a=1&b=2`, encoded as a query; none without the
 * header. InvalidArgument, InvalidTag.
 */
export function readTaggingHeader(header: HeaderLookup): Tags {
  const value = header(TAGGING_HEADER);
  if (value === null || value === '') return {};
  const pairs = pairsOf(value);
  if (pairs === null || new Set(pairs.map(([key]) => key)).size < pairs.length) {
    throw invalidArgument(
      TAGGING_HEADER,
      value,
      "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query " +
        'parameters without tag name duplicates.',
    );
  }
  return toTags(pairs, OBJECT_MAX_TAGS);
}

function pairsOf(value: string): readonly (readonly [string, string])[] | null {
  try {
    return parseQuery(value).entries;
  } catch {
    return null;
  }
}

/** x-amz-tagging-count, where there are tags, for those who may read them. */
export function taggingHeaders({
  bucket,
  decide,
  key,
  query,
  version,
}: ReadFacts): Record<string, string> {
  const count = Object.keys(version.tags).length;
  if (count === 0) return {};
  const action =
    query.get('versionId') === null ? 's3:GetObjectTagging' : 's3:GetObjectVersionTagging';
  const mayRead = decide(bucket.record(), { action, key, object: version }) === 'allowed';
  return mayRead ? { 'x-amz-tagging-count': `${count}` } : {};
}
