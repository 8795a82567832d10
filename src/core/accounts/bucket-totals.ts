// Totals of each of some buckets of an account, for a list of buckets: what is
// stored, and what a month of it costs. Bills go by the ledger.
import type { StorageTotals } from '../../domain/billing/stored.ts';
import type { AccountId, BucketName, BucketRecord } from '../../domain/nouns.ts';
import { findAccountCard } from '../billing/prices/account-card.ts';
import type { Core } from '../core.ts';
import { priceOf } from '../key-jobs/preview-deletion.ts';
import { withOwnBucket } from '../opened-bucket/own-buckets.ts';

/**
 * Buckets read at once: a Worker has six connections open, and others need the
 * index too.
 */
const AT_ONCE = 6;
/** What storage costs of a class that is not the standard one. */
const OTHER_CLASS = 'storage/STANDARD_IA';

export type BucketTotals = {
  readonly record: BucketRecord;
  /** One row for each storage class that the bucket has had. */
  readonly totals: readonly StorageTotals[];
  /**
   * The cost of storing all of it for a month of 30 days at the first tier, without
   * free allowances and savings, in millionths.
   */
  readonly perMonthMicro: bigint;
  readonly currency: string;
};

/**
 * Reads the totals of buckets, each exact to its last commit, though not of one
 * moment. A bucket that was deleted meanwhile is missing. The caller bounds the
 * names. Cost: two index calls a bucket, and the rate card of the account.
 */
export async function readBucketTotals(
  core: Core,
  accountId: AccountId,
  names: readonly BucketName[],
): Promise<ReadonlyMap<BucketName, BucketTotals>> {
  const card = await findAccountCard(core, accountId);
  const byName = new Map<BucketName, BucketTotals>();
  for (let start = 0; start < names.length; start += AT_ONCE) {
    const batch = names.slice(start, start + AT_ONCE).map(async (name) => {
      const found = await withOwnBucket(core, accountId, name, async (bucket) => ({
        totals: await bucket.call('getStorageTotals', {}),
        record: bucket.record(),
      }));
      if (found === null) return;
      const perMonthMicro = found.totals.reduce((sum, row) => {
        const meter = row.storageClass === 'STANDARD' ? 'storage/STANDARD' : OTHER_CLASS;
        const bytes = row.currentBytes + row.noncurrentBytes + row.partBytes;
        return sum + priceOf(card, meter, bytes);
      }, 0n);
      byName.set(name, { ...found, perMonthMicro, currency: card.currency });
    });
    await Promise.all(batch);
  }
  return byName;
}
