// How far the scheduled work on bills has come: closing months, and reporting usage
// to webhooks and to a payment service. A part of the directory: plain synchronous
// code over a SQL port; directory-index.ts makes each call atomic.

import type { BillingDuties, PushTarget } from '../../domain/billing/billing.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { BillingApi } from '../../ports/directory-calls/billing-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

type BillingProgressCalls = Pick<
  BillingApi,
  | 'listBilledAccounts'
  | 'getPushTarget'
  | 'setPushTarget'
  | 'listPushTargets'
  | 'notePush'
  | 'getClosing'
  | 'setClosing'
  | 'getUsageReported'
  | 'setUsageReported'
  | 'getBillingDuties'
  | 'setBillingProgress'
  | 'listUnclosedAccounts'
>;

/**
 * The calls over a database with BILLING_TABLES; directory-index.ts makes them
 * atomic.
 */
export function createBillingProgressCalls(sql: Sql): BillingProgressCalls {
  const cursors = createCursorCalls(sql);
  return {
    ...cursors,
    ...createDutyCalls(sql, cursors),

    listBilledAccounts({ after, limit }) {
      const rows = sql.all<{ id: string }>(
        `SELECT id FROM accounts WHERE id > ?1 UNION SELECT owner_id FROM owned_buckets
         WHERE owner_id > ?1
         ORDER BY 1 LIMIT ${PLAN_ONCE} ?2`,
        after,
        limit,
      );
      return rows.map(({ id }) => id as AccountId);
    },

    getPushTarget({ accountId }) {
      const [row] = sql.all<PushColumns>(
        `SELECT ${PUSH_COLUMNS} FROM push_targets WHERE account_id = ?`,
        accountId,
      );
      return row === undefined ? null : decodePush(row);
    },

    setPushTarget({ accountId, customerId, dayMs }) {
      if (customerId === null) sql.all('DELETE FROM push_targets WHERE account_id = ?', accountId);
      else
        sql.all(
          `INSERT INTO push_targets (account_id, customer_id, day_ms) VALUES (?, ?, ?)
           ON CONFLICT (account_id) DO UPDATE SET customer_id = excluded.customer_id`,
          accountId,
          customerId,
          dayMs,
        );
    },

    listPushTargets({ after, limit }) {
      const rows = sql.all<PushColumns>(
        `SELECT ${PUSH_COLUMNS} FROM push_targets
         WHERE account_id > ? ORDER BY account_id LIMIT ${PLAN_ONCE} ?`,
        after,
        limit,
      );
      return rows.map(decodePush);
    },

    notePush({
      accountId,
      dayMs,
      reportedMeter: told,
      attemptedMeter: tried,
      attemptedAtMs: triedAtMs,
    }) {
      sql.all(
        `UPDATE push_targets SET day_ms = ?, told = ?, tried = ?, tried_at_ms = ?
         WHERE account_id = ?`,
        dayMs,
        told,
        tried,
        triedAtMs,
        accountId,
      );
    },
  };
}

type CursorCalls = Pick<
  BillingApi,
  'getClosing' | 'setClosing' | 'getUsageReported' | 'setUsageReported'
>;

/** The cursors of the walks over all accounts. */
function createCursorCalls(sql: Sql): CursorCalls {
  return {
    getClosing() {
      const [row] = sql.all<{ period: string; after: string }>(
        'SELECT period, after FROM closing WHERE id = 0',
      );
      return row ?? null;
    },

    setClosing({ period, after }) {
      sql.all('INSERT OR REPLACE INTO closing (id, period, after) VALUES (0, ?, ?)', period, after);
    },

    getUsageReported() {
      const [row] = sql.all<{ day_ms: number; after: string }>(
        'SELECT day_ms, after FROM usage_told WHERE id = 0',
      );
      return row === undefined ? null : { dayMs: row.day_ms, after: row.after };
    },

    setUsageReported({ dayMs, after }) {
      sql.all(
        'INSERT OR REPLACE INTO usage_told (id, day_ms, after) VALUES (0, ?, ?)',
        dayMs,
        after,
      );
    },
  };
}

type DutyCalls = Pick<
  BillingApi,
  'getBillingDuties' | 'setBillingProgress' | 'listUnclosedAccounts'
>;

/** The work of single accounts, and how far it is. */
function createDutyCalls(sql: Sql, { getClosing, getUsageReported }: CursorCalls): DutyCalls {
  return {
    getBillingDuties({ accountId }): BillingDuties {
      const [row] = sql.all<DutyColumns>(
        `SELECT EXISTS (SELECT 1 FROM accounts WHERE id = ?1)
             OR EXISTS (SELECT 1 FROM owned_buckets WHERE owner_id = ?1) AS is_billed,
           (SELECT min(created_at_ms) FROM webhooks WHERE account_id = ?1) AS webhooks_since_ms`,
        accountId,
      );
      const [progress] = sql.all<{ closedBefore: string; reportedBeforeMs: number }>(
        `SELECT closed_before AS closedBefore, reported_before_ms AS reportedBeforeMs
         FROM billing_progress WHERE account_id = ?`,
        accountId,
      );
      return {
        isBilled: row?.is_billed === 1,
        webhooksSinceMs: row?.webhooks_since_ms ?? null,
        progress: progress ?? null,
        closing: getClosing({}),
        reported: getUsageReported({}),
      };
    },

    setBillingProgress({ accountId, closedBefore, reportedBeforeMs }) {
      sql.all(
        `INSERT OR REPLACE INTO billing_progress (account_id, closed_before, reported_before_ms)
         VALUES (?, ?, ?)`,
        accountId,
        closedBefore,
        reportedBeforeMs,
      );
    },

    listUnclosedAccounts({ period, accountIds }) {
      const rows = sql.all<{ id: string }>(
        `SELECT value AS id FROM json_each(?1) WHERE NOT EXISTS (
           SELECT 1 FROM billing_progress WHERE account_id = value AND closed_before > ?2)`,
        JSON.stringify(accountIds),
        period,
      );
      return rows.map(({ id }) => id as AccountId);
    },
  };
}

type DutyColumns = { readonly is_billed: number; readonly webhooks_since_ms: number | null };

const PUSH_COLUMNS = 'account_id, customer_id, day_ms, told, tried, tried_at_ms';
type PushColumns = {
  readonly account_id: string;
  readonly customer_id: string;
  readonly day_ms: number;
  readonly told: string;
  readonly tried: string;
  readonly tried_at_ms: number;
};

const decodePush = (row: PushColumns): PushTarget => ({
  accountId: row.account_id as AccountId,
  customerId: row.customer_id,
  dayMs: row.day_ms,
  reportedMeter: row.told,
  attemptedMeter: row.tried,
  attemptedAtMs: row.tried_at_ms,
});
