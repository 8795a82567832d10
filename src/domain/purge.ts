// Purges without a list of what is cached where: a purge moves an invalidation
// watermark. Every cached record of a key knows the revision of the bucket that it
// was read at. Watermarks travel in the bucket read policy, and a record below one
// counts as unknown. So nothing is enumerated and nobody is notified: whoever reads
// the policy obeys it.
import type { ObjectKey, Pointer } from './nouns.ts';

/**
 * What an owner wants forgotten. Tags are those of the object's own `cache-tag`
 * metadata, compared without regard to case.
 */
export type PurgeScope =
  | { readonly scope: 'bucket' }
  | { readonly scope: 'key' | 'prefix' | 'tag'; readonly value: string };

export type InvalidationWatermark = Exclude<PurgeScope, { scope: 'bucket' }> & {
  readonly revision: number;
};

/**
 * `latest` is the highest of them all: a record of that revision or later needs no
 * other look.
 */
export type InvalidationWatermarks = {
  readonly latest: number;
  readonly bucket: number;
  readonly others: readonly InvalidationWatermark[];
};

/**
 * Name of the user metadata (x-amz-meta-cache-tag) with the tags of an object,
 * separated by commas.
 */
const CACHE_TAG_METADATA = 'cache-tag';
/**
 * Longest texts of watermarks together, UTF-16 units: they stand in every copy of
 * the read policy. What is too much becomes part of the bucket's own watermark,
 * oldest first, which forgets more than was asked for and nothing less.
 */
export const WATERMARKS_MAX_LENGTH = 8192;

/**
 * Most watermarks: each takes some 50 bytes of the read policy besides its text,
 * and a comparison for records that are below the latest.
 */
export const WATERMARKS_MAX = 500;

/** The invalidation watermarks after a purge that the bucket's `revision` marks. */
export function addWatermarks(
  known: InvalidationWatermarks | null,
  scopes: readonly PurgeScope[],
  revision: number,
): InvalidationWatermarks {
  const isAll = scopes.some(({ scope }) => scope === 'bucket');
  if (isAll) return { latest: revision, bucket: revision, others: [] };
  const added = scopes.flatMap((scope) =>
    scope.scope === 'bucket' ? [] : [{ ...normal(scope), revision }],
  );
  const nameOf = ({ scope, value }: InvalidationWatermark) => `${scope} ${value}`;
  const others = [
    ...new Map(
      [...(known?.others ?? []), ...added].map((watermark) => [nameOf(watermark), watermark]),
    ).values(),
  ];
  let bucket = known?.bucket ?? 0;
  let length = others.reduce((sum, { value }) => sum + value.length, 0);
  others.sort((a, b) => a.revision - b.revision);
  while (length > WATERMARKS_MAX_LENGTH || others.length > WATERMARKS_MAX) {
    const oldest = others.shift();
    if (oldest === undefined) break;
    bucket = Math.max(bucket, oldest.revision);
    length -= oldest.value.length;
  }
  return {
    latest: revision,
    bucket,
    others: others.filter((watermark) => watermark.revision > bucket),
  };
}

/**
 * Whether a record of the key that was read at `revision` is below an invalidation
 * watermark. Cost: nothing for those above all.
 */
export function isPurged(
  watermarks: InvalidationWatermarks,
  key: ObjectKey,
  pointer: Pointer | null,
  revision: number,
): boolean {
  if (revision >= watermarks.latest) return false;
  if (revision < watermarks.bucket) return true;
  const tags = pointer === null ? [] : tagsOf(pointer);
  return watermarks.others.some(
    (watermark) =>
      revision < watermark.revision &&
      (watermark.scope === 'tag'
        ? tags.includes(watermark.value)
        : watermark.scope === 'key'
          ? key === watermark.value
          : key.startsWith(watermark.value)),
  );
}

function normal(
  scope: Exclude<PurgeScope, { scope: 'bucket' }>,
): Exclude<PurgeScope, { scope: 'bucket' }> {
  return scope.scope === 'tag' ? { scope: 'tag', value: scope.value.toLowerCase() } : scope;
}

function tagsOf({ userMetadata }: Pointer): string[] {
  const text = userMetadata[CACHE_TAG_METADATA];
  return text === undefined ? [] : text.split(',').map((tag) => tag.trim().toLowerCase());
}
