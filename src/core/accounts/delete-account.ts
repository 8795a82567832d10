// Deletes an account for good, and makes its last bills, because no later run
// would. Steps: disable it, bring what its buckets stored to the ledger, close its
// months, the open one too, end its webhooks, remove it. Each step is idempotent: a
// deletion that dies in the middle leaves a disabled account, and another call
// finishes it.
import type { AccountRecord } from '../../domain/account-records.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId, BucketName } from '../../domain/nouns.ts';
import { nameOfBucketId } from '../../domain/owner-bucket.ts';
import { closeLastMonths } from '../billing/invoices/close-last-months.ts';
import { monthBounds, monthOf, monthsLater } from '../billing/month.ts';
import { requireTrustedTime } from '../clock/trust-time.ts';
import type { Core } from '../core.ts';
import { collectStorage } from '../metering/collect-storage.ts';
import { queryInParts } from '../metering/query-usage.ts';
import { endWebhooks } from '../outbox/webhooks.ts';

/**
 * Deletes an account. Usage of the last seconds that is not in the ledger yet is
 * not billed, and the last bills are reported to nobody: the webhooks go with the
 * account. NoSuchAccount, AccountNotEmpty (it has buckets), ServiceUnavailable (the
 * clock is in doubt). Cost: one index call for each bucket that it used in this
 * month and the last, some directory calls.
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
 * Names of deleted buckets that the account used lately, from the ledger. Hours of
 * their storage may still wait in their indexes.
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
