// Tokens and sessions, with which callers of the JSON API sign in: a part of the
// directory. Plain synchronous code over a SQL port; directory-index.ts makes each
// call atomic.

import type { Holder, Role, Session, Token } from '../../domain/accounts.ts';
import type { AccessKeyId, AccountId } from '../../domain/nouns.ts';
import type { OfAccount, SignInApi } from '../../ports/directory-calls/sign-in-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { AFTER_ALL_IDS } from '../keys/key-order.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { ROWS_FORGOTTEN_AT_ONCE } from './expiring-rows.ts';

type TokenCalls = Pick<SignInApi, 'getToken' | 'addToken' | 'listTokens' | 'removeToken'>;
type SessionCalls = Pick<
  SignInApi,
  | 'getSession'
  | 'addSession'
  | 'listSessions'
  | 'removeSession'
  | 'removeSessions'
  | 'noteProof'
  | 'noteSessionUsed'
>;

type HolderRow = {
  readonly account_id: string;
  readonly role: string;
  readonly member_id: string | null;
  readonly access_key_id: string | null;
  readonly credential_digest: string | null;
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
  readonly proven_at_ms: number;
  readonly source: string;
  readonly last_used_ms: number;
};

const HOLDER_COLUMNS = 'account_id, role, member_id, access_key_id, credential_digest';
const TOKEN_COLUMNS = `id, name, scopes, created_at_ms, expires_at_ms, ${HOLDER_COLUMNS}`;
const SESSION_COLUMNS = [
  'id, label, created_at_ms, expires_at_ms, proven_at_ms, source, last_used_ms',
  HOLDER_COLUMNS,
].join(', ');

/**
 * Sessions that one member or access key has at most; a further one ends the
 * oldest. Whoever signs in with each request ends its own sessions, nobody else's.
 */
const SESSIONS_MAX = 1000;

/**
 * Limits rows to those of one member or access key; a first parameter of 1 turns
 * that off. It binds three parameters either way, so that the statement's text
 * never changes.
 */
const HOLDER_CONDITION = '(? OR (member_id IS ? AND access_key_id IS ?))';
function holderFilter(holder: OfAccount['holder']) {
  if (holder === null) return [1, null, null] as const;
  return [0, holder.memberId, holder.accessKeyId] as const;
}

/** Removes a token or a session of a holder; whether it was there. */
function removeCredential(
  sql: Sql,
  table: 'tokens' | 'sessions',
  { accountId, id, holder }: OfAccount & { readonly id: string },
): boolean {
  const removed = sql.all(
    `DELETE FROM ${table} WHERE account_id = ? AND id = ? AND ${HOLDER_CONDITION} RETURNING id`,
    accountId,
    id,
    ...holderFilter(holder),
  );
  return removed.length > 0;
}

/** The calls over a database with DIRECTORY_SCHEMA. */
export function createSignInCalls(sql: Sql): TokenCalls & SessionCalls {
  return { ...createTokenCalls(sql), ...createSessionCalls(sql) };
}

