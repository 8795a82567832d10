import type { ObjectKey, WriteCondition } from '../../ports/domain.ts';
import type { DeletedObject } from '../../ports/metadata-index.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';

/** Deletes the current versions of keys in one commit; a missing key is no error. PreconditionFailed. */
export function deleteObjects(
  core: Core,
  bucket: BucketHandle,
  keys: readonly ObjectKey[],
  condition: WriteCondition | null,
): Promise<readonly DeletedObject[]> {
  return bucket.call('deleteObjects', { keys, condition, nowMs: core.ports.clock.nowMs() });
}
