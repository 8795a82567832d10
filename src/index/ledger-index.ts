// The ledger as plain synchronous code over a SQL port, like the bucket index:
// rollups of usage by the hour and by the month, and sequences that recognise a
// repeated batch. No prices here.

import { DAY_MS } from '../domain/time.ts';
import type { LedgerApi, LedgerRules } from '../ports/ledger.ts';
import type { Sql } from '../ports/sql.ts';
import { createCapCalls } from './ledger/caps.ts';
import { createQuotaGrantCalls } from './ledger/quota-grants.ts';
import { createReceiptCalls } from './ledger/receipts.ts';
import { addRows, claimBatch } from './ledger/record-usage.ts';
import { PLAN_ONCE } from './tables/plan-once.ts';
import { inTransactions } from './transactions.ts';
import { sumUsage } from './usage/usage-sums.ts';
import { usageTime } from './usage/usage-time.ts';

/**
 * How long a source is stored after its last batch; a batch is repeated within
 * minutes. Milliseconds.
 */
const SOURCE_STORED_MS = 90 * DAY_MS;
const SOURCES_REMOVED = 20;

/**
 * The calls over a database whose tables `migrate(sql, LEDGER_SCHEMA)` made. Each
 * is atomic. `rules` has what needs prices.
 */
export function createLedgerIndex(sql: Sql, rules: LedgerRules): LedgerApi {
  const calls: LedgerApi = {
    record({ accountId, batches, nowMs: commandMs }) {
      // By a clock that has jumped, batches that may come again would be forgotten.
      const nowMs = usageTime(sql, commandMs);
      for (const batch of batches) {
        if (claimBatch(sql, accountId, batch, nowMs)) addRows(sql, accountId, batch.rows);
      }
      sql.all(
        `DELETE FROM ledger_sources WHERE account_id = ?1 AND source IN (
           SELECT source FROM ledger_sources WHERE account_id = ?1 AND seen_at_ms < ?2
           ORDER BY seen_at_ms LIMIT ${PLAN_ONCE} ?3)`,
        accountId,
        nowMs - SOURCE_STORED_MS,
        SOURCES_REMOVED,
      );
    },
    query: (input) => sumUsage(sql, input),
    getFirstHour({ accountId }) {
      const [row] = sql.all<{ hour_ms: number | null }>(
        'SELECT min(hour_ms) AS hour_ms FROM ledger_hours WHERE account_id = ?',
        accountId,
      );
      return row?.hour_ms ?? null;
    },
    ...createCapCalls(sql, rules.decideLeases),
    ...createReceiptCalls(sql, rules.priceReceipt),
    ...createQuotaGrantCalls(sql),
  };
  return inTransactions(
    sql,
    calls,
    new Set<keyof LedgerApi>(['query', 'getFirstHour', 'listCaps']),
  );
}
