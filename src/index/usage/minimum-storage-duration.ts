// Minimum storage durations of colder classes: who deletes an object earlier owes
// the rest of the time, as on S3 and R2. Called in the commit that removes the row
// or changes its class, so that it is counted exactly once. Parts of uploads owe
// nothing, and neither does an object that only gets another name or becomes an
// older version of itself. Source: https://aws.amazon.com/s3/storage-classes/ and
// https://developers.cloudflare.com/r2/buckets/storage-classes/; parts:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html ("no early
// delete charges for deleting incomplete multipart uploads")

import { DAY_MS } from '../../domain/time.ts';
import type { Sql } from '../../ports/sql.ts';
import { addCommitUsage } from './commit-usage.ts';
import type { RowState } from './row-state.ts';
import { usageTime } from './usage-time.ts';

/** Minimum storage durations of classes, milliseconds; any other class has none. */
const MINIMUM_DURATIONS_MS: ReadonlyMap<string, number> = new Map([
  ['STANDARD_IA', 30 * DAY_MS],
  ['ONEZONE_IA', 30 * DAY_MS],
  ['GLACIER_IR', 90 * DAY_MS],
]);

/**
 * Counts the byte-milliseconds that are short, of the bytes that really leave:
 * without what compression spared, and without what others share. `classSinceMs`:
 * since when the row has its class. Cost: a look-up; a statement where it is short.
 */
export function countEarlyDeletion(
  sql: Sql,
  bucket: number,
  { sizeBytes, storageClass, compressedAway, deduplicatedAway }: RowState,
  classSinceMs: number,
  commandMs: number,
): void {
  const leastMs = MINIMUM_DURATIONS_MS.get(storageClass);
  if (leastMs === undefined) return;
  const atMs = usageTime(sql, commandMs);
  const shortMs = Math.min(leastMs, classSinceMs + leastMs - atMs);
  if (shortMs <= 0) return;
  const leaving = BigInt(sizeBytes - compressedAway - deduplicatedAway);
  addCommitUsage(sql, bucket, `early-delete/${storageClass}`, leaving * BigInt(shortMs), atMs);
}
