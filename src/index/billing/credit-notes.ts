// Credit notes in the directory. How much may be taken back is core/billing's to
// decide. A note is stored only if the bill has the notes that its maker saw, with
// its number in the same commit. A part of the directory; directory-index.ts makes
// each call atomic.

import type { StoredCreditNote } from '../../domain/billing/billing.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { BillingApi } from '../../ports/directory-calls/billing-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { addInvoice, readInvoice, takeNumber } from './invoice-rows.ts';

type CreditNoteCalls = Pick<
  BillingApi,
  'keepCreditNote' | 'listNotesOf' | 'listCreditNotes' | 'getCreditNote'
>;

/** The calls over a database with DOCUMENT_TABLES. */
export function createCreditNoteCalls(sql: Sql): CreditNoteCalls {
  return {
    keepCreditNote({ accountId, note, prefix, noteCount, reissue }) {
      const { period, issue, isVoid } = note;
      const known = readNotes(sql, accountId, period, issue);
      const repeated = known.find(({ id }) => id === note.id);
      if (repeated !== undefined) {
        return { note: repeated, invoice: readInvoice(sql, accountId, period, issue + 1) };
      }
      const bill = readInvoice(sql, accountId, period);
      if (bill?.issue !== issue || known.length !== noteCount) return null;
      const number = takeNumber(sql, prefix);
      sql.all(
        `INSERT INTO credit_notes (account_id, ${NOTE_COLUMNS})
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        accountId,
        note.id,
        number,
        period,
        issue,
        isVoid ? 1 : 0,
        note.currency,
        note.netMicro,
        note.taxMicro,
        note.issuedAtMs,
        note.json,
      );
      if (isVoid) {
        sql.all(
          'UPDATE invoices SET is_void = 1 WHERE account_id = ? AND period = ? AND issue = ?',
          accountId,
          period,
          issue,
        );
      }
      if (isVoid && reissue === null) {
        sql.all('DELETE FROM credit_uses WHERE account_id = ? AND period = ?', accountId, period);
      }
      const invoice = reissue === null ? null : addInvoice(sql, accountId, reissue, issue + 1);
      return { note: { number, ...note }, invoice };
    },

    listNotesOf: ({ accountId, period, issue }) => readNotes(sql, accountId, period, issue),

    listCreditNotes({ accountId, before, limit }) {
      const rows = sql.all<NoteColumns & { position: number }>(
        `SELECT position, ${NOTE_COLUMNS} FROM credit_notes WHERE account_id = ? AND position < ?
         ORDER BY position DESC LIMIT ${PLAN_ONCE} ?`,
        accountId,
        before ?? Number.MAX_SAFE_INTEGER,
        limit,
      );
      return rows.map(({ position, ...row }) => ({ order: position, ...decode(row) }));
    },

    getCreditNote({ accountId, number }) {
      const [row] = sql.all<NoteColumns>(
        `SELECT ${NOTE_COLUMNS} FROM credit_notes WHERE account_id = ? AND number = ?`,
        accountId,
        number,
      );
      return row === undefined ? null : decode(row);
    },
  };
}

const NOTE_COLUMNS =
  'id, number, period, issue, is_void, currency, net_micro, tax_micro, issued_at_ms, json';
type NoteColumns = {
  readonly id: string;
  readonly number: string;
  readonly period: string;
  readonly issue: number;
  readonly is_void: number;
  readonly currency: string;
  readonly net_micro: string;
  readonly tax_micro: string;
  readonly issued_at_ms: number;
  readonly json: string;
};

const decode = ({
  is_void,
  net_micro,
  tax_micro,
  issued_at_ms,
  ...note
}: NoteColumns): StoredCreditNote => ({
  ...note,
  isVoid: is_void === 1,
  netMicro: net_micro,
  taxMicro: tax_micro,
  issuedAtMs: issued_at_ms,
});

function readNotes(
  sql: Sql,
  accountId: AccountId,
  period: string,
  issue: number,
): readonly StoredCreditNote[] {
  const rows = sql.all<NoteColumns>(
    `SELECT ${NOTE_COLUMNS} FROM credit_notes WHERE account_id = ? AND period = ? AND issue = ?
     ORDER BY position`,
    accountId,
    period,
    issue,
  );
  return rows.map(decode);
}
