// What a month will have used when it ends, going by what it has used and what is stored now. Pure;
// forecast-month.ts asks the ledger. Storage is known: what is stored now is taken to stay.
// Everything else goes on as in the last week.
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import { addUsage, isOverTime, type MeterName, type Usage } from '../../metering/usage.ts';
import { divideRounded } from '../decimal.ts';
import { type BillingMonth, monthBounds } from '../month.ts';

/**
 * A week has each day of the week once. It may reach back into the month before, so that a month's
 * first day has a past.
 */
export const FORECAST_WINDOW_MS = 7 * DAY_MS;

export type ForecastInput = {
  readonly period: BillingMonth;
  readonly nowMs: number;
  /** From the month's start until now. */
  readonly used: Usage;
  /** What was used in the `windowMs` before now. */
  readonly recent: Usage;
  /** FORECAST_WINDOW_MS, or less where there is less of a past; milliseconds. */
  readonly windowMs: number;
  /** What is stored now and what is saved of it, bytes by meter. */
  readonly stored: Usage;
};

/** The usage of the whole month. A month that is over is as it was. */
export function forecastUsage({
  period,
  nowMs,
  used,
  recent,
  windowMs,
  stored,
}: ForecastInput): Usage {
  const leftMs = BigInt(Math.max(0, monthBounds(period).endMs - nowMs));
  const rest: [MeterName, bigint][] = [...stored].map(([meter, bytes]) => [
    meter,
    divideRounded(bytes * leftMs, BigInt(HOUR_MS)),
  ]);
  for (const [meter, quantity] of recent) {
    if (!isOverTime(meter) && windowMs > 0)
      rest.push([meter, divideRounded(quantity * leftMs, BigInt(windowMs))]);
  }
  return addUsage(used, new Map(rest));
}
