// Idempotency records: responses of the JSON API that are stored for repeated
// requests (Idempotency-Key). A part of the directory. Plain synchronous code over
// a SQL port; directory-index.ts makes each call atomic.

import type { IdempotencyState } from '../../domain/accounts.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { SignInApi } from '../../ports/directory-calls/sign-in-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { ROWS_FORGOTTEN_AT_ONCE } from './expiring-rows.ts';

/**
 * Idempotency records are stored for a day, as other services do, and so many for
 * one caller. A request without a response is under way for so long.
 */
const RECORD_STORED_MS = DAY_MS;
const RECORDS_MAX = 1000;
const UNDER_WAY_MS = 60_000;

type RecordRow = {
  readonly fingerprint: string;
  readonly attempt_id: string;
  readonly at_ms: number;
  readonly status: number | null;
  readonly headers: string | null;
  readonly sealed: string | null;
};

/** The calls over a database with DIRECTORY_SCHEMA. */
export function createIdempotencyCalls(
  sql: Sql,
): Pick<SignInApi, 'beginIdempotent' | 'endIdempotent'> {
  return {
    beginIdempotent({ caller, key, fingerprint, attemptId, nowMs }) {
      const keepFromMs = nowMs - RECORD_STORED_MS;
      sql.all(
        `DELETE FROM kept_answers WHERE (caller, key) IN
         (SELECT caller, key FROM kept_answers
          WHERE at_ms < ? ORDER BY at_ms LIMIT ${PLAN_ONCE} ?)`,
        keepFromMs,
        ROWS_FORGOTTEN_AT_ONCE,
      );
      const [row] = sql.all<RecordRow>(
        `SELECT fingerprint, attempt_id, at_ms, status, headers, sealed FROM kept_answers
         WHERE caller = ? AND key = ? AND at_ms >= ?`,
        caller,
        key,
        keepFromMs,
      );
      const known = row === undefined ? null : stateOf(row, { fingerprint, attemptId, nowMs });
      if (known !== null) return known;
      sql.all(
        `INSERT OR REPLACE INTO kept_answers (caller, key, fingerprint, attempt_id, at_ms)
         VALUES (?, ?, ?, ?, ?)`,
        caller,
        key,
        fingerprint,
        attemptId,
        nowMs,
      );
      sql.all(
        `DELETE FROM kept_answers WHERE caller = ? AND at_ms <
           (SELECT at_ms FROM kept_answers
            WHERE caller = ? ORDER BY at_ms DESC LIMIT 1 OFFSET ${PLAN_ONCE} ?)`,
        caller,
        caller,
        RECORDS_MAX - 1,
      );
      return { kind: 'new' };
    },
    endIdempotent({ caller, key, record: answer }) {
      if (answer === null)
        sql.all('DELETE FROM kept_answers WHERE caller = ? AND key = ?', caller, key);
      else {
        sql.all(
          `UPDATE kept_answers SET status = ?, headers = ?, sealed = ?
           WHERE caller = ? AND key = ?`,
          answer.status,
          answer.headers,
          answer.encryptedBody,
          caller,
          key,
        );
      }
    },
  };
}

/** Null: it may run (again). */
function stateOf(
  row: RecordRow,
  request: { readonly fingerprint: string; readonly attemptId: string; readonly nowMs: number },
): IdempotencyState | null {
  if (row.fingerprint !== request.fingerprint) return { kind: 'other' };
  const { status, headers, sealed } = row;
  if (status !== null && headers !== null && sealed !== null) {
    return { kind: 'answered', record: { status, headers, encryptedBody: sealed } };
  }
  if (row.attempt_id === request.attemptId) return { kind: 'new' };
  return row.at_ms + UNDER_WAY_MS > request.nowMs ? { kind: 'busy' } : null;
}
