// Tokens, sessions, failures to sign in and kept answers: the part of the directory that the JSON API signs in with.
// Plain synchronous code over a SQL port; directory-index.ts makes each call atomic.
import type { Holder, IdempotencyState, OfAccount, Role, Session, SignInApi, Token } from '../ports/accounts.ts';
import type { AccessKeyId, AccountId } from '../ports/domain.ts';
import type { Sql } from '../ports/sql.ts';
import { DAY_MS, HOUR_MS } from '../ports/time.ts';
import { AFTER_ALL_IDS } from './key-order.ts';

/** Failures that nobody waits for: of a name, and of a source, which many people may share. */
const FREE_FAILURES = { name: 10, source: 30 } as const;
/** Milliseconds until what was counted is forgotten, and the longest wait. */
const FORGET_AFTER_MS = HOUR_MS;
const WAIT_MAX_MS = 60_000;

/** Kept answers: a day, as other services keep them; of one caller so many; an unanswered request counts that long. */
const ANSWER_KEPT_MS = DAY_MS;
const ANSWERS_MAX = 1000;
const UNDER_WAY_MS = 60_000;

type HolderRow = {
  readonly account_id: string;
  readonly role: string;
  readonly member_id: string | null;
  readonly access_key_id: string | null;
};
type TokenRow = HolderRow & {
  readonly id: string;
  readonly name: string;
  readonly scopes: string | null;
  readonly created_at_ms: number;
  readonly expires_at_ms: number | null;
};
type SessionRow = HolderRow & {
  readonly id: string;
  readonly label: string;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
};

const HOLDER_COLUMNS = 'account_id, role, member_id, access_key_id';
const TOKEN_COLUMNS = `id, name, scopes, created_at_ms, expires_at_ms, ${HOLDER_COLUMNS}`;
const SESSION_COLUMNS = `id, label, created_at_ms, expires_at_ms, ${HOLDER_COLUMNS}`;

/** Keeps to what one member or access key has, where there is one to keep to. */
const OF_HOLDER = '(? OR (member_id IS ? AND access_key_id IS ?))';
function holderFilter(holder: OfAccount['holder']) {
  if (holder === null) return [1, null, null] as const;
  return [0, holder.memberId, holder.accessKeyId] as const;
}

export function createSignInCalls(sql: Sql): SignInApi {
  return {
    ...createTokenCalls(sql),
    ...createSessionCalls(sql),
    ...createAttemptCalls(sql),
    ...createIdempotencyCalls(sql),
  };
}

/** What has become of the holder since: the role of the member now, and whether member and account are in use. */
type LiveRow = {
  readonly live_role: string | null;
  readonly member_in_use: number | null;
  readonly in_use: number | null;
};

function liveSelect(table: 'tokens' | 'sessions', columns: string): string {
  return `SELECT ${columns
    .split(', ')
    .map((column) => `h.${column}`)
    .join(', ')}, m.role AS live_role, m.is_enabled AS member_in_use, a.is_enabled AS in_use
    FROM ${table} AS h LEFT JOIN members AS m ON m.id = h.member_id LEFT JOIN accounts AS a ON a.id = h.account_id
    WHERE h.digest = ?`;
}

/** Null when account or member is not in use any more. The accounts of the settings have no row. */
function withLiveRole<Kind extends Holder>(holder: Kind, row: LiveRow): Kind | null {
  if (row.in_use === 0) return null;
  if (holder.memberId === null) return holder;
  return row.member_in_use === 1 ? { ...holder, role: row.live_role as Role } : null;
}

function createTokenCalls(sql: Sql): Pick<SignInApi, 'getToken' | 'addToken' | 'listTokens' | 'removeToken'> {
  return {
    getToken({ digest, nowMs }) {
      const [row] = sql.all<TokenRow & LiveRow>(liveSelect('tokens', TOKEN_COLUMNS), digest);
      if (row === undefined || (row.expires_at_ms !== null && row.expires_at_ms <= nowMs)) return null;
      return withLiveRole(decodeToken(row), row);
    },
    addToken({ digest, token }) {
      sql.all(
        `INSERT INTO tokens (digest, ${TOKEN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (digest) DO NOTHING`,
        digest,
        token.id,
        token.name,
        token.scopes === null ? null : JSON.stringify(token.scopes),
        token.createdAtMs,
        token.expiresAtMs,
        ...holderValues(token),
      );
    },
    listTokens({ accountId, holder, before, limit }) {
      const rows = sql.all<TokenRow>(
        `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE account_id = ? AND id < ? AND ${OF_HOLDER} ORDER BY id DESC LIMIT 0 + ?`,
        accountId,
        before || AFTER_ALL_IDS,
        ...holderFilter(holder),
        limit,
      );
      return rows.map(decodeToken);
    },
    removeToken: ({ accountId, id, holder }) =>
      sql.all(
        `DELETE FROM tokens WHERE account_id = ? AND id = ? AND ${OF_HOLDER} RETURNING id`,
        accountId,
        id,
        ...holderFilter(holder),
      ).length > 0,
  };
}

