// Shares a bill out between buckets (cost allocation), for the FOCUS dataset. Lines
// are priced for the account as a whole, with its tiers and allowances. Each is
// shared out by what every bucket used of it, and the shares add up to the line
// exactly.

import { hasCode } from '../../../domain/errors.ts';
import type { AccountId, BucketId, BucketName } from '../../../domain/nouns.ts';
import type { Core } from '../../core.ts';
import { queryUsage } from '../../metering/query-usage.ts';
import type { MeterName } from '../../metering/usage.ts';
import { type BillingMonth, monthBounds } from '../month.ts';

/**
 * What one bucket used, as the ledger counts it. `bucket` null: usage of no bucket,
 * such as lists of buckets.
 */
export type BucketUsage = {
  readonly bucket: { readonly id: BucketId; readonly name: BucketName } | null;
  readonly quantities: ReadonlyMap<MeterName, bigint>;
};

/**
 * Reads the usage of a month by bucket, in the order of ids, deleted buckets
 * included. Empty where there are too many sums: then a bill has no shares. Late
 * usage of a closed month moves shares, never sums. Cost: one query of the ledger.
 */
export async function readBucketUsage(
  core: Core,
  accountId: AccountId,
  period: BillingMonth,
): Promise<readonly BucketUsage[]> {
  const { startMs: fromMs, endMs: toMs } = monthBounds(period);
  try {
    const sums = await queryUsage(core, { accountId, fromMs, toMs, groupBy: ['bucket'] });
    const byBucket = Map.groupBy(sums, ({ bucketId }) => bucketId);
    const ids = [...byBucket.keys()].sort((a, b) => ((a ?? '~') < (b ?? '~') ? -1 : 1));
    return ids.map((id) => {
      const bucketSums = byBucket.get(id) ?? [];
      const name = bucketSums[0]?.bucket ?? null;
      return {
        bucket: id === null || name === null ? null : { id, name },
        quantities: new Map(bucketSums.map(({ meter, quantity }) => [meter, quantity])),
      };
    });
  } catch (error) {
    if (hasCode(error, 'InvalidRequest')) return [];
    throw error;
  }
}

/** The weights of buckets in a line: how much each used of its meters. */
export function weightsOf(
  buckets: readonly BucketUsage[],
  meters: readonly MeterName[],
): readonly bigint[] {
  return buckets.map(({ quantities }) =>
    meters.reduce((sum, meter) => sum + (quantities.get(meter) ?? 0n), 0n),
  );
}

/**
 * Shares a total out in proportion to the weights, by the largest remainder method:
 * shares are whole numbers and add up to the total. Each is rounded down; what is
 * left goes one by one to those that lost most, the first of equals first. A
 * negative total is shared like its opposite. Null: all weights are 0.
 */
export function shareOut(total: bigint, weights: readonly bigint[]): readonly bigint[] | null {
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0n);
  if (totalWeight === 0n) return null;

  const isNegative = total < 0n;
  const size = isNegative ? -total : total;
  const shares = weights.map((weight) => (size * weight) / totalWeight);
  const left = Number(size - shares.reduce((sum, share) => sum + share, 0n));

  const byLoss = weights
    .map((weight, index) => ({ index, lost: (size * weight) % totalWeight }))
    .sort((a, b) => (a.lost === b.lost ? a.index - b.index : a.lost > b.lost ? -1 : 1));
  for (const { index } of byLoss.slice(0, left)) shares[index] = (shares[index] ?? 0n) + 1n;

  return shares.map((share) => (isNegative ? -share : share));
}
