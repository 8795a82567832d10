// The log of what was changed: a part of the directory. Plain synchronous code over
// a SQL port; directory-index.ts makes each call atomic. Each account has a bounded
// number of entries, counted by who made the changes. Beyond it whoever has most of
// them loses the oldest. So a flood of changes pushes out its own entries alone.

import type { AuditEntry } from '../../domain/account-records.ts';
import type { AccessKeyId, AccountId } from '../../domain/nouns.ts';
import type { AccountsApi } from '../../ports/directory-calls/account-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { AFTER_ALL_IDS } from '../keys/key-order.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { listFailedSignIns } from './failed-sign-ins.ts';

type AuditCalls = Pick<AccountsApi, 'addAudit' | 'endAudit' | 'listAudit'>;

type AuditRow = {
  readonly id: string;
  readonly account_id: string;
  readonly at_ms: number;
  readonly action: string;
  readonly target: string;
  readonly detail: string;
  readonly member_id: string | null;
  readonly access_key_id: string | null;
  readonly credential: string;
  readonly source: string;
  readonly request_id: string;
  readonly status: number | null;
};
const AUDIT_COLUMNS = `id, account_id, at_ms, action, target, detail, member_id, access_key_id,
  credential, source, request_id, status`;

/**
 * Who made a change: a key or a member, however often they sign in. The index
 * audit_by_maker is on this very expression.
 */
const MAKER = "coalesce(access_key_id, member_id, 'nobody')";
/**
 * The row of `audit_counts` that counts the whole account. No maker has this name.
 */
const ALL = '';
/**
 * Old entries, and those beyond the bound, that go with one that comes. More than
 * one, so that any backlog shrinks.
 */
const REMOVED_PER_ENTRY = 8;

const LAST_MS = Number.MAX_SAFE_INTEGER;

/** The calls over a database with DIRECTORY_SCHEMA. */
export function createAuditCalls(sql: Sql): AuditCalls {
  const forget = (accountId: string, id: string) => forgetEntry(sql, accountId, id);
  return {
    addAudit({ entry, keepFromMs, keepMax }) {
      const old = sql.all<{ account_id: string; id: string }>(
        `SELECT account_id, id FROM audit WHERE at_ms < ? ORDER BY at_ms LIMIT ${PLAN_ONCE} ?`,
        keepFromMs,
        REMOVED_PER_ENTRY,
      );
      for (const { account_id, id } of old) forget(account_id, id);
      const [added] = sql.all<{ maker: string }>(
        `INSERT INTO audit (${AUDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING
         RETURNING ${MAKER} AS maker`,
        entry.id,
        entry.accountId,
        entry.atMs,
        entry.action,
        entry.target,
        entry.detail,
        entry.memberId,
        entry.accessKeyId,
        entry.credential,
        entry.source,
        entry.requestId,
        entry.status,
      );
      if (added === undefined) return;
      for (const maker of [ALL, added.maker]) {
        sql.all(
          `INSERT INTO audit_counts (account_id, maker, entries) VALUES (?, ?, 1)
           ON CONFLICT (account_id, maker) DO UPDATE SET entries = entries + 1`,
          entry.accountId,
          maker,
        );
      }
      keepBelow(sql, entry.accountId, keepMax);
    },
    endAudit({ id, accountId, status, detail }) {
      if (status === null) forget(accountId, id);
      else {
        const update = `UPDATE audit SET status = ?, detail = coalesce(?, detail)
           WHERE account_id = ? AND id = ?`;
        sql.all(update, status, detail ?? null, accountId, id);
      }
    },
    listAudit(listing) {
      const { accountId, before, limit, filter } = listing;
      const rows = sql.all<AuditRow>(
        `SELECT ${AUDIT_COLUMNS} FROM audit
         WHERE account_id = ?1 AND id < ?2 AND at_ms >= ?3 AND at_ms < ?4
           AND (?5 IS NULL OR action = ?5)
           AND (?6 IS NULL OR member_id = ?6)
           AND (?7 IS NULL OR access_key_id = ?7)
         ORDER BY id DESC LIMIT ${PLAN_ONCE} ?8`,
        accountId,
        before || AFTER_ALL_IDS,
        filter.fromMs ?? 0,
        filter.toMs ?? LAST_MS,
        filter.action,
        filter.memberId,
        filter.accessKeyId,
        limit,
      );
      const entries = [...rows.map(decodeAudit), ...listFailedSignIns(sql, listing)];
      return entries.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
    },
  };
}

/**
 * Forgets the oldest entries of whoever has most, until no more than `keepMax` are
 * there, or so many as may go with one.
 */
function keepBelow(sql: Sql, accountId: string, keepMax: number): void {
  for (let removed = 0; removed < REMOVED_PER_ENTRY; removed++) {
    const [all] = sql.all<{ entries: number }>(
      'SELECT entries FROM audit_counts WHERE account_id = ? AND maker = ?',
      accountId,
      ALL,
    );
    if (all === undefined || all.entries <= keepMax) return;
    // The row of the whole account comes first in this order, so two are looked at.
    const [most] = sql.all<{ maker: string }>(
      `SELECT maker FROM audit_counts WHERE account_id = ? AND maker <> ?
       ORDER BY entries DESC LIMIT 1`,
      accountId,
      ALL,
    );
    const [oldest] = sql.all<{ id: string }>(
      `SELECT id FROM audit WHERE account_id = ? AND ${MAKER} = ? ORDER BY id LIMIT 1`,
      accountId,
      most?.maker ?? ALL,
    );
    if (oldest === undefined) return;
    forgetEntry(sql, accountId, oldest.id);
  }
}

/** Removes an entry, if it is there, and counts that. */
function forgetEntry(sql: Sql, accountId: string, id: string): void {
  const [removed] = sql.all<{ maker: string }>(
    `DELETE FROM audit WHERE account_id = ? AND id = ? RETURNING ${MAKER} AS maker`,
    accountId,
    id,
  );
  if (removed === undefined) return;
  for (const maker of [ALL, removed.maker]) {
    const update =
      'UPDATE audit_counts SET entries = entries - 1 WHERE account_id = ? AND maker = ?';
    sql.all(update, accountId, maker);
    sql.all(
      'DELETE FROM audit_counts WHERE account_id = ? AND maker = ? AND entries <= 0',
      accountId,
      maker,
    );
  }
}

function decodeAudit(row: AuditRow): AuditEntry {
  const { id, action, target, detail, credential, source, status } = row;
  return {
    id,
    action,
    target,
    detail,
    credential,
    source,
    status,
    accountId: row.account_id as AccountId,
    atMs: row.at_ms,
    memberId: row.member_id,
    accessKeyId: row.access_key_id as AccessKeyId | null,
    requestId: row.request_id,
  };
}
