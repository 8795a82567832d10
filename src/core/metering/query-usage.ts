// What an account used, for charts and bills: sums of the ledger with names, and as usage the way
// bills take it.

import type { UsageQuery, UsageSum } from '../../domain/billing/usage.ts';
import { hasCode } from '../../domain/errors.ts';
import type { BucketName } from '../../domain/nouns.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { nameOfBucketId } from '../buckets/owner-bucket.ts';
import type { Core } from '../core.ts';
import {
  isInByteTime,
  isSaving,
  isStorage,
  type MeterName,
  type Saving,
  savedOf,
  savingMeter,
  type Usage,
} from './usage.ts';

/** A sum with the name that the bucket has, or had. Of storage and savings in byte-milliseconds. */
export type NamedUsageSum = UsageSum & { readonly bucket: BucketName | null };

/**
 * Sums of an account's usage. InvalidRequest when there are too many of them. Cost: one call to the
 * ledger.
 */
export async function queryUsage(core: Core, query: UsageQuery): Promise<readonly NamedUsageSum[]> {
  const sums = await core.ports.ledger.call('query', query);
  return sums.map((sum) => ({
    ...sum,
    bucket: sum.bucketId === null ? null : nameOfBucketId(sum.bucketId),
  }));
}

/**
 * The same in as many parts as it takes: where there are too many sums at once, the time is halved,
 * so that a sum of more than an hour may come in pieces. InvalidRequest when there are too many of
 * one hour. Cost: one call to the ledger; for 50,000 sums more, some more.
 */
export async function* queryInParts(
  core: Core,
  query: UsageQuery,
): AsyncGenerator<readonly UsageSum[]> {
  const { fromMs, toMs } = query;
  const sums = await core.ports.ledger.call('query', query).catch((error: unknown) => {
    const isTooMuch = hasCode(error, 'InvalidRequest');
    if (isTooMuch && toMs - fromMs > HOUR_MS) return null;
    throw error;
  });
  if (sums !== null) return yield sums;
  const halfMs = fromMs + Math.floor((toMs - fromMs) / HOUR_MS / 2) * HOUR_MS;
  yield* queryInParts(core, { ...query, toMs: halfMs });
  yield* queryInParts(core, { ...query, fromMs: halfMs });
}

/**
 * Whether a meter says again what was asked for, by its name: charts show that, and bills don't.
 */
export const isOperation = (meter: MeterName): boolean => meter.startsWith('operation/');

/**
 * Adds sums up by meter; but for operations by name. Byte-milliseconds become byte-hours once,
 * down: what is left of an hour is the customer's. Savings are rounded so that what remains of
 * storage without them is rounded down too, from its exact byte-milliseconds.
 */
export function toUsage(sums: readonly Pick<UsageSum, 'meter' | 'quantity'>[]): Usage {
  const exact = new Map<MeterName, bigint>();
  for (const { meter, quantity } of sums)
    if (!isOperation(meter)) exact.set(meter, (exact.get(meter) ?? 0n) + quantity);
  const usage = new Map([...exact].filter(([meter]) => !isInByteTime(meter)));
  for (const [meter, byteMs] of exact) {
    if (isStorage(meter)) addHours(usage, exact, meter, byteMs);
    else if (!isSaving(meter) && isInByteTime(meter)) usage.set(meter, byteMs / BigInt(HOUR_MS));
  }
  return usage;
}

function addHours(
  usage: Map<MeterName, bigint>,
  exact: Usage,
  storage: MeterName,
  byteMs: bigint,
): void {
  let [leftMs, left] = [byteMs, byteMs / BigInt(HOUR_MS)];
  usage.set(storage, left);
  for (const [saving, savedMs] of Object.entries(savedOf(exact, storage)) as [Saving, bigint][]) {
    if (savedMs === 0n) continue;
    leftMs -= savedMs;
    const after = leftMs / BigInt(HOUR_MS);
    usage.set(savingMeter(saving, storage), left - after);
    left = after;
  }
}
