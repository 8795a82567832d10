// What the ledger does not have yet, or has last: by it the objects of Cloudflare set
// their alarms (domain/billing/alarm-times.ts). Some index reads each.

import type { Uncollected } from '../../domain/billing/alarm-times.ts';
import type { AccountId, BucketName } from '../../domain/nouns.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { Sql } from '../../ports/sql.ts';

/**
 * The oldest hour of a bucket name in which something was stored, or used by commits,
 * and that the ledger does not have; null: there is none, and while nothing changes
 * there will be none. A late upload counts from when it was begun. Over a database with
 * INDEX_SCHEMA.
 */
export function oldestUncollected(sql: Sql, name: BucketName): Uncollected | null {
  const [row] = sql.all<{ hour_ms: number | null; is_capped: number | null }>(
    `SELECT min(hour_ms) AS hour_ms,
       (SELECT max(json_extract(settings, '$.isCapped')) FROM buckets
        WHERE name = ?1 AND deleted_at_ms IS NULL) AS is_capped
     FROM (
       SELECT min(hour_ms) AS hour_ms FROM storage_hours WHERE bucket_name = ?1
       UNION ALL SELECT min(hour_ms) FROM commit_usage WHERE bucket_name = ?1
       UNION ALL SELECT min(t.hour_ms) FROM buckets AS b JOIN storage_totals AS t ON t.bucket = b.n
         WHERE b.name = ?1 AND (t.gib_ms + t.rest_ms > 0
           OR t.current_bytes + t.noncurrent_bytes + t.part_bytes > 0)
       UNION ALL SELECT max(u.active_at_ms) % ${HOUR_MS} - max(u.active_at_ms)
         FROM buckets AS b JOIN uploads AS u ON u.bucket = b.n
         WHERE b.name = ?1 AND b.deleted_at_ms IS NULL AND u.active_at_ms < 0)`,
    name,
  );
  if (row === undefined || row.hour_ms === null) return null;
  return { hourMs: row.hour_ms, isCapped: row.is_capped === 1 };
}

/**
 * The last hour in which an account used anything; null: it never did. Over a
 * database with LEDGER_SCHEMA. Cost: a row.
 */
export function lastUsedHour(sql: Sql, accountId: AccountId): number | null {
  const [row] = sql.all<{ hour_ms: number | null }>(
    `SELECT max(hour_ms) AS hour_ms FROM (
       SELECT max(last_hour_ms) AS hour_ms FROM ledger_pages WHERE account_id = ?1
       UNION ALL SELECT max(hour_ms) FROM ledger_hours WHERE account_id = ?1)`,
    accountId,
  );
  return row?.hour_ms ?? null;
}
