// DeleteBucket, and what the bucket had elsewhere: host names, its name in the
// account's list, its links' entries, its grant of the account's quota.
import type { AccountId, BucketId } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { bindDomains } from '../hosting/set-hosting.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';

/**
 * Deletes an empty bucket and releases its host names; a later sweep deletes its
 * unfinished uploads and unreferenced blobs. BucketNotEmpty. Cost: three commits,
 * four with host names. Source for the uploads: AWS's DeleteBucket, where only
 * those of directory buckets prevent it.
 */
export async function deleteBucket(core: Core, bucket: BucketHandle): Promise<void> {
  const { ownerId, name, createdAtMs } = bucket.record();
  await bucket.call('deleteBucket', { nowMs: core.ports.clock.nowMs() });

  const { settings } = bucket.record();
  if (settings.hosting !== null) await bindDomains(core, bucket.record(), []);
  await core.ports.directory.call('removeBucket', { ownerId, name, createdAtMs });
  await core.ports.directory.call('removeLinkIds', { bucketId: bucket.record().id });
  if (settings.hasAccountQuota === true) releaseStorageGrant(core, ownerId, bucket.record().id);
}

/**
 * Releases what the bucket was granted of its account's quota, and deletes its row
 * of the ledger. It runs behind the response; where it fails, the grant is taken
 * back when another bucket needs it.
 */
function releaseStorageGrant(core: Core, accountId: AccountId, bucketId: BucketId): void {
  const { background, clock, ledger } = core.ports;
  background.run('give-grant-back', () =>
    ledger.call('settleGrant', { accountId, bucketId, settled: null, nowMs: clock.nowMs() }),
  );
}
