// What an account used, from the ledger, as bills count it.

import type { UsageSum } from '../../domain/billing/usage.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { Core } from '../core.ts';
import { queryInParts, toUsage } from '../metering/query-usage.ts';
import { isInByteTime, type MeterName, type Usage } from '../metering/usage.ts';

/** Byte-hours of byte-milliseconds, rounded down; of other meters the quantity as it is. */
export function toBillingUnits(meter: MeterName, quantity: bigint): bigint {
  return isInByteTime(meter) ? quantity / BigInt(HOUR_MS) : quantity;
}

/**
 * From `fromMs` until before `toMs`, milliseconds, both at the start of an hour. Cost: one query of
 * the ledger.
 */
export async function readUsage(
  core: Core,
  accountId: AccountId,
  fromMs: number,
  toMs: number,
): Promise<Usage> {
  if (toMs <= fromMs) return new Map();
  return toUsage(await core.ports.ledger.call('query', { accountId, fromMs, toMs, groupBy: [] }));
}

/**
 * Bytes of a storage meter at each hour, on average over the hour; 0 where the ledger has nothing.
 * Times as of `readUsage`, cost as of `queryInParts`.
 */
export async function readStoredByHour(
  core: Core,
  accountId: AccountId,
  {
    meter,
    fromMs,
    toMs,
  }: { readonly meter: MeterName; readonly fromMs: number; readonly toMs: number },
): Promise<readonly bigint[]> {
  const hours: bigint[] = Array.from({ length: Math.max(0, (toMs - fromMs) / HOUR_MS) }, () => 0n);
  if (hours.length === 0) return hours;
  const query = { accountId, fromMs, toMs, groupBy: ['hour'], kinds: ['storage'] } as const;
  for await (const sums of queryInParts(core, query)) {
    for (const sum of sums) if (sum.meter === meter) addHour(hours, fromMs, sum);
  }
  return hours;
}

function addHour(hours: bigint[], fromMs: number, { timeMs, meter, quantity }: UsageSum): void {
  const at = timeMs === null ? -1 : (timeMs - fromMs) / HOUR_MS;
  const before = hours[at];
  if (before !== undefined) hours[at] = before + toBillingUnits(meter, quantity);
}
