// A meter that only adds up in memory, for both homes, until the ledger exists. /-/metrics and tests read it.
import type { BucketId } from '../../ports/domain.ts';
import type { Meter, MeterEvent, MeterTotals } from '../../ports/system.ts';

/** Sums of what one bucket (or, under null, nobody's bucket) has used since the start. */
export type UsageCount = MeterTotals;

export type CountingMeter = Meter & {
  /** What was counted so far for a bucket; null when nothing was. */
  of(bucketId: BucketId | null): UsageCount | null;
};

/** Buckets counted apart; further ones are counted under null, so that memory stays bounded (about 300 B each). */
const BUCKETS_MAX = 10_000;

/** Counts per bucket. Cost: one Map lookup and two additions. */
export function createCountingMeter(): CountingMeter {
  const counts = new Map<
    BucketId | null,
    { operations: Record<MeterEvent['operationClass'], number>; bytesOut: Record<MeterEvent['tier'], number> }
  >();
  return {
    count({ bucketId, operationClass, bytesOut, tier }) {
      const known = counts.get(bucketId);
      const owner = known !== undefined || counts.size < BUCKETS_MAX ? bucketId : null;
      const sums = known ??
        counts.get(owner) ?? {
          operations: { A: 0, B: 0, free: 0 },
          bytesOut: { memory: 0, edge: 0, bucket: 0, none: 0 },
        };
      if (known === undefined) counts.set(owner, sums);
      sums.operations[operationClass] += 1;
      sums.bytesOut[tier] += bytesOut;
    },
    of: (bucketId) => counts.get(bucketId) ?? null,
    totals() {
      const sums = { operations: { A: 0, B: 0, free: 0 }, bytesOut: { memory: 0, edge: 0, bucket: 0, none: 0 } };
      for (const { operations, bytesOut } of counts.values()) {
        addTo(sums.operations, operations);
        addTo(sums.bytesOut, bytesOut);
      }
      return sums;
    },
  };
}

function addTo<Name extends string>(sums: Record<Name, number>, counts: Readonly<Record<Name, number>>): void {
  for (const name in counts) sums[name] += counts[name];
}
