// Times as texts of ISO 8601, as documents and headers of S3 have them. Called by
// every surface.

/**
 * The form of a date with time and zone; fractions of a second are optional.
 * Source: RFC 3339 section 5.6.
 */
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/**
 * Parses a time to milliseconds since 1970; null for what is no time. Digits behind
 * the millisecond are cut off.
 */
export function parseIsoTime(text: string): number | null {
  if (!ISO_TIME.test(text)) return null;
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? null : timeMs;
}
