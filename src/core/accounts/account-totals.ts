// What an account has: its buckets, and what is stored in them now. For the first page of a
// console; bills go by the ledger.

import type { StorageTotals } from '../../domain/billing/stored.ts';
import { hasCode, StorageError } from '../../domain/errors.ts';
import type { AccountId, BucketName } from '../../domain/nouns.ts';
import { openBucket } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';

/** Buckets that are counted: a page of the directory. */
export const COUNTED_BUCKETS_MAX = 1000;
/**
 * Buckets that are summed up. Each is two index calls; a request on Workers may make 1,000.
 * Source: https://developers.cloudflare.com/workers/platform/limits/#subrequests
 */
export const SUMMED_BUCKETS_MAX = 100;
/** Buckets asked at once: a Worker has six connections open, and others need the index too. */
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
  /** Of the first SUMMED_BUCKETS_MAX by name. */
  readonly stored: StoredSums;
  readonly isStoredComplete: boolean;
};

/**
 * Exact to the last commit of each bucket, though not of one moment. Cost: a directory read, two
 * index calls a bucket summed up.
 */
export async function readAccountTotals(core: Core, accountId: AccountId): Promise<AccountTotals> {
  const page = { ownerId: accountId, prefix: '', after: '', limit: COUNTED_BUCKETS_MAX + 1 };
  const found = await core.ports.directory.call('listBuckets', page);
  const bucketCount = Math.min(found.length, COUNTED_BUCKETS_MAX);
  const names = found.slice(0, SUMMED_BUCKETS_MAX).map(({ name }) => name);
  const totals: StorageTotals[] = [];
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const some = names.slice(at, at + AT_ONCE);
    totals.push(...(await Promise.all(some.map((name) => totalsOf(core, accountId, name)))).flat());
  }
  return {
    bucketCount,
    isCountComplete: found.length <= COUNTED_BUCKETS_MAX,
    stored: sumOf(totals),
    isStoredComplete: found.length <= SUMMED_BUCKETS_MAX,
  };
}

/** Nothing of a bucket that went meanwhile, or is the trace of an interrupted create. */
async function totalsOf(
  core: Core,
  accountId: AccountId,
  name: BucketName,
): Promise<readonly StorageTotals[]> {
  try {
    const bucket = await openBucket(core, name, (record) => {
      if (record.ownerId !== accountId) throw new StorageError('NoSuchBucket');
    });
    return await bucket.call('getStorageTotals', {});
  } catch (error) {
    if (hasCode(error, 'NoSuchBucket')) return [];
    throw error;
  }
}

function sumOf(totals: readonly StorageTotals[]): StoredSums {
  const sum = (column: keyof StoredSums) =>
    totals.reduce((all, of) => all + BigInt(of[column]), 0n);
  return {
    ...{ currentBytes: sum('currentBytes'), currentCount: sum('currentCount') },
    ...{ noncurrentBytes: sum('noncurrentBytes'), noncurrentCount: sum('noncurrentCount') },
    ...{ partBytes: sum('partBytes'), partCount: sum('partCount') },
    ...{ deduplicatedBytes: sum('deduplicatedBytes'), compressedBytes: sum('compressedBytes') },
  };
}
