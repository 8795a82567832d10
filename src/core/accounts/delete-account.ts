// Deletes an account for good. Nobody comes by its months later, so its last bills are made here:
// first it is stopped, then what its buckets stored goes to the ledger, then its months are closed,
// the open one too, then its webhooks end, then it goes. Each step can be repeated; a deletion that
// dies in the middle leaves a disabled account, and is finished by another.
import type { AccountRecord } from '../../domain/account-records.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId, BucketName } from '../../domain/nouns.ts';
import { closeLastMonths } from '../billing/invoices/close-last-months.ts';
import { monthBounds, monthOf, monthsLater } from '../billing/month.ts';
import { nameOfBucketId } from '../buckets/owner-bucket.ts';
import { requireTrustedTime } from '../clock/trust-time.ts';
import type { Core } from '../core.ts';
import { collectStorage } from '../metering/collect-storage.ts';
import { queryInParts } from '../metering/query-usage.ts';
import { endWebhooks } from '../outbox/webhooks.ts';

/**
 * NoSuchAccount, AccountNotEmpty (it has buckets), ServiceUnavailable (the clock is in doubt). What
 * was counted in the last seconds before and has not come to the ledger is not billed, and nobody
 * is told of the last bills: the webhooks go with the account. Cost: one index call for each bucket
 * that it used in this month and the last, some directory calls.
 */
export async function deleteAccount(core: Core, id: AccountId): Promise<void> {
  const { directory } = core.ports;
  const account = await directory.call('getAccount', { id });
  if (account === null) throw new StorageError('NoSuchAccount');
  await requireNoBuckets(core, id);
  await requireTrustedTime(core);
  if (account.isEnabled) await disable(core, account);
  for (const name of await usedBuckets(core, id)) await collectStorage(core, name);
  await closeLastMonths(core, account);
  await endWebhooks(core, id);
  await directory.call('removeAccount', { id });
}

async function requireNoBuckets(core: Core, ownerId: AccountId): Promise<void> {
  const buckets = await core.ports.directory.call('listBuckets', {
    ownerId,
    prefix: '',
    after: '',
    limit: 1,
  });
  if (buckets.length > 0) throw new StorageError('AccountNotEmpty');
}

async function disable(core: Core, { id, revision, displayName }: AccountRecord): Promise<void> {
  await core.ports.directory.call('updateAccount', { id, revision, displayName, isEnabled: false });
}

/**
 * Its buckets are gone; what they stored waits in their indexes, under the names that the ledger
 * knows.
 */
async function usedBuckets(core: Core, accountId: AccountId): Promise<ReadonlySet<BucketName>> {
  const month = monthOf(core.ports.clock.nowMs());
  const fromMs = monthBounds(monthsLater(month, -1)).startMs;
  const query = { accountId, fromMs, toMs: monthBounds(month).endMs, groupBy: ['bucket'] } as const;
  const used = new Set<BucketName>();
  for await (const sums of queryInParts(core, query)) {
    for (const { bucketId } of sums) if (bucketId !== null) used.add(nameOfBucketId(bucketId));
  }
  return used;
}
