// Times as texts of ISO 8601, the way S3's documents and headers write them.

/**
 * A date with a time and a zone; fractions of a second are optional. Source: RFC 3339 section 5.6.
 */
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/**
 * Milliseconds since 1970, or null for what is no time. Digits behind the millisecond are cut off.
 */
export function parseIsoTime(text: string): number | null {
  if (!ISO_TIME.test(text)) return null;
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? null : timeMs;
}
