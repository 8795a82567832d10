// Failures to sign in, as the audit log of an account shows them: a part of the
// directory. They have a table of their own, so that no stranger pushes a change
// out of the log. Its rows are bounded by the day: one for each credential and
// source, and beyond a number of these one for all others. Plain synchronous code
// over a SQL port; directory-index.ts makes each call atomic.

import type { AuditEntry } from '../../domain/account-records.ts';
import type { AccessKeyId, AccountId } from '../../domain/nouns.ts';
import { startOfDay } from '../../domain/time.ts';
import type { AccountsApi } from '../../ports/directory-calls/account-calls.ts';
import type { SignInApi } from '../../ports/directory-calls/sign-in-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { AFTER_ALL_IDS } from '../keys/key-order.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { ROWS_FORGOTTEN_AT_ONCE } from './expiring-rows.ts';

/** The action of such an entry, and where it was tried. */
const ACTION = 'signInFailed';
const TARGET = '/-/api/v1/sessions';
const STATUS = 401;
/** Stands for the credentials and sources that are counted together. */
const MANY = 'many';

const LAST_MS = Number.MAX_SAFE_INTEGER;
const COLUMNS = `account_id, id, day_ms, credential, member_id, access_key_id, source, first_ms,
  last_ms, failures, request_id`;

type FailureRow = {
  readonly account_id: string;
  readonly id: string;
  readonly credential: string;
  readonly member_id: string | null;
  readonly access_key_id: string | null;
  readonly source: string;
  readonly first_ms: number;
  readonly last_ms: number;
  readonly failures: number;
  readonly request_id: string;
};

/** The call over a database with DIRECTORY_SCHEMA. */
export function createFailedSignInCalls(sql: Sql): Pick<SignInApi, 'noteFailedSignIn'> {
  return {
    noteFailedSignIn({ failure, perDay, keepFromMs }) {
      const dayMs = startOfDay(failure.atMs);
      sql.all(
        `DELETE FROM failed_sign_ins WHERE (account_id, id) IN
         (SELECT account_id, id FROM failed_sign_ins
          WHERE day_ms < ? ORDER BY day_ms LIMIT ${PLAN_ONCE} ?)`,
        keepFromMs,
        ROWS_FORGOTTEN_AT_ONCE,
      );
      const countOn = (credential: string, source: string) =>
        sql.all(
          `UPDATE failed_sign_ins SET failures = failures + 1, last_ms = max(last_ms, ?)
           WHERE account_id = ? AND day_ms = ? AND credential = ? AND source = ? RETURNING id`,
          failure.atMs,
          failure.accountId,
          dayMs,
          credential,
          source,
        ).length > 0;
      if (countOn(failure.credential, failure.source)) return;

      const [rows] = sql.all<{ day_rows: number }>(
        'SELECT count(*) AS day_rows FROM failed_sign_ins WHERE account_id = ? AND day_ms = ?',
        failure.accountId,
        dayMs,
      );
      const isOneOfMany = (rows?.day_rows ?? 0) >= perDay;
      if (isOneOfMany && countOn(MANY, MANY)) return;
      const credential = isOneOfMany ? MANY : failure.credential;
      const source = isOneOfMany ? MANY : failure.source;
      const memberId = isOneOfMany ? null : failure.memberId;
      const accessKeyId = isOneOfMany ? null : failure.accessKeyId;
      sql.all(
        `INSERT INTO failed_sign_ins (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)`,
        failure.accountId,
        failure.id,
        dayMs,
        credential,
        memberId,
        accessKeyId,
        source,
        failure.atMs,
        failure.atMs,
        failure.requestId,
      );
    },
  };
}

type Listing = Parameters<AccountsApi['listAudit']>[0];

/**
 * Entries of the audit log about failures, newest first; the time of one is that of
 * its first failure.
 */
export function listFailedSignIns(
  sql: Sql,
  { accountId, before, limit, filter }: Listing,
): readonly AuditEntry[] {
  if (filter.action !== null && filter.action !== ACTION) return [];
  const rows = sql.all<FailureRow>(
    `SELECT ${COLUMNS} FROM failed_sign_ins
     WHERE account_id = ?1 AND id < ?2 AND first_ms >= ?3 AND first_ms < ?4
       AND (?5 IS NULL OR member_id = ?5) AND (?6 IS NULL OR access_key_id = ?6)
     ORDER BY id DESC LIMIT ${PLAN_ONCE} ?7`,
    accountId,
    before || AFTER_ALL_IDS,
    filter.fromMs ?? 0,
    filter.toMs ?? LAST_MS,
    filter.memberId,
    filter.accessKeyId,
    limit,
  );
  return rows.map(decodeFailure);
}

function decodeFailure(row: FailureRow): AuditEntry {
  const detail = { failures: row.failures, lastAt: new Date(row.last_ms).toISOString() };
  return {
    id: row.id,
    accountId: row.account_id as AccountId,
    atMs: row.first_ms,
    action: ACTION,
    target: TARGET,
    detail: JSON.stringify(detail),
    memberId: row.member_id,
    accessKeyId: row.access_key_id as AccessKeyId | null,
    credential: row.credential,
    source: row.source,
    requestId: row.request_id,
    status: STATUS,
  };
}
