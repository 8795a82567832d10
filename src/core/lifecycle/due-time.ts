// When a rule's days are over. S3 counts whole days and acts at the midnight after them, in UTC; a day that is made
// short, for tests, is counted to the millisecond.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html#intro-lifecycle-rules-number-of-days

const REAL_DAY_MS = 24 * 3600 * 1000;

/** The midnight after `days` from a time on; `dayMs` is how long a day is taken to be. */
export function dueAfter(fromMs: number, days: number, dayMs: number): number {
  const dueMs = fromMs + days * dayMs;
  return dayMs === REAL_DAY_MS ? (Math.floor(dueMs / REAL_DAY_MS) + 1) * REAL_DAY_MS : dueMs;
}
