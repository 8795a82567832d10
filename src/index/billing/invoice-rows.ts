// Rows of closed bills, and numbers of the series of bills and credit notes. Used
// inside transactions of the directory: a number is given in the commit that stores
// its document, so that one that fails gives its number back, and none is missing
// or given twice.

import type { InvoiceHead, NewInvoice, StoredInvoice } from '../../domain/billing/billing.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';

/** Digits that a number has at least. */
const NUMBER_DIGITS = 6;

/** The next number of the series, `INV-000001` first. */
export function takeNumber(sql: Sql, prefix: string): string {
  const [row] = sql.all<{ last: number }>(
    `INSERT INTO number_series (prefix, last) VALUES (?, 1)
     ON CONFLICT (prefix) DO UPDATE SET last = last + 1 RETURNING last`,
    prefix,
  );
  return prefix + String(row?.last ?? 0).padStart(NUMBER_DIGITS, '0');
}

/** Adds the bill as that issue of its month, and gives it a number. */
export function addInvoice(
  sql: Sql,
  accountId: AccountId,
  bill: NewInvoice,
  issue: number,
): StoredInvoice {
  const { head, json, prefix } = bill;
  const { period, currency, totalMicro, closedAtMs } = head;
  const number = takeNumber(sql, prefix);
  sql.all(
    `INSERT INTO invoices
       (account_id, period, issue, number, currency, total_micro, closed_at_ms, is_void, json)
     VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?)`,
    accountId,
    period,
    issue,
    number,
    currency,
    totalMicro,
    closedAtMs,
    json,
  );
  return { period, issue, number, isVoid: false, json };
}

export function countInvoices(sql: Sql, accountId: AccountId): number {
  const [row] = sql.all<{ count: number }>(
    'SELECT count(*) AS count FROM invoices WHERE account_id = ?',
    accountId,
  );
  return row?.count ?? 0;
}

export const STORED_COLUMNS = 'period, issue, number, is_void, json';
export type StoredColumns = {
  readonly period: string;
  readonly issue: number;
  readonly number: string;
  readonly is_void: number;
  readonly json: string;
};
export const decodeStored = ({ is_void, ...bill }: StoredColumns): StoredInvoice => ({
  ...bill,
  isVoid: is_void === 1,
});

/**
 * The named issue of a month's bill, else the last one; null: there is none.
 */
export function readInvoice(
  sql: Sql,
  accountId: AccountId,
  period: string,
  issue?: number,
): StoredInvoice | null {
  const [row] = sql.all<StoredColumns>(
    `SELECT ${STORED_COLUMNS} FROM invoices
     WHERE account_id = ?1 AND period = ?2 AND (?3 IS NULL OR issue = ?3)
     ORDER BY issue DESC LIMIT 1`,
    accountId,
    period,
    issue ?? null,
  );
  return row === undefined ? null : decodeStored(row);
}

export const HEAD_COLUMNS = 'period, issue, number, is_void, currency, total_micro, closed_at_ms';
export type HeadColumns = {
  readonly period: string;
  readonly issue: number;
  readonly number: string;
  readonly is_void: number;
  readonly currency: string;
  readonly total_micro: string;
  readonly closed_at_ms: number;
};

export const decodeHead = ({
  total_micro,
  closed_at_ms,
  is_void,
  ...head
}: HeadColumns): InvoiceHead => ({
  ...head,
  isVoid: is_void === 1,
  totalMicro: total_micro,
  closedAtMs: closed_at_ms,
});