function createSessionCalls(
  sql: Sql,
): Pick<SignInApi, 'getSession' | 'addSession' | 'listSessions' | 'removeSession' | 'removeSessions'> {
  return {
    getSession({ digest, nowMs }) {
      const [row] = sql.all<SessionRow & LiveRow>(liveSelect('sessions', SESSION_COLUMNS), digest);
      return row === undefined || row.expires_at_ms <= nowMs ? null : withLiveRole(decodeSession(row), row);
    },
    addSession({ digest, session }) {
      sql.all('DELETE FROM sessions WHERE expires_at_ms < ?', session.createdAtMs);
      sql.all(
        `INSERT INTO sessions (digest, ${SESSION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (digest) DO NOTHING`,
        digest,
        session.id,
        session.label,
        session.createdAtMs,
        session.expiresAtMs,
        ...holderValues(session),
      );
    },
    listSessions({ accountId, holder, before, limit, nowMs }) {
      const rows = sql.all<SessionRow>(
        `SELECT ${SESSION_COLUMNS} FROM sessions
         WHERE account_id = ? AND id < ? AND expires_at_ms > ? AND ${OF_HOLDER} ORDER BY id DESC LIMIT 0 + ?`,
        accountId,
        before || AFTER_ALL_IDS,
        nowMs,
        ...holderFilter(holder),
        limit,
      );
      return rows.map(decodeSession);
    },
    removeSession: ({ accountId, id, holder }) =>
      sql.all(
        `DELETE FROM sessions WHERE account_id = ? AND id = ? AND ${OF_HOLDER} RETURNING id`,
        accountId,
        id,
        ...holderFilter(holder),
      ).length > 0,
    removeSessions({ holder, exceptId }) {
      return sql.all(
        'DELETE FROM sessions WHERE account_id = ? AND id <> ? AND member_id IS ? AND access_key_id IS ? RETURNING id',
        holder.accountId,
        exceptId ?? '',
        holder.memberId,
        holder.accessKeyId,
      ).length;
    },
  };
}

function createAttemptCalls(sql: Sql): Pick<SignInApi, 'beginSignIn' | 'endSignIn'> {
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

type AnswerRow = {
  readonly fingerprint: string;
  readonly attempt_id: string;
  readonly at_ms: number;
  readonly status: number | null;
  readonly headers: string | null;
  readonly sealed: string | null;
};

function createIdempotencyCalls(sql: Sql): Pick<SignInApi, 'beginIdempotent' | 'endIdempotent'> {
  return {
    beginIdempotent({ caller, key, fingerprint, attemptId, nowMs }) {
      sql.all('DELETE FROM kept_answers WHERE at_ms < ?', nowMs - ANSWER_KEPT_MS);
      const [row] = sql.all<AnswerRow>(
        `SELECT fingerprint, attempt_id, at_ms, status, headers, sealed FROM kept_answers WHERE caller = ? AND key = ?`,
        caller,
        key,
      );
      const known = row === undefined ? null : stateOf(row, { fingerprint, attemptId, nowMs });
      if (known !== null) return known;
      sql.all(
        `INSERT OR REPLACE INTO kept_answers (caller, key, fingerprint, attempt_id, at_ms) VALUES (?, ?, ?, ?, ?)`,
        caller,
        key,
        fingerprint,
        attemptId,
        nowMs,
      );
      sql.all(
        `DELETE FROM kept_answers WHERE caller = ? AND at_ms <
           (SELECT at_ms FROM kept_answers WHERE caller = ? ORDER BY at_ms DESC LIMIT 1 OFFSET 0 + ?)`,
        caller,
        caller,
        ANSWERS_MAX - 1,
      );
      return { kind: 'new' };
    },
    endIdempotent({ caller, key, answer }) {
      if (answer === null) sql.all('DELETE FROM kept_answers WHERE caller = ? AND key = ?', caller, key);
      else {
        sql.all(
          'UPDATE kept_answers SET status = ?, headers = ?, sealed = ? WHERE caller = ? AND key = ?',
          answer.status,
          answer.headers,
          answer.sealed,
          caller,
          key,
        );
      }
    },
  };
}

/** Null: it may run (again). */
function stateOf(
  row: AnswerRow,
  asked: { readonly fingerprint: string; readonly attemptId: string; readonly nowMs: number },
): IdempotencyState | null {
  if (row.fingerprint !== asked.fingerprint) return { kind: 'other' };
  const { status, headers, sealed } = row;
  if (status !== null && headers !== null && sealed !== null) {
    return { kind: 'answered', answer: { status, headers, sealed } };
  }
  if (row.attempt_id === asked.attemptId) return { kind: 'new' };
  return row.at_ms + UNDER_WAY_MS > asked.nowMs ? { kind: 'busy' } : null;
}

function holderValues({ accountId, role, memberId, accessKeyId }: Holder) {
  return [accountId, role, memberId, accessKeyId] as const;
}

function decodeHolder(row: HolderRow): Holder {
  return {
    accountId: row.account_id as AccountId,
    role: row.role as Role,
    memberId: row.member_id,
    accessKeyId: row.access_key_id as AccessKeyId | null,
  };
}

function decodeToken(row: TokenRow): Token {
  return {
    ...decodeHolder(row),
    id: row.id,
    name: row.name,
    scopes: row.scopes === null ? null : (JSON.parse(row.scopes) as string[]),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}

function decodeSession(row: SessionRow): Session {
  const { id, label, created_at_ms: createdAtMs, expires_at_ms: expiresAtMs } = row;
  return { ...decodeHolder(row), id, label, createdAtMs, expiresAtMs };
}