/**
 * The holder as it is now: the role of the member, and whether member and account
 * are in use.
 */
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
    FROM ${table} AS h LEFT JOIN members AS m ON m.id = h.member_id
    LEFT JOIN accounts AS a ON a.id = h.account_id
    WHERE h.digest = ?`;
}

/**
 * Null when account or member is not in use any more. The accounts of the settings
 * have no row.
 */
function withLiveRole<Kind extends Holder>(holder: Kind, row: LiveRow): Kind | null {
  if (row.in_use === 0) return null;
  if (holder.memberId === null) return holder;
  return row.member_in_use === 1 ? { ...holder, role: row.live_role as Role } : null;
}

function createTokenCalls(sql: Sql): TokenCalls {
  return {
    getToken({ digest, nowMs }) {
      const [row] = sql.all<TokenRow & LiveRow>(liveSelect('tokens', TOKEN_COLUMNS), digest);
      if (row === undefined || (row.expires_at_ms !== null && row.expires_at_ms <= nowMs))
        return null;
      return withLiveRole(decodeToken(row), row);
    },
    addToken({ digest, token }) {
      sql.all(
        `INSERT INTO tokens (digest, ${TOKEN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (digest) DO NOTHING`,
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
        `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE account_id = ? AND id < ? AND ${HOLDER_CONDITION}
         ORDER BY id DESC LIMIT ${PLAN_ONCE} ?`,
        accountId,
        before || AFTER_ALL_IDS,
        ...holderFilter(holder),
        limit,
      );
      return rows.map(decodeToken);
    },
    removeToken: (named) => removeCredential(sql, 'tokens', named),
  };
}

function createSessionCalls(sql: Sql): SessionCalls {
  return {
    getSession({ digest, nowMs }) {
      const [row] = sql.all<SessionRow & LiveRow>(liveSelect('sessions', SESSION_COLUMNS), digest);
      return row === undefined || row.expires_at_ms <= nowMs
        ? null
        : withLiveRole(decodeSession(row), row);
    },
    addSession({ digest, session }) {
      sql.all(
        `DELETE FROM sessions WHERE digest IN
         (SELECT digest FROM sessions
          WHERE expires_at_ms < ? ORDER BY expires_at_ms LIMIT ${PLAN_ONCE} ?)`,
        session.createdAtMs,
        ROWS_FORGOTTEN_AT_ONCE,
      );
      sql.all(
        `INSERT INTO sessions (digest, ${SESSION_COLUMNS})
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (digest) DO NOTHING`,
        digest,
        session.id,
        session.label,
        session.createdAtMs,
        session.expiresAtMs,
        session.provenAtMs,
        session.source,
        session.lastUsedMs,
        ...holderValues(session),
      );
      sql.all(
        `DELETE FROM sessions WHERE digest IN (
           SELECT digest FROM sessions
           WHERE account_id = ? AND coalesce(access_key_id, member_id, '') = ?
           ORDER BY id DESC LIMIT ${PLAN_ONCE} ? OFFSET ${PLAN_ONCE} ?)`,
        session.accountId,
        session.accessKeyId ?? session.memberId ?? '',
        ROWS_FORGOTTEN_AT_ONCE,
        SESSIONS_MAX,
      );
    },
    listSessions({ accountId, holder, before, limit, nowMs }) {
      const rows = sql.all<SessionRow>(
        `SELECT ${SESSION_COLUMNS} FROM sessions
         WHERE account_id = ? AND id < ? AND expires_at_ms > ? AND ${HOLDER_CONDITION}
         ORDER BY id DESC LIMIT ${PLAN_ONCE} ?`,
        accountId,
        before || AFTER_ALL_IDS,
        nowMs,
        ...holderFilter(holder),
        limit,
      );
      return rows.map(decodeSession);
    },
    removeSession: (named) => removeCredential(sql, 'sessions', named),
    noteSessionUsed({ accountId, id, atMs }) {
      const update =
        'UPDATE sessions SET last_used_ms = ?1 ' +
        'WHERE account_id = ?2 AND id = ?3 AND last_used_ms < ?1';
      sql.all(update, atMs, accountId, id);
    },
    noteProof({ accountId, id, atMs }) {
      const update =
        'UPDATE sessions SET proven_at_ms = max(proven_at_ms, ?) WHERE account_id = ? AND id = ?';
      sql.all(update, atMs, accountId, id);
    },
    removeSessions({ holder, exceptId }) {
      return sql.all(
        `DELETE FROM sessions
         WHERE account_id = ? AND id <> ? AND member_id IS ? AND access_key_id IS ? RETURNING id`,
        holder.accountId,
        exceptId ?? '',
        holder.memberId,
        holder.accessKeyId,
      ).length;
    },
  };
}

function holderValues({ accountId, role, memberId, accessKeyId, credentialDigest }: Holder) {
  return [accountId, role, memberId, accessKeyId, credentialDigest] as const;
}

function decodeHolder(row: HolderRow): Holder {
  return {
    accountId: row.account_id as AccountId,
    role: row.role as Role,
    memberId: row.member_id,
    accessKeyId: row.access_key_id as AccessKeyId | null,
    credentialDigest: row.credential_digest,
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
  const { id, label, source } = row;
  const times = {
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    provenAtMs: row.proven_at_ms,
    lastUsedMs: row.last_used_ms,
  };
  return { ...decodeHolder(row), id, label, source, ...times };
}
