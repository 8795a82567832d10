// What a month will have used: storage by what is there, the rest by the last week.
import { describe, expect, it } from 'vitest';
import { FORECAST_WINDOW_MS, forecastUsage } from '../../../src/core/billing/invoices/forecast.ts';
import { MARCH, usageOf } from './billing-samples.ts';

const DAY_MS = 86_400_000;
const start = Date.UTC(2026, 2, 1);

describe('a forecast', () => {
  it('holds what is stored and goes on with the rest as in the last week', () => {
    const usage = forecastUsage({
      period: MARCH,
      nowMs: start + 10 * DAY_MS,
      used: usageOf({ 'storage/STANDARD': 1_000n, 'class-a/STANDARD': 500n }),
      recent: usageOf({ 'storage/STANDARD': 700n, 'class-a/STANDARD': 70n, 'egress/edge': 7n }),
      windowMs: FORECAST_WINDOW_MS,
      stored: usageOf({ 'storage/STANDARD': 3n }),
    });
    expect(usage).toEqual(
      usageOf({
        'storage/STANDARD': 1_000n + 3n * 21n * 24n,
        'class-a/STANDARD': 500n + 210n,
        'egress/edge': 21n,
      }),
    );
  });

  it('of a month that is over is what it used', () => {
    const used = usageOf({ 'storage/STANDARD': 1_000n, 'class-a/STANDARD': 500n });
    const stored = usageOf({ 'storage/STANDARD': 3n });
    const nowMs = Date.UTC(2026, 4);
    expect(
      forecastUsage({
        period: MARCH,
        nowMs,
        used,
        recent: used,
        windowMs: FORECAST_WINDOW_MS,
        stored,
      }),
    ).toEqual(used);
  });

  it('without a past knows storage alone', () => {
    const stored = usageOf({ 'storage/STANDARD': 5n });
    const none = usageOf({});
    expect(
      forecastUsage({ period: MARCH, nowMs: start, used: none, recent: none, windowMs: 0, stored }),
    ).toEqual(usageOf({ 'storage/STANDARD': 5n * 744n }));
  });
});
