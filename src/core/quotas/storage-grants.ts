// Brings a bucket more of its account's quota. The ledger grants; what other buckets were granted
// and do not use is taken back from them first, where the rest is too little. Called by
// bucket-handle.ts when a commit needs it, and by account-quota.ts.
//
// A grant is raised in the ledger first and then in the bucket; it is lowered in the bucket first
// and then in the ledger. A process that dies in between leaves the ledger with more than the
// bucket believes in, never with less, and the next settling puts that right.

import type { StorageAmount } from '../../domain/billing/quotas.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId, BucketId, BucketRecord } from '../../domain/nouns.ts';
import { nameOfBucketId } from '../buckets/owner-bucket.ts';
import type { Core } from '../core.ts';

/**
 * Grants of an account that are taken back at most in SETTLED_FRESH_MS, whoever needs them, and how
 * many at once. Each is two calls, so an account with thousands of buckets that writes on when it
 * is full must not have some hundreds of them made for each refusal.
 */
const SETTLED_MAX = 200;
const AT_ONCE = 6;
/** A grant is taken back at most so often, milliseconds. */
const SETTLED_FRESH_MS = 1_000;

/** What the commit of a StorageGrantNeeded would leave the bucket with. */
export function neededBy({ fields }: StorageError): StorageAmount {
  return { bytes: Number(fields.Bytes), objects: Number(fields.Objects) };
}

/**
 * Has at least `needed` granted to the bucket. QuotaExceeded. Cost: a call of the ledger and one of
 * the index; where the quota is nearly used up, two for each of up to SETTLED_MAX other buckets
 * besides.
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

async function settleOthers(core: Core, accountId: AccountId, exceptId: BucketId): Promise<void> {
  const { clock, ledger } = core.ports;
  const settledBeforeMs = clock.nowMs() - SETTLED_FRESH_MS;
  const found = await ledger.call('listGrants', { accountId, settledBeforeMs, limit: SETTLED_MAX });
  const others = found.filter((bucketId) => bucketId !== exceptId);
  for (let at = 0; at < others.length; at += AT_ONCE) {
    await Promise.all(
      others.slice(at, at + AT_ONCE).map((bucketId) => settleGrant(core, accountId, bucketId)),
    );
  }
}

/** Lowers the grant of a bucket to what it stores now, and has the ledger know of it. */
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
