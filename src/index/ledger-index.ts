// The ledger as plain synchronous code over a SQL port, like the bucket index: rollups of usage by the hour and by the
// month, and what tells a batch that came again. No prices here.
import type { AccountId } from '../ports/domain.ts';
import type { LedgerApi, UsageBatch, UsageRow } from '../ports/ledger.ts';
import type { Sql } from '../ports/sql.ts';
import { inTransactions } from './bucket-index.ts';
import { createCapCalls } from './caps.ts';
import { HALF, startOfMonth, sumUsage } from './usage-sums.ts';

/** How long a source is remembered after its last batch; whoever sends a batch again does so within minutes. Milliseconds. */
const SOURCE_KEPT_MS = 90 * 24 * 3_600_000;
const SOURCES_REMOVED = 20;

/** The calls over a database whose tables `migrate(sql, LEDGER_SCHEMA)` made. Each is atomic. */
export function createLedgerIndex(sql: Sql): LedgerApi {
  const calls: LedgerApi = {
    record({ accountId, batches, nowMs }) {
      for (const batch of batches) recordBatch(sql, accountId, batch, nowMs);
      sql.all(
        `DELETE FROM ledger_sources WHERE account_id = ?1 AND source IN (
           SELECT source FROM ledger_sources WHERE account_id = ?1 AND seen_at_ms < ?2 ORDER BY seen_at_ms LIMIT 0 + ?3)`,
        accountId,
        nowMs - SOURCE_KEPT_MS,
        SOURCES_REMOVED,
      );
    },
    query: (input) => sumUsage(sql, input),
    ...createCapCalls(sql),
  };
  return inTransactions(sql, calls, new Set<keyof LedgerApi>(['query', 'listCaps']));
}

function recordBatch(sql: Sql, accountId: AccountId, { source, sequence, rows }: UsageBatch, nowMs: number): void {
  const [isNew] = sql.all(
    `INSERT INTO ledger_sources (account_id, source, last_sequence, seen_at_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT (account_id, source) DO UPDATE SET last_sequence = excluded.last_sequence, seen_at_ms = excluded.seen_at_ms
     WHERE last_sequence < excluded.last_sequence RETURNING 1 AS is_new`,
    accountId,
    source,
    sequence,
    nowMs,
  );
  if (isNew === undefined) return;
  for (const row of rows) addRow(sql, accountId, row);
}

function addRow(sql: Sql, accountId: AccountId, row: UsageRow): void {
  const high = Number(row.quantity / HALF);
  const low = Number(row.quantity % HALF);
  for (const [table, column, timeMs] of [
    ['ledger_hours', 'hour_ms', row.hourMs],
    ['ledger_months', 'month_ms', startOfMonth(row.hourMs)],
  ] as const) {
    sql.all(
      `INSERT INTO ${table} (account_id, ${column}, bucket_id, access_key_id, meter, high, low) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET high = high + excluded.high, low = low + excluded.low`,
      accountId,
      timeMs,
      row.bucketId ?? '',
      row.accessKeyId ?? '',
      row.meter,
      high,
      low,
    );
  }
}
