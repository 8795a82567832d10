// The part of the directory for billing: credits and closed bills. Cards are in
// rate-cards.ts. A bill is never changed: the first of a month wins, so that
// closing can be repeated at will. What is in the JSON is core/billing's alone.

import type { CreditRow } from '../../domain/billing/billing.ts';
import type { BillingApi } from '../../ports/directory-calls/billing-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import {
  addInvoice,
  countInvoices,
  decodeHead,
  decodeStored,
  HEAD_COLUMNS,
  type HeadColumns,
  readInvoice,
  STORED_COLUMNS,
  type StoredColumns,
} from './invoice-rows.ts';
import { readChoices } from './rate-cards.ts';

/** Behind every month. */
const AFTER_ALL_PERIODS = '~';

type BillCalls = Pick<
  BillingApi,
  'getAccountBilling' | 'addCredit' | 'keepInvoice' | 'getInvoice' | 'readInvoices' | 'listInvoices'
>;

/**
 * The calls over a database with BILLING_TABLES; directory-index.ts makes them
 * atomic.
 */
export function createBillingCalls(sql: Sql): BillCalls {
  return {
    getAccountBilling({ accountId }) {
      const uses = sql.all<{ credit_id: string; amount_micro: string }>(
        `SELECT credit_id, amount_micro FROM credit_uses
         WHERE account_id = ? ORDER BY period, credit_id`,
        accountId,
      );
      const credits = sql.all<CreditColumns>(
        `SELECT ${CREDIT_COLUMNS} FROM credits WHERE account_id = ? ORDER BY id`,
        accountId,
      );
      return {
        cards: readChoices(sql, accountId),
        credits: credits.map(decodeCredit),
        uses: uses.map(({ credit_id, amount_micro }) => ({
          creditId: credit_id,
          amountMicro: amount_micro,
        })),
        invoiceCount: countInvoices(sql, accountId),
      };
    },

    addCredit({ accountId, credit }) {
      sql.all(
        `INSERT INTO credits (account_id, ${CREDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (account_id, id) DO NOTHING`,
        accountId,
        credit.id,
        credit.label,
        credit.currency,
        credit.amountMicro,
        credit.grantedAtMs,
        credit.expiresAtMs,
      );
      const [row] = sql.all<CreditColumns>(
        `SELECT ${CREDIT_COLUMNS} FROM credits WHERE account_id = ? AND id = ?`,
        accountId,
        credit.id,
      );
      return row === undefined ? credit : decodeCredit(row);
    },

    keepInvoice({ accountId, uses, invoiceCount, ...bill }) {
      const { period } = bill.head;
      const stored = readInvoice(sql, accountId, period);
      if (stored !== null) return stored;
      if (countInvoices(sql, accountId) !== invoiceCount) return null;
      for (const { creditId, amountMicro } of uses) {
        sql.all(
          `INSERT INTO credit_uses (account_id, period, credit_id, amount_micro)
           VALUES (?, ?, ?, ?)`,
          accountId,
          period,
          creditId,
          amountMicro,
        );
      }
      return addInvoice(sql, accountId, bill, 0);
    },

    getInvoice: ({ accountId, period, issue }) => readInvoice(sql, accountId, period, issue),

    readInvoices({ accountId, from, to }) {
      const rows = sql.all<StoredColumns>(
        `SELECT ${STORED_COLUMNS} FROM invoices AS i
         WHERE account_id = ?1 AND period >= ?2 AND period < ?3
           AND issue = (SELECT max(issue) FROM invoices WHERE account_id = ?1 AND period = i.period)
         ORDER BY period`,
        accountId,
        from,
        to,
      );
      return rows.map(decodeStored);
    },

    listInvoices({ accountId, before, limit }) {
      const [period = '', issue = '0'] = (before === '' ? AFTER_ALL_PERIODS : before).split('/');
      const rows = sql.all<HeadColumns>(
        `SELECT ${HEAD_COLUMNS} FROM invoices WHERE account_id = ? AND (period, issue) < (?, ?)
         ORDER BY period DESC, issue DESC LIMIT ${PLAN_ONCE} ?`,
        accountId,
        period,
        Number(issue),
        limit,
      );
      return rows.map(decodeHead);
    },
  };
}

const CREDIT_COLUMNS = 'id, label, currency, amount_micro, granted_at_ms, expires_at_ms';
type CreditColumns = {
  readonly id: string;
  readonly label: string;
  readonly currency: string;
  readonly amount_micro: string;
  readonly granted_at_ms: number;
  readonly expires_at_ms: number | null;
};

const decodeCredit = ({
  amount_micro,
  granted_at_ms,
  expires_at_ms,
  ...credit
}: CreditColumns): CreditRow => ({
  ...credit,
  amountMicro: amount_micro,
  grantedAtMs: granted_at_ms,
  expiresAtMs: expires_at_ms,
});
