import type { Core } from '../core.ts';
import { bindDomains } from '../hosting/set-hosting.ts';
import type { BucketHandle } from './bucket-handle.ts';

/**
 * Deletes an empty bucket and gives its host names back; its unfinished uploads and unreferenced blobs go with a later
 * sweep. BucketNotEmpty. Cost: two commits, three with host names.
 * Source for the uploads: AWS's DeleteBucket, which lets only those of directory buckets count.
 */
export async function deleteBucket(core: Core, bucket: BucketHandle): Promise<void> {
  const { ownerId, name, createdAtMs } = bucket.record();
  await bucket.call('deleteBucket', { nowMs: core.ports.clock.nowMs() });
  const { settings } = bucket.record();
  if (settings.hosting !== null) await bindDomains(core, bucket.record(), []);
  await core.ports.directory.call('removeBucket', { ownerId, name, createdAtMs });
}
