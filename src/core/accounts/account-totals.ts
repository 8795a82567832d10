// Totals of an account: its buckets, and what is stored in them now. For the first
// page of a console; bills go by the ledger.

import type { StorageTotals } from '../../domain/billing/stored.ts';
import type { AccountId, BucketName } from '../../domain/nouns.ts';
import type { OwnedBucket } from '../../ports/directory.ts';
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
/**
 * Most buckets whose sums a glance reads each time. Beyond them a page of a console
 * would cost up to 200 calls.
 */
const EXACT_BUCKETS_MAX = 10;
/** TTL of a bucket's sums in the cache of glances, milliseconds. */
export const GLANCE_TTL_MS = 30_000;
/**
 * Accounts in that cache; the one that was asked for longest ago is dropped. Each is
 * some 20 KB, with 100 buckets.
 */
const ACCOUNTS_MAX = 200;

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

/** Reads the totals of an account. */
export type ReadAccountTotals = (accountId: AccountId) => Promise<AccountTotals>;

/**
 * Reads the totals of an account, exact to the last commit of each bucket, though
 * not of one moment. Cost: a directory read, two index calls a bucket summed up.
 */
export async function readAccountTotals(core: Core, accountId: AccountId): Promise<AccountTotals> {
  const buckets = await listOwnBuckets(core, accountId);
  const readTotals = ({ name }: OwnedBucket) => totalsOf(core, accountId, name);
  return totalsOfAll(buckets, await readAll(buckets, readTotals));
}

/**
 * Makes the read for pages that show an account at a glance. The buckets are always
 * those of now. The sums of an account with more than EXACT_BUCKETS_MAX may be
 * GLANCE_TTL_MS old: a cache in this process or isolate has them, by bucket. It has
 * values alone, no promises, as requests on Workers can't wait for each other's
 * calls. Cost: a directory read, and two index calls for each bucket not cached.
 */
export function createAccountGlance(core: Core): ReadAccountTotals {
  const cache = new Map<AccountId, Map<string, CachedTotals>>();

  /** The cache of an account, which is now the one that was asked for last. */
  function cacheOf(accountId: AccountId): Map<string, CachedTotals> {
    const known = cache.get(accountId) ?? new Map<string, CachedTotals>();
    cache.delete(accountId);
    const [oldest] = cache.keys();
    if (cache.size >= ACCOUNTS_MAX && oldest !== undefined) cache.delete(oldest);
    cache.set(accountId, known);
    return known;
  }

  async function readCached(accountId: AccountId, buckets: readonly OwnedBucket[]) {
    const known = cacheOf(accountId);
    const nowMs = core.ports.clock.nowMs();
    const totals = await readAll(buckets, async (bucket) => {
      const key = incarnationOf(bucket);
      const entry = known.get(key);
      if (entry !== undefined && entry.expiresAtMs > nowMs) return entry.totals;

      const read = await totalsOf(core, accountId, bucket.name);
      known.set(key, { totals: read, expiresAtMs: nowMs + GLANCE_TTL_MS });
      return read;
    });

    const summed = new Set(buckets.slice(0, SUMMED_BUCKETS_MAX).map(incarnationOf));
    for (const key of known.keys()) if (!summed.has(key)) known.delete(key);
    return totals;
  }

  return async (accountId) => {
    const buckets = await listOwnBuckets(core, accountId);
    if (buckets.length > EXACT_BUCKETS_MAX)
      return totalsOfAll(buckets, await readCached(accountId, buckets));

    cache.delete(accountId);
    const readTotals = ({ name }: OwnedBucket) => totalsOf(core, accountId, name);
    return totalsOfAll(buckets, await readAll(buckets, readTotals));
  };
}

/** The sums of one bucket, as a glance read them. */
type CachedTotals = {
  readonly totals: readonly StorageTotals[];
  readonly expiresAtMs: number;
};

/** Names a bucket apart from an earlier one of its name. */
const incarnationOf = ({ name, createdAtMs }: OwnedBucket): string => `${name} ${createdAtMs}`;

const listOwnBuckets = (core: Core, ownerId: AccountId): Promise<readonly OwnedBucket[]> =>
  core.ports.directory.call('listBuckets', {
    ownerId,
    prefix: '',
    after: '',
    limit: COUNTED_BUCKETS_MAX + 1,
  });

/** Reads something of each bucket that is summed up, AT_ONCE at a time. */
async function readAll<Value>(
  buckets: readonly OwnedBucket[],
  read: (bucket: OwnedBucket) => Promise<Value>,
): Promise<Value[]> {
  const summed = buckets.slice(0, SUMMED_BUCKETS_MAX);
  const values: Value[] = [];
  for (let start = 0; start < summed.length; start += AT_ONCE)
    values.push(...(await Promise.all(summed.slice(start, start + AT_ONCE).map(read))));
  return values;
}

function totalsOfAll(
  buckets: readonly OwnedBucket[],
  totals: readonly (readonly StorageTotals[])[],
): AccountTotals {
  return {
    bucketCount: Math.min(buckets.length, COUNTED_BUCKETS_MAX),
    isCountComplete: buckets.length <= COUNTED_BUCKETS_MAX,
    stored: sumOf(totals.flat()),
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
