// The look-up of public reads: the bucket's read policy and the pointer of a key's
// current version, from the nearest tier that knows them. Called by delivery; the
// S3 surface calls the index itself.
import type { BucketName, BucketRecord, ObjectKey, ObjectVersion } from '../../domain/nouns.ts';
import { toPointer, toReadPolicy } from '../../domain/pointer.ts';
import type { KnownMetadata, MetadataLookup } from '../../ports/caches/hot-metadata.ts';
import type { Core } from '../core.ts';

type Resolved = { readonly bucket: BucketRecord | null; readonly object: ObjectVersion | null };

function toKnown({ bucket, object }: Resolved): KnownMetadata {
  return {
    readPolicy: bucket === null ? null : toReadPolicy(bucket),
    pointer: object === null ? null : toPointer(object),
  };
}

/**
 * Finds read policy and pointer of a key. Cost: nothing when memory knows them;
 * else at most one call of the index. `isInvited`: as in HotMetadata.peek. Errors:
 * those of the index, ServiceUnavailable.
 */
export function findCurrent(
  { ports }: Core,
  bucket: BucketName,
  key: ObjectKey,
  isInvited = false,
): MetadataLookup | Promise<MetadataLookup> {
  const load = async () =>
    toKnown(await ports.metadataIndex.call(bucket, 'resolve', { name: bucket, key, isInvited }));
  return ports.hotMetadata.find(bucket, key, load, isInvited);
}

/**
 * Finds read policy and pointers of several keys, in their order. Cost: at most one
 * call of the index for all of them.
 */
export function findCurrentOf(
  { ports }: Core,
  bucket: BucketName,
  keys: readonly ObjectKey[],
): Promise<readonly MetadataLookup[]> {
  return ports.hotMetadata.findAll(bucket, keys, async () => {
    const { bucket: record, objects } = await ports.metadataIndex.call(bucket, 'resolveAll', {
      name: bucket,
      keys,
    });
    return objects.map((object) => toKnown({ bucket: record, object }));
  });
}
