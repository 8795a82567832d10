// The part of the directory that billing keeps: credits and closed bills. Cards are in
// rate-cards.ts. A bill is never changed: the first of a month wins, so that closing can be
// repeated at will. What is in the JSON is core/billing's alone.
import type { BillingApi, CreditRow, InvoiceHead } from '../ports/billing.ts';
import type { AccountId } from '../ports/domain.ts';
import type { Sql } from '../ports/sql.ts';
import { readChoices } from './rate-cards.ts';

/** Behind every month. */
const AFTER_ALL_PERIODS = '~';

type BillCalls = Pick<BillingApi, 'getAccountBilling' | 'addCredit' | 'keepInvoice' | 'getInvoice' | 'listInvoices'>;

/** The calls over a database with BILLING_TABLES; directory-index.ts makes them atomic. */
export function createBillingCalls(sql: Sql): BillCalls {
  return {
    getAccountBilling({ accountId }) {
      const uses = sql.all<{ credit_id: string; amount_micro: string }>(
        'SELECT credit_id, amount_micro FROM credit_uses WHERE account_id = ? ORDER BY period, credit_id',
        accountId,
      );
      const credits = sql.all<CreditColumns>(
        `SELECT ${CREDIT} FROM credits WHERE account_id = ? ORDER BY id`,
        accountId,
      );
      return {
        cards: readChoices(sql, accountId),
        credits: credits.map(decodeCredit),
        uses: uses.map(({ credit_id, amount_micro }) => ({ creditId: credit_id, amountMicro: amount_micro })),
        invoiceCount: countInvoices(sql, accountId),
      };
    },

    addCredit({ accountId, credit }) {
      sql.all(
        `INSERT INTO credits (account_id, ${CREDIT}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, id) DO NOTHING`,
        accountId,
        credit.id,
        credit.label,
        credit.currency,
        credit.amountMicro,
        credit.grantedAtMs,
        credit.expiresAtMs,
      );
      const [row] = sql.all<CreditColumns>(
        `SELECT ${CREDIT} FROM credits WHERE account_id = ? AND id = ?`,
        accountId,
        credit.id,
      );
      return row === undefined ? credit : decodeCredit(row);
    },

    keepInvoice({ accountId, head, json, uses, invoiceCount }) {
      const kept = readInvoice(sql, accountId, head.period);
      if (kept !== null) return kept;
      if (countInvoices(sql, accountId) !== invoiceCount) return null;
      sql.all(
        `INSERT INTO invoices (account_id, ${HEAD}, json) VALUES (?, ?, ?, ?, ?, ?, ?)`,
        accountId,
        head.period,
        head.number,
        head.currency,
        head.totalMicro,
        head.closedAtMs,
        json,
      );
      for (const { creditId, amountMicro } of uses) {
        sql.all(
          'INSERT INTO credit_uses (account_id, period, credit_id, amount_micro) VALUES (?, ?, ?, ?)',
          accountId,
          head.period,
          creditId,
          amountMicro,
        );
      }
      return json;
    },

    getInvoice: ({ accountId, period }) => readInvoice(sql, accountId, period),

    listInvoices({ accountId, before, limit }) {
      const rows = sql.all<HeadColumns>(
        `SELECT ${HEAD} FROM invoices WHERE account_id = ? AND period < ? ORDER BY period DESC LIMIT 0 + ?`,
        accountId,
        before === '' ? AFTER_ALL_PERIODS : before,
        limit,
      );
      return rows.map(decodeHead);
    },
  };
}

const CREDIT = 'id, label, currency, amount_micro, granted_at_ms, expires_at_ms';
type CreditColumns = {
  readonly id: string;
  readonly label: string;
  readonly currency: string;
  readonly amount_micro: string;
  readonly granted_at_ms: number;
  readonly expires_at_ms: number | null;
};

const decodeCredit = ({ amount_micro, granted_at_ms, expires_at_ms, ...credit }: CreditColumns): CreditRow => ({
  ...credit,
  amountMicro: amount_micro,
  grantedAtMs: granted_at_ms,
  expiresAtMs: expires_at_ms,
});

const HEAD = 'period, number, currency, total_micro, closed_at_ms';
type HeadColumns = {
  readonly period: string;
  readonly number: string;
  readonly currency: string;
  readonly total_micro: string;
  readonly closed_at_ms: number;
};

const decodeHead = ({ total_micro, closed_at_ms, ...head }: HeadColumns): InvoiceHead => ({
  ...head,
  totalMicro: total_micro,
  closedAtMs: closed_at_ms,
});

function countInvoices(sql: Sql, accountId: AccountId): number {
  const [row] = sql.all<{ count: number }>('SELECT count(*) AS count FROM invoices WHERE account_id = ?', accountId);
  return row?.count ?? 0;
}

function readInvoice(sql: Sql, accountId: AccountId, period: string): string | null {
  const [row] = sql.all<{ json: string }>(
    'SELECT json FROM invoices WHERE account_id = ? AND period = ?',
    accountId,
    period,
  );
  return row?.json ?? null;
}
