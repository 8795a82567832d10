// Turns what the counters have counted into rows of the ledger: it says which count
// is which meter. Called when counters are drained, and for receipts. Pure.

import type { MeterName, UsageRow } from '../../domain/billing/usage.ts';
import { startOfHour } from '../../domain/time.ts';
import type { DrainedUsage, UsageCounts } from '../../ports/metering.ts';
import { BLOCKED } from './usage.ts';

/**
 * Meters of reads that are counted without their operation, to cost less: what
 * delivery serves to readers without a key, and what the fast path serves to those
 * with one.
 */
const PUBLIC_READS: MeterName = 'operation/PublicRead';
const SIGNED_READS: MeterName = 'operation/SignedRead';

/**
 * Makes the rows of one drained counter; a meter of 0 has none. All of a counter
 * belongs to the hour of its first use since the last drain. Some seconds' worth of
 * use may thus stand in the hour before, never in both.
 */
export function usageRows({
  owner,
  usedFromMs,
  counts,
  blocked,
  clientErrors,
  serverErrors,
  operations,
  unnamedReads,
}: DrainedUsage): UsageRow[] {
  const { bucketId, accessKeyId } = owner;
  const hourMs = startOfHour(usedFromMs);
  const sums = new Map<MeterName, bigint>();
  const add = (meter: MeterName, quantity: number) => {
    if (quantity > 0) sums.set(meter, (sums.get(meter) ?? 0n) + BigInt(quantity));
  };
  for (const [storageClass, classCounts] of counts) addClass(add, storageClass, classCounts);
  add(BLOCKED, blocked);
  add('errors/4xx', clientErrors);
  add('errors/5xx', serverErrors);
  for (const [operation, count] of operations) add(`operation/${operation}`, count);
  add(accessKeyId === null ? PUBLIC_READS : SIGNED_READS, unnamedReads);
  return [...sums].map(([meter, quantity]) => ({ hourMs, bucketId, accessKeyId, meter, quantity }));
}

/**
 * Adds the counts of one storage class. Bytes of colder classes count as retrieved
 * too when they come from the store, not from a cache.
 */
function addClass(
  add: (meter: MeterName, quantity: number) => void,
  storageClass: string,
  counts: Readonly<UsageCounts>,
): void {
  add(`class-a/${storageClass}`, counts.classA);
  add(`class-b/${storageClass}`, counts.classB);
  add(`free/${storageClass}`, counts.free);
  add('egress/memory', counts.memoryBytes);
  add('egress/edge', counts.edgeBytes);
  add('egress/bucket', counts.bucketBytes);
  add('egress/made', counts.madeBytes);
  if (storageClass !== 'STANDARD') {
    add(`retrieval/${storageClass}`, counts.bucketBytes + counts.retrievedBytes);
  }
}
