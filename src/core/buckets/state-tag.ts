// Entity tags of buckets, for conditional changes by the JSON API.
import type { BucketRecord } from '../../domain/nouns.ts';

/**
 * Makes the entity tag of a bucket's record, without quotes: each change of a
 * setting gives another one.
 */
export function stateTagOf({ id, revision }: Pick<BucketRecord, 'id' | 'revision'>): string {
  return `${id}.${revision}`;
}
