// Current versions of keys that were read with a signature, exact until a command
// touches their key. Part of sqlite-metadata-index.ts, which queries the index for
// what is not here and says what commands touch.
import type { CurrentObject } from '../../../domain/current-object.ts';
import type { BucketId, BucketName, BucketRecord, ObjectKey } from '../../../domain/nouns.ts';
import type { IndexApi, ResolvedVersion } from '../../../ports/metadata-index.ts';
import type { FillBarrierCache, MakeCache } from './fill-barrier-cache.ts';
import { weightOf } from './writer-input.ts';

/** Versions in the cache, and their bytes together. */
const VERSIONS_CACHED = 10_000;
const VERSIONS_CACHED_BYTES = 8 * 1024 * 1024;
/** What a version takes besides its inline body and its pieces. Estimate, bytes. */
const VERSION_BYTES = 1024;

/**
 * A cached version. `bucketId`: the incarnation of the bucket that it belongs to.
 * `current`: with the record of that incarnation that was seen last.
 */
type CacheEntry = {
  readonly bucketId: BucketId;
  readonly version: Extract<ResolvedVersion, { kind: 'object' }>;
  current: CurrentObject;
};

/** Bucket and key as one text; no bucket name holds a slash. */
type EntryName = `${BucketName}/${ObjectKey}`;

const nameOf = (bucket: BucketName, key: ObjectKey): EntryName => `${bucket}/${key}`;

type GetVersionInput = Parameters<IndexApi['getVersion']>[0];

export type CurrentVersions = {
  /**
   * The version, from the cache where that is exact, else by `query`: the index's
   * `getVersion`.
   */
  get(input: GetVersionInput, query: () => ResolvedVersion | null): ResolvedVersion | null;
  /** The current version, at once; null: the index knows. */
  peek(bucket: BucketName, key: ObjectKey): CurrentObject | null;
  /**
   * Drops these keys and blocks fills of them, until they were unblocked as often.
   */
  block(bucket: BucketName, keys: readonly ObjectKey[]): void;
  unblock(bucket: BucketName, keys: readonly ObjectKey[]): void;
};

/** `buckets`: the records that are known exactly. `share`: of the memory, 1 at most. */
export function createCurrentVersions(
  buckets: Pick<FillBarrierCache<BucketName, BucketRecord>, 'peek'>,
  makeCache: MakeCache,
  share: number,
): CurrentVersions {
  const versions = makeCache<EntryName, CacheEntry>({
    max: Math.ceil(VERSIONS_CACHED * share),
    sizes: {
      maxSize: Math.ceil(VERSIONS_CACHED_BYTES * share),
      sizeCalculation: ({ version }) => VERSION_BYTES + weightOf(version.object),
    },
    nameOf: (name) => name,
  });

  return {
    /**
     * The cache serves callers who mean the bucket as it is known here: for any
     * other the index has to say BucketChanged. The bucket's id tells its
     * incarnations apart.
     */
    get(input, query) {
      const { bucket, key, versionId } = input;
      const record = buckets.peek(bucket.name);
      if (versionId !== null || record?.id !== bucket.id || record.revision !== bucket.revision)
        return query();

      const name = nameOf(bucket.name, key);
      const cached = versions.peek(name);
      if (cached?.bucketId === bucket.id) return cached.version;

      let version: ResolvedVersion | null = null;
      versions.fill(name, () => {
        version = query();
        if (version?.kind !== 'object') return null;
        const current = { bucket: record, object: version.object };
        return { bucketId: bucket.id, version, current };
      });
      return version;
    },

    peek(bucket, key) {
      const record = buckets.peek(bucket);
      const cached = record === undefined ? undefined : versions.peek(nameOf(bucket, key));
      if (record === undefined || cached?.bucketId !== record.id) return null;
      if (cached.current.bucket !== record)
        cached.current = { bucket: record, object: cached.version.object };
      return cached.current;
    },

    block(bucket, keys) {
      for (const key of keys) versions.block(nameOf(bucket, key));
    },
    unblock(bucket, keys) {
      for (const key of keys) versions.unblock(nameOf(bucket, key));
    },
  };
}
