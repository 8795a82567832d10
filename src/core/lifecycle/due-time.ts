// When a rule's days are over. S3 counts whole days and acts at the midnight after them, in UTC; a
// day that is made short, for tests, is counted to the millisecond. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html#intro-lifecycle-rules-number-of-days
import { DAY_MS, startOfDay } from '../../domain/time.ts';

/**
 * The midnight (UTC) after `days` from a time on. `dayMs`: how long a day is; where it is none of
 * 24 hours nothing is rounded.
 */
export function dueAfter(fromMs: number, days: number, dayMs: number): number {
  const dueMs = fromMs + days * dayMs;
  return dayMs === DAY_MS ? startOfDay(dueMs) + DAY_MS : dueMs;
}
