// The time at which a lifecycle rule's days are over. S3 counts whole days and acts
// at the midnight after them, in UTC; a day that tests make short is counted to the
// millisecond. Source:
// intro-lifecycle-rules.html#intro-lifecycle-rules-number-of-days in
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/
import { DAY_MS, startOfDay } from '../../domain/time.ts';

/**
 * Computes the midnight (UTC) after `days` from a time on. `dayMs`: the length of a
 * day; the result is rounded only where that is 24 hours.
 */
export function dueAfter(fromMs: number, days: number, dayMs: number): number {
  const dueMs = fromMs + days * dayMs;
  return dayMs === DAY_MS ? startOfDay(dueMs) + DAY_MS : dueMs;
}
