// What of a bill is whose: lines are priced for the account as a whole, with its tiers and
// allowances, and are shared out between its buckets by what each used of the line, so that the
// shares add up to the line exactly. For the FOCUS dataset.

import { hasCode } from '../../../domain/errors.ts';
import type { AccountId, BucketId, BucketName } from '../../../domain/nouns.ts';
import type { Core } from '../../core.ts';
import { queryUsage } from '../../metering/query-usage.ts';
import type { MeterName } from '../../metering/usage.ts';
import { type BillingMonth, monthBounds } from '../month.ts';

/**
 * What one bucket used, as the ledger counts it; null: what was no bucket's, as lists of buckets
 * are.
 */
export type BucketUsage = {
  readonly bucket: { readonly id: BucketId; readonly name: BucketName } | null;
  readonly quantities: ReadonlyMap<MeterName, bigint>;
};

/**
 * Of all buckets of a month, by id, those that are gone too. Empty where there are too many to tell
 * apart: then a bill has no shares. Of a closed month it may hold what came after the closing;
 * shares follow, sums do not. Cost: one query of the ledger.
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
      const of = byBucket.get(id) ?? [];
      const name = of[0]?.bucket ?? null;
      return {
        bucket: id === null || name === null ? null : { id, name },
        quantities: new Map(of.map(({ meter, quantity }) => [meter, quantity])),
      };
    });
  } catch (error) {
    if (hasCode(error, 'InvalidRequest')) return [];
    throw error;
  }
}

/** How much each bucket used of some meters. */
export function weightsOf(
  buckets: readonly BucketUsage[],
  meters: readonly MeterName[],
): readonly bigint[] {
  return buckets.map(({ quantities }) =>
    meters.reduce((sum, meter) => sum + (quantities.get(meter) ?? 0n), 0n),
  );
}

/**
 * Whole numbers in proportion to the weights, which add up to the total: each is rounded down, and
 * what is left goes one by one to those that lost most, the first of equals first. All of weight 0:
 * nothing can be shared out, null. A negative total is shared like its opposite.
 */
export function shareOut(total: bigint, weights: readonly bigint[]): readonly bigint[] | null {
  const all = weights.reduce((sum, weight) => sum + weight, 0n);
  if (all === 0n) return null;
  const [sign, size] = total < 0n ? [-1n, -total] : [1n, total];
  const shares = weights.map((weight) => (size * weight) / all);
  const left = Number(size - shares.reduce((sum, share) => sum + share, 0n));
  const byLoss = weights
    .map((weight, at) => ({ at, lost: (size * weight) % all }))
    .sort((a, b) => (a.lost === b.lost ? a.at - b.at : a.lost > b.lost ? -1 : 1));
  for (const { at } of byLoss.slice(0, left)) shares[at] = (shares[at] ?? 0n) + 1n;
  return shares.map((share) => sign * share);
}
