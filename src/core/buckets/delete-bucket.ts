// DeleteBucket, and what the bucket had elsewhere: host names, its name in the account's list, its
// grant of the account's quota.
import type { AccountId, BucketId } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { bindDomains } from '../hosting/set-hosting.ts';
import type { BucketHandle } from './bucket-handle.ts';

/**
 * Deletes an empty bucket and gives its host names back; its unfinished uploads and unreferenced
 * blobs go with a later sweep. BucketNotEmpty. Cost: two commits, three with host names. Source for
 * the uploads: AWS's DeleteBucket, which lets only those of directory buckets count.
 */
export async function deleteBucket(core: Core, bucket: BucketHandle): Promise<void> {
  const { ownerId, name, createdAtMs } = bucket.record();
  await bucket.call('deleteBucket', { nowMs: core.ports.clock.nowMs() });
  const { settings } = bucket.record();
  if (settings.hosting !== null) await bindDomains(core, bucket.record(), []);
  await core.ports.directory.call('removeBucket', { ownerId, name, createdAtMs });
  if (settings.hasAccountQuota === true) giveGrantBack(core, ownerId, bucket.record().id);
}

/**
 * What the bucket was granted of its account's quota is free again, and its row goes from the
 * ledger. Behind the answer: where it fails, the grant is taken back when somebody needs it.
 */
function giveGrantBack(core: Core, accountId: AccountId, bucketId: BucketId): void {
  const { background, clock, ledger } = core.ports;
  background.run('give-grant-back', () =>
    ledger.call('settleGrant', { accountId, bucketId, settled: null, nowMs: clock.nowMs() }),
  );
}
