// Forecasts what the running month will come to, as a bill. Reads the ledger and
// the account's prices; forecast.ts extends the usage to the month's end. Called by
// the JSON API.

import type { UsageSum } from '../../../domain/billing/usage.ts';
import type { Account } from '../../../domain/nouns.ts';
import { HOUR_MS, startOfHour } from '../../../domain/time.ts';
import type { Core } from '../../core.ts';
import { queryInParts } from '../../metering/query-usage.ts';
import { type MeterName, SAVINGS, type Usage } from '../../metering/usage.ts';
import { monthBounds, monthOf } from '../month.ts';
import { readUsage } from '../read-usage.ts';
import { FORECAST_WINDOW_MS, forecastUsage } from './forecast.ts';
import { openInvoice } from './get-invoice.ts';
import type { InvoiceDocument } from './invoice-document.ts';

export type MonthForecast = {
  /** The bill as it stands, and as it will be when the month ends. */
  readonly soFar: InvoiceDocument;
  readonly atEnd: InvoiceDocument;
};

/**
 * How far back a bucket's latest full hour in the ledger may lie, hours: it stands
 * for what is stored now.
 */
const LATEST_HOURS = 48;

/**
 * Forecasts the running month by whole hours, without the one that runs. Cost: 5
 * queries of the ledger, more for thousands of buckets; 4 directory reads.
 */
export async function forecastMonth(core: Core, account: Account): Promise<MonthForecast> {
  const nowMs = core.ports.clock.nowMs();
  const period = monthOf(nowMs);
  const { startMs } = monthBounds(period);
  const hourMs = startOfHour(nowMs);
  const [used, recent, stored, firstMs] = await Promise.all([
    readUsage(core, account.id, startMs, hourMs),
    readUsage(core, account.id, hourMs - FORECAST_WINDOW_MS, hourMs),
    readStored(core, account, hourMs),
    core.ports.ledger.call('getFirstHour', { accountId: account.id }),
  ]);
  // A new account has a shorter past: dividing by a whole week would forecast too
  // little.
  const windowMs = Math.min(FORECAST_WINDOW_MS, Math.max(0, hourMs - (firstMs ?? hourMs)));
  const usageAtEnd = forecastUsage({ period, nowMs: hourMs, used, recent, windowMs, stored });

  const [soFar, atEnd] = await Promise.all([
    openInvoice(core, account, period, used),
    openInvoice(core, account, period, usageAtEnd),
  ]);
  return { soFar, atEnd };
}

/**
 * Bytes stored and bytes saved, by meter, in the latest hour that the ledger has of
 * each bucket and class. Savings come from that very hour, because an hour without
 * any has no row for them.
 */
async function readStored(core: Core, { id: accountId }: Account, hourMs: number): Promise<Usage> {
  const fromMs = hourMs - LATEST_HOURS * HOUR_MS;
  const kinds = ['storage', ...SAVINGS] as const;
  const query = { accountId, fromMs, toMs: hourMs, groupBy: ['hour', 'bucket'], kinds } as const;
  const latest = new Map<string, { readonly timeMs: number; readonly rows: UsageSum[] }>();
  for await (const sums of queryInParts(core, query)) {
    for (const sum of sums) {
      const { meter, bucketId, timeMs } = sum;
      if (timeMs === null) continue;
      const bucketAndClass = `${bucketId} ${meter.slice(meter.indexOf('/'))}`;
      const known = latest.get(bucketAndClass);
      if (known?.timeMs === timeMs) known.rows.push(sum);
      else if ((known?.timeMs ?? 0) < timeMs) latest.set(bucketAndClass, { timeMs, rows: [sum] });
    }
  }

  const stored = new Map<MeterName, bigint>();
  for (const { meter, quantity } of [...latest.values()].flatMap(({ rows }) => rows))
    stored.set(meter, (stored.get(meter) ?? 0n) + quantity / BigInt(HOUR_MS));
  return stored;
}
