// Totals of an account: its buckets, and what is stored in them now. For the first
// page of a console; bills go by the ledger.

import type { StorageTotals } from '../../domain/billing/stored.ts';
import type { AccountId, BucketName } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { withOwnBucket } from '../opened-bucket/own-buckets.ts';

/** Most buckets that are counted: a page of the directory. */
export const COUNTED_BUCKETS_MAX = 1000;
/**
 * Most buckets that are summed up. Each is two index calls; a request on Workers
 * may make 1,000. Source:
 * https://developers.cloudflare.com/workers/platform/limits/#subrequests
 */
export const SUMMED_BUCKETS_MAX = 100;
/**
 * Buckets read at once: a Worker has six connections open, and others need the
 * index too.
 */
const AT_ONCE = 6;

/** The columns of totals that are sums; bytes of many buckets may pass 2^53. */
export type StoredSums = {
  readonly [Column in Exclude<keyof StorageTotals, 'storageClass'>]: bigint;
};

export type AccountTotals = {
  /** At most COUNTED_BUCKETS_MAX. */
  readonly bucketCount: number;
  /** Whether these are all. */
  readonly isCountComplete: boolean;
  /** Sums of the first SUMMED_BUCKETS_MAX buckets by name. */
  readonly stored: StoredSums;
  readonly isStoredComplete: boolean;
};

/**
 * Reads the totals of an account, exact to the last commit of each bucket, though
 * not of one moment. Cost: a directory read, two index calls a bucket summed up.
 */
export async function readAccountTotals(core: Core, accountId: AccountId): Promise<AccountTotals> {
  const page = { ownerId: accountId, prefix: '', after: '', limit: COUNTED_BUCKETS_MAX + 1 };
  const buckets = await core.ports.directory.call('listBuckets', page);
  const names = buckets.slice(0, SUMMED_BUCKETS_MAX).map(({ name }) => name);

  const totals: StorageTotals[] = [];
  for (let start = 0; start < names.length; start += AT_ONCE) {
    const batch = names.slice(start, start + AT_ONCE);
    const batchTotals = await Promise.all(batch.map((name) => totalsOf(core, accountId, name)));
    totals.push(...batchTotals.flat());
  }

  return {
    bucketCount: Math.min(buckets.length, COUNTED_BUCKETS_MAX),
    isCountComplete: buckets.length <= COUNTED_BUCKETS_MAX,
    stored: sumOf(totals),
    isStoredComplete: buckets.length <= SUMMED_BUCKETS_MAX,
  };
}

/**
 * Totals of a bucket; none where it was deleted meanwhile, or its create was
 * interrupted.
 */
async function totalsOf(
  core: Core,
  accountId: AccountId,
  name: BucketName,
): Promise<readonly StorageTotals[]> {
  const totals = await withOwnBucket(core, accountId, name, (bucket) =>
    bucket.call('getStorageTotals', {}),
  );
  return totals ?? [];
}

function sumOf(totals: readonly StorageTotals[]): StoredSums {
  const sum = (column: keyof StoredSums) =>
    totals.reduce((total, row) => total + BigInt(row[column]), 0n);
  return {
    currentBytes: sum('currentBytes'),
    currentCount: sum('currentCount'),
    noncurrentBytes: sum('noncurrentBytes'),
    noncurrentCount: sum('noncurrentCount'),
    partBytes: sum('partBytes'),
    partCount: sum('partCount'),
    deduplicatedBytes: sum('deduplicatedBytes'),
    compressedBytes: sum('compressedBytes'),
  };
}
