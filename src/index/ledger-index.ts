// The ledger as plain synchronous code over a SQL port, like the bucket index: rollups of usage by the hour and by the
// month, and what tells a batch that came again. No prices here.
import type { AccessKeyId, AccountId, BucketId } from '../ports/domain.ts';
import { StorageError } from '../ports/errors.ts';
import type { LedgerApi, MeterName, UsageBatch, UsageGroup, UsageQuery, UsageRow, UsageSum } from '../ports/ledger.ts';
import type { Sql } from '../ports/sql.ts';
import { inTransactions } from './bucket-index.ts';

/** Sums that one query gives at most; a year of hours of five meters is fewer. */
const SUMS_MAX = 50_000;
/** How long a source is remembered after its last batch; whoever sends a batch again does so within minutes. Milliseconds. */
const SOURCE_KEPT_MS = 90 * 24 * 3_600_000;
const SOURCES_REMOVED = 20;

const DAY_MS = 86_400_000;
const HALF = 1n << 32n;

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
    query: (input) => querySums(sql, input),
  };
  return inTransactions(sql, calls, new Set<keyof LedgerApi>(['query']));
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
    ['ledger_months', 'month_ms', monthOf(row.hourMs)],
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

/** The start of the calendar month of a time, UTC. */
function monthOf(timeMs: number): number {
  const date = new Date(timeMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

type SumRow = {
  readonly time_ms: number | null;
  readonly bucket_id: string | null;
  readonly access_key_id: string | null;
  readonly meter: string;
  readonly high: string;
  readonly low: string;
};

/** Whole months are read from their own table: some rows in place of hundreds. */
function querySums(sql: Sql, input: UsageQuery): readonly UsageSum[] {
  const { groupBy } = input;
  const isFine = groupBy.includes('hour') || groupBy.includes('day');
  const isOfMonths = !isFine && monthOf(input.fromMs) === input.fromMs && monthOf(input.toMs) === input.toMs;
  const [table, column] = isOfMonths ? ['ledger_months', 'month_ms'] : ['ledger_hours', 'hour_ms'];
  const has = (group: UsageGroup) => groupBy.includes(group);
  const rows = sql.all<SumRow>(
    `SELECT ${timeOf(groupBy, column)} AS time_ms, ${has('bucket') ? 'bucket_id' : 'NULL'} AS bucket_id,
       ${has('accessKey') ? 'access_key_id' : 'NULL'} AS access_key_id, meter,
       CAST(sum(high) AS TEXT) AS high, CAST(sum(low) AS TEXT) AS low
     FROM ${table} WHERE account_id = ?1 AND ${column} >= ?2 AND ${column} < ?3
       AND (?4 IS NULL OR bucket_id = ?4) AND (?5 IS NULL OR access_key_id = ?5)
     GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4 LIMIT 0 + ?6`,
    input.accountId,
    input.fromMs,
    input.toMs,
    input.bucketId ?? null,
    input.accessKeyId ?? null,
    SUMS_MAX + 1,
  );
  if (rows.length > SUMS_MAX) {
    throw new StorageError('InvalidRequest', {
      detail: 'That is too much at once: ask for a shorter time, or fewer groups.',
    });
  }
  return rows.map(decodeSum);
}

function timeOf(groupBy: readonly UsageGroup[], column: string): string {
  if (groupBy.includes('hour')) return column;
  if (groupBy.includes('day')) return `${column} - ${column} % ${DAY_MS}`;
  if (!groupBy.includes('month')) return 'NULL';
  return `unixepoch(${column} / 1000, 'unixepoch', 'start of month') * 1000`;
}

function decodeSum(row: SumRow): UsageSum {
  return {
    timeMs: row.time_ms,
    bucketId: row.bucket_id === null || row.bucket_id === '' ? null : (row.bucket_id as BucketId),
    accessKeyId: row.access_key_id === null || row.access_key_id === '' ? null : (row.access_key_id as AccessKeyId),
    meter: row.meter as MeterName,
    quantity: BigInt(row.high) * HALF + BigInt(row.low),
  };
}
