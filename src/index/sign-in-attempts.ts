// Failures to sign in, and how long whoever failed must wait: a part of the directory. Plain synchronous code over a SQL
// port; directory-index.ts makes each call atomic.
import type { SignInApi } from '../ports/accounts.ts';
import type { Sql } from '../ports/sql.ts';
import { HOUR_MS } from '../ports/time.ts';

/** Failures that nobody waits for: of a name, and of a source, which many people may share. */
const FREE_FAILURES = { name: 10, source: 30 } as const;
/** Milliseconds until what was counted is forgotten, and the longest wait. */
const FORGET_AFTER_MS = HOUR_MS;
const WAIT_MAX_MS = 60_000;

/** The calls over a database with DIRECTORY_SCHEMA. */
export function createAttemptCalls(sql: Sql): Pick<SignInApi, 'beginSignIn' | 'endSignIn'> {
  return {
    beginSignIn({ subjects, nowMs }) {
      sql.all('DELETE FROM sign_in_failures WHERE last_ms < ?', nowMs - FORGET_AFTER_MS);
      const failuresOf = (subject: string) =>
        sql.all<{ failures: number; last_ms: number }>(
          'SELECT failures, last_ms FROM sign_in_failures WHERE subject = ?',
          subject,
        )[0];
      const waits = subjects.map((subject, place) => {
        const row = failuresOf(subject);
        const free = place === 0 ? FREE_FAILURES.name : FREE_FAILURES.source;
        return row === undefined ? 0 : row.last_ms + waitMsAfter(row.failures - free) - nowMs;
      });
      const waitMs = Math.max(0, ...waits);
      if (waitMs > 0) return { waitMs };
      for (const subject of subjects) {
        sql.all(
          `INSERT INTO sign_in_failures (subject, failures, last_ms) VALUES (?, 1, ?)
           ON CONFLICT (subject) DO UPDATE SET failures = failures + 1, last_ms = excluded.last_ms`,
          subject,
          nowMs,
        );
      }
      return { waitMs: 0 };
    },
    endSignIn({ subjects }) {
      const [name = '', ...others] = subjects;
      sql.all('DELETE FROM sign_in_failures WHERE subject = ?', name);
      for (const subject of others) {
        sql.all('UPDATE sign_in_failures SET failures = max(0, failures - 1) WHERE subject = ?', subject);
      }
    },
  };
}

/** Doubles from one second on with each failure beyond the free ones. */
function waitMsAfter(failuresBeyond: number): number {
  return failuresBeyond < 0 ? 0 : Math.min(WAIT_MAX_MS, 1000 * 2 ** failuresBeyond);
}
