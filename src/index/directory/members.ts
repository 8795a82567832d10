// Members of accounts: a part of the directory. Plain synchronous code over a SQL
// port; directory-index.ts makes each call atomic. Passwords come as hashes.

import type { EndedCredentials, MemberRecord } from '../../domain/account-records.ts';
import type { Role } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { AccountsApi } from '../../ports/directory-calls/account-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { isSameRecord } from './accounts.ts';
import { forgetPreferences } from './preferences.ts';

type MemberCalls = Pick<
  AccountsApi,
  | 'listMembers'
  | 'getMember'
  | 'findLogin'
  | 'addMember'
  | 'updateMember'
  | 'setPassword'
  | 'removeMember'
>;

type MemberRow = {
  readonly id: string;
  readonly account_id: string;
  readonly login: string;
  readonly display_name: string;
  readonly role: string;
  readonly is_enabled: number;
  readonly password: string | null;
  readonly created_at_ms: number;
  readonly revision: number;
};
const MEMBER_COLUMNS =
  'id, account_id, login, display_name, role, is_enabled, password, created_at_ms, revision';

type Owned = Pick<MemberRecord, 'accountId' | 'id'>;

const NONE_ENDED: EndedCredentials = { sessions: 0, tokens: 0 };

/** The calls over a database with DIRECTORY_SCHEMA. */
export function createMemberCalls(sql: Sql): MemberCalls {
  return {
    getMember({ accountId, id }) {
      const row = readMemberRow(sql, accountId, id);
      return row === null ? null : decodeMember(row);
    },

    listMembers: ({ accountId, after, limit }) =>
      sql
        .all<MemberRow>(
          `SELECT ${MEMBER_COLUMNS} FROM members WHERE account_id = ? AND id > ?
           ORDER BY id LIMIT ${PLAN_ONCE} ?`,
          accountId,
          after,
          limit,
        )
        .map(decodeMember),

    findLogin({ login }) {
      const [row] = sql.all<MemberRow & { in_use: number | null }>(
        `SELECT m.*, (SELECT a.is_enabled FROM accounts AS a WHERE a.id = m.account_id) AS in_use
         FROM members AS m WHERE m.login = ?`,
        login,
      );
      // The operator's own account, and those of the seed, have no row; they are
      // always in use.
      if (row === undefined || row.in_use === 0) return null;
      return { ...decodeMember(row), passwordHash: row.password };
    },

    addMember: (input) => addMember(sql, input),
    updateMember: (input) => updateMember(sql, input),
    setPassword: (input) => setPassword(sql, input),

    removeMember({ accountId, id }) {
      const removed = sql.all(
        'DELETE FROM members WHERE id = ? AND account_id = ? RETURNING id',
        id,
        accountId,
      );
      if (removed.length === 0) return false;
      for (const table of ['sessions', 'tokens', 'passkeys']) {
        sql.all(`DELETE FROM ${table} WHERE account_id = ? AND member_id = ?`, accountId, id);
      }
      forgetPreferences(sql, accountId, `member ${id}`);
      return true;
    },
  };
}

function readMemberRow(sql: Sql, accountId: AccountId, id: string): MemberRow | null {
  const [row] = sql.all<MemberRow>(
    `SELECT ${MEMBER_COLUMNS} FROM members WHERE id = ? AND account_id = ?`,
    id,
    accountId,
  );
  return row ?? null;
}

/**
 * Ends all sessions or tokens of a member but one; '' excepts none. Gives how many.
 */
function endCredentials(
  sql: Sql,
  table: 'sessions' | 'tokens',
  { accountId, id }: Owned,
  exceptId: string,
): number {
  return sql.all(
    `DELETE FROM ${table} WHERE account_id = ? AND member_id = ? AND id <> ? RETURNING id`,
    accountId,
    id,
    exceptId,
  ).length;
}

function addMember(
  sql: Sql,
  { member, passwordHash }: Parameters<AccountsApi['addMember']>[0],
): void {
  const [holder] = sql.all<{ id: string }>('SELECT id FROM members WHERE login = ?', member.login);
  if (holder?.id === member.id) return;
  if (holder !== undefined) throw new StorageError('LoginTaken');
  sql.all(
    `INSERT INTO members (${MEMBER_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    member.id,
    member.accountId,
    member.login,
    member.displayName,
    member.role,
    member.isEnabled ? 1 : 0,
    passwordHash,
    member.createdAtMs,
    member.revision,
  );
}

function updateMember(
  sql: Sql,
  input: Parameters<AccountsApi['updateMember']>[0],
): ReturnType<AccountsApi['updateMember']> {
  const { accountId, id, revision, displayName, role, isEnabled, passwordHash, endTokens } = input;
  const row = readMemberRow(sql, accountId, id);
  if (row === null) throw new StorageError('NoSuchMember');

  const password = passwordHash ?? row.password;
  const changes = { display_name: displayName, role, is_enabled: isEnabled ? 1 : 0, password };
  const next = { ...row, ...changes, revision: revision + 1 };
  if (isSameRecord(row, next)) return { member: decodeMember(row), ended: NONE_ENDED };
  if (row.revision !== revision) throw new StorageError('PreconditionFailed');

  sql.all(
    `UPDATE members SET display_name = ?, role = ?, is_enabled = ?, password = ?, revision = ?
     WHERE id = ?`,
    displayName,
    role,
    next.is_enabled,
    password,
    next.revision,
    id,
  );
  const isOtherPassword = password !== row.password;
  const endsSessions = !isEnabled || isOtherPassword;
  const endsTokens = isOtherPassword && endTokens;
  const ended = {
    sessions: endsSessions ? endCredentials(sql, 'sessions', { accountId, id }, '') : 0,
    tokens: endsTokens ? endCredentials(sql, 'tokens', { accountId, id }, '') : 0,
  };
  return { member: decodeMember(next), ended };
}

function setPassword(
  sql: Sql,
  { accountId, id, passwordHash, exceptId, endTokens }: Parameters<AccountsApi['setPassword']>[0],
): EndedCredentials {
  const row = readMemberRow(sql, accountId, id);
  if (row === null) throw new StorageError('NoSuchMember');
  // Each hash has a salt of its own, so an equal one is this change, sent again.
  if (row.password !== passwordHash) {
    sql.all(
      'UPDATE members SET password = ?, revision = revision + 1 WHERE id = ?',
      passwordHash,
      id,
    );
  }
  return {
    sessions: endCredentials(sql, 'sessions', { accountId, id }, exceptId ?? ''),
    tokens: endTokens ? endCredentials(sql, 'tokens', { accountId, id }, '') : 0,
  };
}

function decodeMember(row: MemberRow): MemberRecord {
  return {
    id: row.id,
    accountId: row.account_id as AccountId,
    login: row.login,
    displayName: row.display_name,
    role: row.role as Role,
    isEnabled: row.is_enabled === 1,
    hasPassword: row.password !== null,
    createdAtMs: row.created_at_ms,
    revision: row.revision,
  };
}
