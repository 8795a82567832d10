// What an account used, for charts and bills: sums of the ledger with names, and the usage of a month as bills take it.
import type { AccountId, BucketName } from '../../ports/domain.ts';
import type { UsageQuery, UsageSum } from '../../ports/ledger.ts';
import { HOUR_MS } from '../../ports/ledger.ts';
import type { BillingMonth } from '../billing/invoice.ts';
import type { MeterName, Usage } from '../billing/usage.ts';
import { nameOfBucketId } from '../buckets/blob-home.ts';
import type { Core } from '../core.ts';

/** A sum with the name that the bucket has, or had. Of storage in byte-milliseconds. */
export type NamedUsageSum = UsageSum & { readonly bucket: BucketName | null };

/** Sums of an account's usage. InvalidRequest when there are too many of them. Cost: one call to the ledger. */
export async function queryUsage(core: Core, query: UsageQuery): Promise<readonly NamedUsageSum[]> {
  const sums = await core.ports.ledger.call('query', query);
  return sums.map((sum) => ({ ...sum, bucket: sum.bucketId === null ? null : nameOfBucketId(sum.bucketId) }));
}

/** The usage of a calendar month, as makeInvoice takes it; of one bucket or key where `only` says so. */
export async function usageOfMonth(
  core: Core,
  accountId: AccountId,
  { year, month }: BillingMonth,
  only: Pick<UsageQuery, 'bucketId' | 'accessKeyId'> = {},
): Promise<Usage> {
  const [fromMs, toMs] = [Date.UTC(year, month - 1, 1), Date.UTC(year, month, 1)];
  return toUsage(await core.ports.ledger.call('query', { accountId, fromMs, toMs, groupBy: [], ...only }));
}

/** Adds sums up by meter. Byte-milliseconds become byte-hours once, down: what is left of an hour is the customer's. */
export function toUsage(sums: readonly Pick<UsageSum, 'meter' | 'quantity'>[]): Usage {
  const usage = new Map<MeterName, bigint>();
  for (const { meter, quantity } of sums) usage.set(meter, (usage.get(meter) ?? 0n) + quantity);
  for (const [meter, quantity] of usage) {
    if (meter.startsWith('storage/')) usage.set(meter, quantity / BigInt(HOUR_MS));
  }
  return usage;
}
