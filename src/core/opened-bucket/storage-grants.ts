// Grants a bucket more of its account's quota. The ledger grants; where the rest is
// too little, unused grants of other buckets are taken back first. Called by
// bucket-handle.ts when a commit needs it, and by quotas/account-quota.ts.
//
// Race: a process dies between ledger and bucket. Guard: a grant is raised in the
// ledger first, and lowered in the bucket first. So the ledger may record more than
// the bucket has, never less, and the next settling puts that right.

import type { StorageAmount } from '../../domain/billing/quotas.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId, BucketId, BucketRecord } from '../../domain/nouns.ts';
import { nameOfBucketId } from '../../domain/owner-bucket.ts';
import type { Core } from '../core.ts';

/**
 * Grants of an account that one refusal takes back at most. Each is two calls, and
 * an account with thousands of buckets may write on when it is full.
 */
const SETTLED_MAX = 200;
/** Grants that are taken back at once. */
const AT_ONCE = 6;
/** Least time between two takings back of one grant, milliseconds. */
const SETTLED_FRESH_MS = 1_000;

/**
 * The amount that a commit refused with StorageGrantNeeded would leave the bucket
 * with.
 */
export function neededBy({ fields }: StorageError): StorageAmount {
  return { bytes: Number(fields.Bytes), objects: Number(fields.Objects) };
}

/**
 * Raises the bucket's grant to at least `needed`. QuotaExceeded. Cost: a call of
 * the ledger and one of the index; where the quota is nearly used up, two more for
 * each of up to SETTLED_MAX other buckets.
 */
export async function raiseStorageGrant(
  core: Core,
  bucket: BucketRecord,
  needed: StorageAmount,
): Promise<void> {
  const { ledger, metadataIndex } = core.ports;
  const { id, name, ownerId: accountId } = bucket;
  const raise = () => ledger.call('raiseGrant', { accountId, bucketId: id, needed });
  let grant = await raise();
  if (grant === null) {
    await settleOthers(core, accountId, id);
    grant = await raise();
  }
  if (grant === null) {
    throw new StorageError('QuotaExceeded', {
      detail:
        'The quota of the account leaves no room for this. Delete something, or have it raised.',
      fields: { BucketName: name },
    });
  }
  await metadataIndex.call(name, 'setStorageGrant', { bucket: { id, name }, grant });
}

/**
 * Takes unused grants of the account's other buckets back, those that were not
 * settled lately.
 */
async function settleOthers(core: Core, accountId: AccountId, exceptId: BucketId): Promise<void> {
  const { clock, ledger } = core.ports;
  const settledBeforeMs = clock.nowMs() - SETTLED_FRESH_MS;
  const bucketIds = await ledger.call('listGrants', {
    accountId,
    settledBeforeMs,
    limit: SETTLED_MAX,
  });
  const otherIds = bucketIds.filter((bucketId) => bucketId !== exceptId);
  for (let start = 0; start < otherIds.length; start += AT_ONCE) {
    const batch = otherIds.slice(start, start + AT_ONCE);
    await Promise.all(batch.map((bucketId) => settleGrant(core, accountId, bucketId)));
  }
}

/**
 * Lowers the grant of a bucket to what it stores now, there and then in the ledger.
 */
export async function settleGrant(
  core: Core,
  accountId: AccountId,
  bucketId: BucketId,
): Promise<void> {
  const { clock, ledger, metadataIndex } = core.ports;
  const name = nameOfBucketId(bucketId);
  const settled = await metadataIndex.call(name, 'settleStorageGrant', {
    bucket: { id: bucketId, name },
  });
  await ledger.call('settleGrant', { accountId, bucketId, settled, nowMs: clock.nowMs() });
}
