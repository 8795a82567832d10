// What a reader without a signature needs of a key: the bucket's gate and the current version's pointer, from the nearest
// tier that knows. Called by delivery for every public read; the S3 surface asks the index itself.
import type { BucketName, ObjectKey } from '../../ports/domain.ts';
import type { Found } from '../../ports/hot-metadata.ts';
import { toGate, toPointer } from '../../ports/pointer.ts';
import type { Core } from '../core.ts';

/** Cost: nothing when memory knows; else at most one call of the index. Errors: those of the index, ServiceUnavailable. */
export function findCurrent({ ports }: Core, bucket: BucketName, key: ObjectKey): Found | Promise<Found> {
  return ports.hotMetadata.find(bucket, key, async () => {
    const resolved = await ports.metadataIndex.call(bucket, 'resolve', { name: bucket, key });
    return {
      gate: resolved.bucket === null ? null : toGate(resolved.bucket),
      pointer: resolved.object === null ? null : toPointer(resolved.object),
    };
  });
}
