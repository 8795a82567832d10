// Current versions of keys that were read with a signature, exact until a command touches their
// key. Part of sqlite-metadata-index.ts, which asks the index for what is not here and says what
// commands touch.
import type { CurrentObject } from '../../../domain/current-object.ts';
import type { BucketId, BucketName, BucketRecord, ObjectKey } from '../../../domain/nouns.ts';
import type { FoundVersion, IndexApi } from '../../../ports/metadata-index.ts';
import { createFillBarrierCache, type FillBarrierCache } from './fill-barrier-cache.ts';
import { weightOf } from './writer-input.ts';

/** How many, and bytes together. */
const VERSIONS_CACHED = 10_000;
const VERSIONS_CACHED_BYTES = 8 * 1024 * 1024;
/** What one takes besides its inline body and its pieces. Estimate, bytes. */
const VERSION_BYTES = 1024;

/**
 * `bucketId`: the life of the bucket that it belongs to; `current`: with the record of that life
 * that was seen last.
 */
type CurrentVersion = {
  readonly bucketId: BucketId;
  readonly found: Extract<FoundVersion, { kind: 'object' }>;
  current: CurrentObject;
};
/** No bucket name holds a slash. */
type VersionPlace = `${BucketName}/${ObjectKey}`;

const placeOf = (bucket: BucketName, key: ObjectKey): VersionPlace => `${bucket}/${key}`;

type GetVersionInput = Parameters<IndexApi['getVersion']>[0];

export type CurrentVersions = {
  /** As the index's `getVersion`; `query` asks it. */
  get(input: GetVersionInput, query: () => FoundVersion | null): FoundVersion | null;
  /** The current version, at once; null: ask. */
  peek(bucket: BucketName, key: ObjectKey): CurrentObject | null;
  /** Drops those keys and keeps none of them until they were released as often. */
  hold(bucket: BucketName, keys: readonly ObjectKey[]): void;
  release(bucket: BucketName, keys: readonly ObjectKey[]): void;
};

/** `buckets`: the records that are known exactly. */
export function createCurrentVersions(
  buckets: Pick<FillBarrierCache<BucketName, BucketRecord>, 'peek'>,
): CurrentVersions {
  const versions = createFillBarrierCache<VersionPlace, CurrentVersion>(VERSIONS_CACHED, {
    maxSize: VERSIONS_CACHED_BYTES,
    sizeCalculation: ({ found }) => VERSION_BYTES + weightOf(found.object),
  });

  return {
    /**
     * A version is kept for callers who mean the bucket as it is known here. For any other the
     * index has to say BucketChanged. What a bucket without a version of that key had in an earlier
     * life, its id tells apart.
     */
    get(input, query) {
      const { bucket, key, versionId } = input;
      const record = buckets.peek(bucket.name);
      if (versionId !== null || record?.id !== bucket.id || record.revision !== bucket.revision)
        return query();
      const place = placeOf(bucket.name, key);
      const known = versions.peek(place);
      if (known?.bucketId === bucket.id) return known.found;
      const found = query();
      if (found?.kind === 'object') {
        versions.set(place, {
          bucketId: bucket.id,
          found,
          current: { bucket: record, object: found.object },
        });
      }
      return found;
    },
    peek(bucket, key) {
      const record = buckets.peek(bucket);
      const known = record === undefined ? undefined : versions.peek(placeOf(bucket, key));
      if (record === undefined || known?.bucketId !== record.id) return null;
      if (known.current.bucket !== record)
        known.current = { bucket: record, object: known.found.object };
      return known.current;
    },
    hold(bucket, keys) {
      for (const key of keys) versions.hold(placeOf(bucket, key));
    },
    release(bucket, keys) {
      for (const key of keys) versions.release(placeOf(bucket, key));
    },
  };
}
