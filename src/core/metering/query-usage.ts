// Queries what an account used: sums of the ledger, with the names of buckets for
// charts, and added up by meter for bills. It knows no price.

import { isForCharts, type UsageQuery, type UsageSum } from '../../domain/billing/usage.ts';
import { hasCode } from '../../domain/errors.ts';
import type { BucketName } from '../../domain/nouns.ts';
import { nameOfBucketId } from '../../domain/owner-bucket.ts';
import { HOUR_MS } from '../../domain/time.ts';
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

/**
 * A sum with the name of its bucket; storage and savings are in byte-milliseconds.
 */
export type NamedUsageSum = UsageSum & { readonly bucket: BucketName | null };

/**
 * Queries sums of an account's usage. InvalidRequest when there are too many of
 * them. Cost: one call to the ledger.
 */
export async function queryUsage(core: Core, query: UsageQuery): Promise<readonly NamedUsageSum[]> {
  const sums = await core.ports.ledger.call('query', query);
  return sums.map((sum) => ({
    ...sum,
    bucket: sum.bucketId === null ? null : nameOfBucketId(sum.bucketId),
  }));
}

/**
 * Queries sums in as many parts as it takes. Where there are too many at once, the
 * time is halved, so a sum of more than an hour may come in pieces. InvalidRequest
 * when there are too many of one hour. Cost: one call to the ledger; for 50,000
 * sums more, some more.
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

/** Whether a meter counts requests by operation. */
export const isOperation = (meter: MeterName): boolean => meter.startsWith('operation/');

/**
 * Adds sums up by meter, without those of charts. Byte-milliseconds become
 * byte-hours once, rounded down in the customer's favour. Savings are rounded so
 * that storage net of them is rounded down too, from its exact byte-milliseconds.
 */
export function toUsage(sums: readonly Pick<UsageSum, 'meter' | 'quantity'>[]): Usage {
  const exact = new Map<MeterName, bigint>();
  for (const { meter, quantity } of sums)
    if (!isForCharts(meter)) exact.set(meter, (exact.get(meter) ?? 0n) + quantity);

  const usage = new Map([...exact].filter(([meter]) => !isInByteTime(meter)));
  for (const [meter, byteMs] of exact) {
    if (isStorage(meter)) addHours(usage, exact, meter, byteMs);
    else if (!isSaving(meter) && isInByteTime(meter)) usage.set(meter, byteMs / BigInt(HOUR_MS));
  }
  return usage;
}

/** Adds byte-hours of a storage meter and of each saving of it. */
function addHours(
  usage: Map<MeterName, bigint>,
  exact: Usage,
  storage: MeterName,
  byteMs: bigint,
): void {
  let netByteMs = byteMs;
  let netHours = byteMs / BigInt(HOUR_MS);
  usage.set(storage, netHours);
  for (const [saving, savedMs] of Object.entries(savedOf(exact, storage)) as [Saving, bigint][]) {
    if (savedMs === 0n) continue;
    netByteMs -= savedMs;
    const hoursAfter = netByteMs / BigInt(HOUR_MS);
    usage.set(savingMeter(saving, storage), netHours - hoursAfter);
    netHours = hoursAfter;
  }
}
