// What the counters hold, as rows of the ledger: which count is which meter. Pure.

import type { MeterName, UsageRow } from '../../domain/billing/usage.ts';
import { startOfHour } from '../../domain/time.ts';
import type { DrainedUsage, UsageCounts } from '../../ports/metering.ts';
import { BLOCKED } from './usage.ts';

/**
 * Reads that nobody names, so that they cost nothing more: what delivery serves to whoever has no
 * key, and what the hot door serves to whoever has one.
 */
const PUBLIC_READS: MeterName = 'operation/PublicRead';
const SIGNED_READS: MeterName = 'operation/SignedRead';

/**
 * Rows of one drain; what is 0 has none. All of a counter belongs to the hour of its first use
 * since the last drain: of what is used around the turn of an hour some seconds' worth may stand in
 * the earlier one, never in both.
 */
export function usageRows({
  owner,
  usedFromMs,
  counts,
  blocked,
  operations,
  unnamedReads,
}: DrainedUsage): UsageRow[] {
  const { bucketId, accessKeyId } = owner;
  const hourMs = startOfHour(usedFromMs);
  const sums = new Map<MeterName, bigint>();
  const add = (meter: MeterName, quantity: number) => {
    if (quantity > 0) sums.set(meter, (sums.get(meter) ?? 0n) + BigInt(quantity));
  };
  for (const [storageClass, of] of counts) addClass(add, storageClass, of);
  add(BLOCKED, blocked);
  for (const [operation, count] of operations) add(`operation/${operation}`, count);
  add(accessKeyId === null ? PUBLIC_READS : SIGNED_READS, unnamedReads);
  return [...sums].map(([meter, quantity]) => ({ hourMs, bucketId, accessKeyId, meter, quantity }));
}

/**
 * Bytes of colder classes are retrieved too when they come from where they are stored: not out of a
 * cache.
 */
function addClass(
  add: (meter: MeterName, quantity: number) => void,
  storageClass: string,
  of: Readonly<UsageCounts>,
): void {
  add(`class-a/${storageClass}`, of.classA);
  add(`class-b/${storageClass}`, of.classB);
  add(`free/${storageClass}`, of.free);
  add('egress/memory', of.memoryBytes);
  add('egress/edge', of.edgeBytes);
  add('egress/bucket', of.bucketBytes);
  add('egress/made', of.madeBytes);
  if (storageClass !== 'STANDARD') {
    add(`retrieval/${storageClass}`, of.bucketBytes + of.retrievedBytes);
  }
}
