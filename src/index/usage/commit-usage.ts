// Usage that commits cause besides storage over time (storage-totals.ts): early
// deletions, transitions, unfinished uploads that were given up. Written inside the
// commit that is the cause, so it is counted exactly once. It waits here by the
// hour until it is brought to the ledger.

import { SETTLE_MS } from '../../domain/billing/alarm-times.ts';
import type { StorageHours } from '../../domain/billing/stored.ts';
import type { MeterName } from '../../domain/billing/usage.ts';
import type { AccountId, BucketId, BucketName } from '../../domain/nouns.ts';
import { HOUR_MS, startOfHour } from '../../domain/time.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { halves, wholeOf } from './usage-sums.ts';
import { usageTime } from './usage-time.ts';

type UsedRow = {
  readonly bucket_id: string;
  readonly owner_id: string;
  readonly meter: string;
  readonly hour_ms: number;
  readonly high: string;
  readonly low: string;
};

/**
 * Counts something that a commit at `atMs` does. Nothing when the quantity is 0.
 * Cost: a statement.
 */
export function addCommitUsage(
  sql: Sql,
  bucket: number,
  meter: MeterName,
  quantity: bigint,
  atMs: number,
): void {
  if (quantity <= 0n) return;
  sql.all(
    `INSERT INTO commit_usage (bucket_name, bucket_id, owner_id, meter, hour_ms, high, low)
     SELECT name, id, owner_id, ?2, ?3, ?4, ?5 FROM buckets WHERE n = ?1
     ON CONFLICT DO UPDATE SET high = high + excluded.high, low = low + excluded.low`,
    bucket,
    meter,
    startOfHour(usageTime(sql, atMs)),
    ...halves(quantity),
  );
}

/**
 * What is to be brought to the ledger: hours that are over, and all hours of
 * deleted buckets.
 */
export function readCommitUsage(
  sql: Sql,
  name: BucketName,
  nowMs: number,
  limit: number,
): readonly StorageHours[] {
  const rows = sql.all<UsedRow>(
    `SELECT bucket_id, owner_id, meter, hour_ms, CAST(high AS TEXT) AS high,
       CAST(low AS TEXT) AS low
     FROM commit_usage AS u WHERE bucket_name = ?1 AND (hour_ms <= ?2 OR NOT EXISTS (
       SELECT 1 FROM buckets AS b WHERE b.id = u.bucket_id AND b.deleted_at_ms IS NULL))
     ORDER BY bucket_name, bucket_id, meter, hour_ms LIMIT ${PLAN_ONCE} ?3`,
    name,
    nowMs - SETTLE_MS - HOUR_MS,
    limit,
  );
  return rows.map((row) => ({
    bucketId: row.bucket_id as BucketId,
    ownerId: row.owner_id as AccountId,
    of: { kind: 'commits', meter: row.meter as MeterName },
    hourMs: row.hour_ms,
    hourCount: 1,
    used: [{ meter: row.meter as MeterName, quantity: wholeOf(row) }],
  }));
}

type Hour = {
  readonly name: BucketName;
  readonly bucketId: BucketId;
  readonly meter: MeterName;
  readonly hourMs: number;
};

/** Removes an hour that the ledger has. Idempotent. */
export function forgetCommitUsage(sql: Sql, { name, bucketId, meter, hourMs }: Hour): void {
  sql.all(
    `DELETE FROM commit_usage
     WHERE bucket_name = ? AND bucket_id = ? AND meter = ? AND hour_ms = ?`,
    name,
    bucketId,
    meter,
    hourMs,
  );
}
