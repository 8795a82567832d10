// Looks up several keys of a bucket as the hot metadata of a home looks up one,
// with one read of the index for all.
import type { BucketName, ObjectKey } from '../../domain/nouns.ts';
import type {
  HotMetadata,
  KnownMetadata,
  MetadataLookup,
} from '../../ports/caches/hot-metadata.ts';

/**
 * What `find` gives of each key, in their order. `load` is called once at most,
 * when the first of them needs it.
 */
export function findAll(
  find: HotMetadata['find'],
  bucket: BucketName,
  keys: readonly ObjectKey[],
  load: () => Promise<readonly KnownMetadata[]>,
): Promise<readonly MetadataLookup[]> {
  let loading: Promise<readonly KnownMetadata[]> | null = null;
  const loadOne = async (at: number): Promise<KnownMetadata> => {
    loading ??= load();
    return (await loading)[at] ?? { readPolicy: null, pointer: null };
  };
  return Promise.all(keys.map((key, at) => find(bucket, key, () => loadOne(at))));
}
