import type { Core } from '../core.ts';
import type { BucketHandle } from './bucket-handle.ts';

/** Deletes an empty bucket; its unreferenced blobs go with a later sweep. BucketNotEmpty. */
export async function deleteBucket(core: Core, bucket: BucketHandle): Promise<void> {
  const { ownerId, name } = bucket.record();
  await bucket.call('deleteBucket', { nowMs: core.ports.clock.nowMs() });
  await core.ports.directory.call('removeBucket', { ownerId, name });
}
