// Writes usage into the ledger's sums: by the hour and by the month. Months with
// receipts have the account's sum of each meter too, so that a receipt reads some
// rows however many buckets and keys there are.

import type { UsageBatch, UsageRow } from '../../domain/billing/usage.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { startOfHour } from '../../domain/time.ts';
import type { Sql } from '../../ports/sql.ts';
import { halves, startOfMonth } from '../usage/usage-sums.ts';
import { usageTime } from '../usage/usage-time.ts';

/**
 * Claims a batch: true, and it is to be counted, unless it or a later one of its
 * source was counted before.
 */
export function claimBatch(
  sql: Sql,
  accountId: AccountId,
  { source, sequence }: UsageBatch,
  nowMs: number,
): boolean {
  const claims = sql.all(
    `INSERT INTO ledger_sources (account_id, source, last_sequence, seen_at_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT (account_id, source) DO UPDATE
       SET last_sequence = excluded.last_sequence, seen_at_ms = excluded.seen_at_ms, receipt = NULL
     WHERE last_sequence < excluded.last_sequence RETURNING 1 AS is_new`,
    accountId,
    source,
    sequence,
    nowMs,
  );
  return claims.length > 0;
}

/**
 * Adds rows to the sums. Cost: two upserts a row; three in a month with receipts.
 */
export function addRows(sql: Sql, accountId: AccountId, rows: readonly UsageRow[]): void {
  const withReceipts = new Map<number, boolean>();
  for (const row of rows) {
    const hourMs = startOfHour(usageTime(sql, row.hourMs));
    const { bucketId, accessKeyId, meter, quantity } = row;
    const monthMs = startOfMonth(hourMs);
    const [high, low] = halves(quantity);
    for (const [table, column, timeMs] of [
      ['ledger_hours', 'hour_ms', hourMs],
      ['ledger_months', 'month_ms', monthMs],
    ] as const) {
      sql.all(
        `INSERT INTO ${table} (account_id, ${column}, bucket_id, access_key_id, meter, high, low)
         VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET high = high + excluded.high, low = low + excluded.low`,
        accountId,
        timeMs,
        bucketId ?? '',
        accessKeyId ?? '',
        meter,
        high,
        low,
      );
    }
    const hasReceipts = withReceipts.get(monthMs) ?? isReceiptMonth(sql, accountId, monthMs);
    withReceipts.set(monthMs, hasReceipts);
    if (!hasReceipts) continue;
    sql.all(
      `INSERT INTO month_meters (account_id, month_ms, meter, high, low) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET high = high + excluded.high, low = low + excluded.low`,
      accountId,
      monthMs,
      meter,
      high,
      low,
    );
  }
}

/**
 * Whether the account has had a receipt in the month, and so sums of its meters.
 */
export function isReceiptMonth(sql: Sql, accountId: AccountId, monthMs: number): boolean {
  const cards = sql.all(
    'SELECT 1 AS is_there FROM receipt_cards WHERE account_id = ? AND month_ms = ? LIMIT 1',
    accountId,
    monthMs,
  );
  return cards.length > 0;
}
