// The quota of an account: the operator sets it, and each of its buckets gets a mark in its record,
// without which no commit asks for a grant. What the buckets store then is noted in the ledger.

import type { StorageQuota } from '../../domain/billing/quotas.ts';
import { hasCode, StorageError } from '../../domain/errors.ts';
import type { AccountId, BucketName } from '../../domain/nouns.ts';
import { openBucket } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';
import { settleGrant } from './storage-grants.ts';

/** Buckets of an account that are read at once. */
const PAGE = 500;

/** The quota of an account, null for none. Cost: one call of the ledger. */
export function getAccountQuota(core: Core, accountId: AccountId): Promise<StorageQuota | null> {
  return core.ports.ledger.call('getQuota', { accountId });
}

/**
 * Sets the quota of an account, null for none. `check` sees the one that it has, and throws where
 * it is not what was meant. It holds for every bucket when this resolves; one that fails midway is
 * to be repeated. PreconditionFailed when it changes meanwhile. Cost: some calls for each bucket.
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
  for (let after = ''; ; ) {
    const page = await core.ports.directory.call('listBuckets', {
      ownerId: accountId,
      prefix: '',
      after,
      limit: PAGE,
    });
    for (const { name } of page) await markBucket(core, accountId, name, quota !== null);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.name;
  }
}

/**
 * Sets the mark of a bucket, or takes it off, and notes what it stores. The mark comes first: what
 * is committed behind it asks for a grant, what was before it is counted. Nothing when there is no
 * such bucket of the account.
 */
export async function markBucket(
  core: Core,
  accountId: AccountId,
  name: BucketName,
  hasQuota: boolean,
): Promise<void> {
  try {
    const bucket = await openBucket(core, name, (record) => {
      if (record.ownerId !== accountId) throw new StorageError('NoSuchBucket');
    });
    const isMarked = bucket.record().settings.hasAccountQuota === true;
    const hasAccountQuota = hasQuota ? true : null;
    if (isMarked !== hasQuota)
      await bucket.call('setBucketSettings', { settings: { hasAccountQuota } });
    if (hasQuota) await settleGrant(core, accountId, bucket.record().id);
  } catch (error) {
    // It went meanwhile, or is the trace of an interrupted create.
    if (!hasCode(error, 'NoSuchBucket')) throw error;
  }
}
