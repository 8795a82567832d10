// Entity tags of buckets, for conditional changes by the JSON API.
import type { BucketRecord } from '../../domain/nouns.ts';

/**
 * The state of a bucket's record as the tag of an ETag, without quotes: another one after each
 * change of a setting.
 */
export function stateTagOf({ id, revision }: Pick<BucketRecord, 'id' | 'revision'>): string {
  return `${id}.${revision}`;
}
