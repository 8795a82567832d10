// Reads from the ledger what an account used, in the units of bills. Called by
// invoices, forecasts, simulations and reports; it knows no price.

import type { UsageSum } from '../../domain/billing/usage.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { Core } from '../core.ts';
import { queryInParts, toUsage } from '../metering/query-usage.ts';
import { isInByteTime, type MeterName, type Usage } from '../metering/usage.ts';

/**
 * Byte-hours of byte-milliseconds, rounded down; the quantity of any other meter as
 * it is.
 */
export function toBillingUnits(meter: MeterName, quantity: bigint): bigint {
  return isInByteTime(meter) ? quantity / BigInt(HOUR_MS) : quantity;
}

/**
 * Usage of an account from `fromMs` until before `toMs`, milliseconds, both at the
 * start of an hour. Cost: one query of the ledger.
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
 * Bytes of a storage meter at each hour, on average over the hour; 0 where the
 * ledger has nothing. Times are bounds as for `readUsage`. Cost: that of
 * `queryInParts`.
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
  const hourCount = Math.max(0, (toMs - fromMs) / HOUR_MS);
  const hours: bigint[] = Array.from({ length: hourCount }, () => 0n);
  if (hours.length === 0) return hours;

  const query = { accountId, fromMs, toMs, groupBy: ['hour'], kinds: ['storage'] } as const;
  for await (const sums of queryInParts(core, query)) {
    for (const sum of sums) if (sum.meter === meter) addHour(hours, fromMs, sum);
  }
  return hours;
}

function addHour(hours: bigint[], fromMs: number, { timeMs, meter, quantity }: UsageSum): void {
  if (timeMs === null) return;
  const index = (timeMs - fromMs) / HOUR_MS;
  const sum = hours[index];
  if (sum !== undefined) hours[index] = sum + toBillingUnits(meter, quantity);
}
