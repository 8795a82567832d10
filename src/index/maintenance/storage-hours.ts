// The collecting side of storage-totals.ts and commit-usage.ts: closes the hours
// that are over, gives closed ones to the sweep, which brings them to the ledger,
// and removes what the ledger has.

import type { StorageHours, StorageTotals } from '../../domain/billing/stored.ts';
import type { AccountId, BucketId, BucketName } from '../../domain/nouns.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { requireBucket } from '../require-bucket.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { closeHour, resetFutureTotals } from '../usage/close-hours.ts';
import { forgetCommitUsage, readCommitUsage } from '../usage/commit-usage.ts';
import { countLateObjects, countLateUploads, readUncounted } from '../usage/storage-totals.ts';
import { usageTime } from '../usage/usage-time.ts';

type StorageCalls = Pick<
  IndexApi,
  'getStorageTotals' | 'getIndexRoom' | 'closeStorageHours' | 'forgetStorageHours'
>;

type HoursRow = {
  readonly bucket_id: string;
  readonly owner_id: string;
  readonly storage_class: string;
  readonly hour_ms: number;
  readonly hour_count: number;
  readonly gib_ms: string;
  readonly rest_ms: string;
  readonly deduplicated_gib_ms: string;
  readonly deduplicated_rest_ms: string;
  readonly compressed_gib_ms: string;
  readonly compressed_rest_ms: string;
};

const GIB = 1n << 30n;

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createStorageCalls(sql: Sql): StorageCalls {
  return {
    getStorageTotals({ bucket }) {
      const n = requireBucket(sql, bucket);
      const totals = sql.all<StorageTotals>(
        `SELECT storage_class AS storageClass, current_bytes AS currentBytes,
           current_count AS currentCount,
           noncurrent_bytes AS noncurrentBytes, noncurrent_count AS noncurrentCount,
           part_bytes AS partBytes, part_count AS partCount,
           deduplicated_bytes AS deduplicatedBytes, compressed_bytes AS compressedBytes
         FROM storage_totals WHERE bucket = ? ORDER BY storage_class`,
        n,
      );
      return withUncounted(totals, readUncounted(sql, n));
    },

    getIndexRoom({ bucket }) {
      requireBucket(sql, bucket);
      return sql.room?.() ?? null;
    },

    closeStorageHours({ name, nowMs: commandMs, limit }) {
      const nowMs = usageTime(sql, commandMs);
      const buckets = sql.all<{ n: number }>('SELECT n FROM buckets WHERE name = ?', name);
      // Before the reset: they are of the hour in which the totals stand.
      for (const { n } of buckets) countLateObjects(sql, n);
      resetFutureTotals(sql, name, nowMs);
      for (const { n } of buckets) countLateUploads(sql, n);
      const open = sql.all<{ bucket: number; storage_class: string }>(
        `SELECT t.bucket, t.storage_class
         FROM buckets AS b JOIN storage_totals AS t ON t.bucket = b.n WHERE b.name = ?`,
        name,
      );
      for (const row of open) closeHour(sql, row.bucket, row.storage_class, nowMs);
      const stored = readHours(sql, name, limit);
      return [...stored, ...readCommitUsage(sql, name, nowMs, limit - stored.length)];
    },

    forgetStorageHours({ name, hours }) {
      for (const { bucketId, hourMs, of } of hours) {
        if (of.kind === 'commits') {
          forgetCommitUsage(sql, { name, bucketId, meter: of.meter, hourMs });
          continue;
        }
        sql.all(
          `DELETE FROM storage_hours
           WHERE bucket_name = ? AND bucket_id = ? AND storage_class = ? AND hour_ms = ?`,
          name,
          bucketId,
          of.storageClass,
          hourMs,
        );
      }
    },
  };
}

/** Totals with what they do not count yet, by storage class. */
function withUncounted(
  totals: readonly StorageTotals[],
  uncounted: ReturnType<typeof readUncounted>,
): readonly StorageTotals[] {
  if (uncounted.size === 0) return totals;
  const classes = new Set(totals.map(({ storageClass }) => storageClass));
  const further = [...uncounted.keys()]
    .filter((storageClass) => !classes.has(storageClass))
    .map((storageClass) => ({ ...NO_TOTALS, storageClass }));
  return [...totals, ...further]
    .map((of) => {
      const late = uncounted.get(of.storageClass) ?? NO_TOTALS;
      return {
        ...of,
        currentBytes: of.currentBytes + late.currentBytes,
        currentCount: of.currentCount + late.currentCount,
        partBytes: of.partBytes + late.partBytes,
        partCount: of.partCount + late.partCount,
      };
    })
    .sort((a, b) => (a.storageClass < b.storageClass ? -1 : 1));
}

const NO_TOTALS: Omit<StorageTotals, 'storageClass'> = {
  partBytes: 0,
  partCount: 0,
  currentBytes: 0,
  currentCount: 0,
  noncurrentBytes: 0,
  noncurrentCount: 0,
  deduplicatedBytes: 0,
  compressedBytes: 0,
};

function readHours(sql: Sql, name: BucketName, limit: number): readonly StorageHours[] {
  const rows = sql.all<HoursRow>(
    `SELECT bucket_id, owner_id, storage_class, hour_ms, hour_count, CAST(gib_ms AS TEXT) AS gib_ms,
       CAST(rest_ms AS TEXT) AS rest_ms, CAST(deduplicated_gib_ms AS TEXT) AS deduplicated_gib_ms,
       CAST(deduplicated_rest_ms AS TEXT) AS deduplicated_rest_ms,
       CAST(compressed_gib_ms AS TEXT) AS compressed_gib_ms,
       CAST(compressed_rest_ms AS TEXT) AS compressed_rest_ms
     FROM storage_hours WHERE bucket_name = ?
     ORDER BY bucket_name, bucket_id, storage_class, hour_ms LIMIT ${PLAN_ONCE} ?`,
    name,
    limit,
  );
  return rows.map((row) => ({
    bucketId: row.bucket_id as BucketId,
    ownerId: row.owner_id as AccountId,
    of: { kind: 'storage', storageClass: row.storage_class },
    hourMs: row.hour_ms,
    hourCount: row.hour_count,
    used: [
      { meter: `storage/${row.storage_class}`, quantity: joined(row.gib_ms, row.rest_ms) },
      {
        meter: `deduplicated/${row.storage_class}`,
        quantity: joined(row.deduplicated_gib_ms, row.deduplicated_rest_ms),
      },
      {
        meter: `compressed/${row.storage_class}`,
        quantity: joined(row.compressed_gib_ms, row.compressed_rest_ms),
      },
    ],
  }));
}

const joined = (gibMs: string, restMs: string): bigint => BigInt(gibMs) * GIB + BigInt(restMs);
