// The ledger as plain synchronous code over a SQL port, like the bucket index: a
// journal of usage by the hour, sums by the month, and sequences that recognise a
// repeated batch. No prices here.

import type { LedgerApi, LedgerRules } from '../ports/ledger.ts';
import type { Sql } from '../ports/sql.ts';
import { claimAlerts } from './ledger/cap-crossings.ts';
import { createCapCalls } from './ledger/caps.ts';
import { createQuotaGrantCalls } from './ledger/quota-grants.ts';
import { createReceiptCalls } from './ledger/receipts.ts';
import { recordBatches } from './ledger/record-usage.ts';
import { inTransactions } from './transactions.ts';
import { sumUsage } from './usage/usage-sums.ts';
import { usageTime } from './usage/usage-time.ts';

/**
 * The calls over a database whose tables `migrate(sql, LEDGER_SCHEMA)` made. Each
 * is atomic. `rules` decides what depends on prices: leases of caps, and receipts.
 */
export function createLedgerIndex(sql: Sql, rules: LedgerRules): LedgerApi {
  const calls: LedgerApi = {
    record({ accountId, batches, nowMs: commandMs }) {
      // A clock that has jumped ahead would make sources look old, and their last
      // sequences would be forgotten: a repeated batch would count twice.
      const nowMs = usageTime(sql, commandMs);
      recordBatches(sql, accountId, batches, nowMs);
      return claimAlerts(sql, rules.decideLeases, { accountId, batches, nowMs: commandMs });
    },
    query: (input) => sumUsage(sql, input),
    getFirstHour({ accountId }) {
      const [row] = sql.all<{ hour_ms: number | null }>(
        `SELECT min(hour_ms) AS hour_ms FROM (
           SELECT min(hour_ms) AS hour_ms FROM ledger_hours WHERE account_id = ?1
           UNION ALL SELECT min(first_hour_ms) FROM ledger_pages WHERE account_id = ?1)`,
        accountId,
      );
      return row?.hour_ms ?? null;
    },
    ...createCapCalls(sql, rules.decideLeases),
    ...createReceiptCalls(sql, rules.priceReceipt),
    ...createQuotaGrantCalls(sql),
  };
  return inTransactions(sql, calls, new Set<keyof LedgerApi>(['getFirstHour', 'listCaps']));
}
