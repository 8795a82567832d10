// The storage quota of an account. The operator sets it; each bucket of the account
// gets a mark in its record, without which no commit needs a grant. What the
// buckets store then is noted in the ledger.

import type { StorageQuota } from '../../domain/billing/quotas.ts';
import type { AccountId, BucketName } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { ownBucketNames, withOwnBucket } from '../opened-bucket/own-buckets.ts';
import { settleGrant } from '../opened-bucket/storage-grants.ts';

/** Reads the quota of an account, null for none. Cost: one call of the ledger. */
export function getAccountQuota(core: Core, accountId: AccountId): Promise<StorageQuota | null> {
  return core.ports.ledger.call('getQuota', { accountId });
}

/**
 * Sets the quota of an account, null for none. `check` gets the present one, and
 * throws where the caller meant another. It holds for every bucket when this
 * resolves; a call that fails midway must be repeated. PreconditionFailed when it
 * changes meanwhile. Cost: some calls for each bucket.
 */
export async function setAccountQuota(
  core: Core,
  accountId: AccountId,
  quota: StorageQuota | null,
  check: (known: StorageQuota | null) => void,
): Promise<void> {
  const known = await getAccountQuota(core, accountId);
  check(known);
  await core.ports.ledger.call('putQuota', { accountId, quota, known });
  for await (const name of ownBucketNames(core, accountId))
    await markBucket(core, accountId, name, quota !== null);
}

/**
 * Sets the mark of a bucket, or takes it off, and notes what it stores. Does
 * nothing when the account has no such bucket. Race: a commit lands between the two
 * steps. Guard: the mark comes first, so commits after it need a grant, and those
 * before it are counted.
 */
export async function markBucket(
  core: Core,
  accountId: AccountId,
  name: BucketName,
  hasQuota: boolean,
): Promise<void> {
  await withOwnBucket(core, accountId, name, async (bucket) => {
    const isMarked = bucket.record().settings.hasAccountQuota === true;
    const hasAccountQuota = hasQuota ? true : null;
    if (isMarked !== hasQuota)
      await bucket.call('setBucketSettings', { settings: { hasAccountQuota } });
    if (hasQuota) await settleGrant(core, accountId, bucket.record().id);
  });
}
