// Forecasts what a month will have used when it ends. Storage is taken to stay as
// it is now; everything else goes on as in the last week. Pure; forecast-month.ts
// reads the ledger for it.
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import { addUsage, isOverTime, type MeterName, type Usage } from '../../metering/usage.ts';
import { divideRounded } from '../decimal.ts';
import { type BillingMonth, monthBounds } from '../month.ts';

/**
 * Time that a forecast goes by, milliseconds: a week, which has each weekday once.
 * It may reach into the month before, so that a month's first day has a past.
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

/** Forecasts the usage of a whole month; a month that is over is as it was. */
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
