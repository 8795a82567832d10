// Minutes, hours and days as the ledger, bills and rules count them: milliseconds since
// 1970, UTC, which has no daylight saving.

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** When the hour of a time began. */
export function startOfHour(timeMs: number): number {
  return timeMs - (timeMs % HOUR_MS);
}

/** When the day of a time began. */
export function startOfDay(timeMs: number): number {
  return timeMs - (timeMs % DAY_MS);
}

/** The earlier of two times; null is never. */
export function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}
