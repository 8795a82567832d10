// Members of accounts: a part of the directory. Plain synchronous code over a SQL port;
// directory-index.ts makes each call atomic. Passwords come as hashes.

import type { EndedCredentials, MemberRecord } from '../../domain/account-records.ts';
import type { Role } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { AccountsApi } from '../../ports/directory-calls/account-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { isRepeated } from './accounts.ts';

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

export function createMemberCalls(sql: Sql): MemberCalls {
  const rowOf = (accountId: AccountId, id: string) => {
    const [row] = sql.all<MemberRow>(
      `SELECT ${MEMBER_COLUMNS} FROM members WHERE id = ? AND account_id = ?`,
      id,
      accountId,
    );
    return row ?? null;
  };
  const end = (table: 'sessions' | 'tokens', { accountId, id }: Owned, exceptId: string) =>
    sql.all(
      `DELETE FROM ${table} WHERE account_id = ? AND member_id = ? AND id <> ? RETURNING id`,
      accountId,
      id,
      exceptId,
    ).length;
  return {
    getMember({ accountId, id }) {
      const row = rowOf(accountId, id);
      return row === null ? null : decodeMember(row);
    },
    listMembers: ({ accountId, after, limit }) =>
      sql
        .all<MemberRow>(
          `SELECT ${MEMBER_COLUMNS} FROM members WHERE account_id = ? AND id > ? ORDER BY id LIMIT 0 + ?`,
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
      // The operator's own account, and those of the seed, have no row; they are always in use.
      if (row === undefined || row.in_use === 0) return null;
      return { ...decodeMember(row), passwordHash: row.password };
    },
    addMember({ member, passwordHash }) {
      const [holder] = sql.all<{ id: string }>(
        'SELECT id FROM members WHERE login = ?',
        member.login,
      );
      if (holder?.id === member.id) return;
      if (holder !== undefined) throw new StorageError('LoginTaken');
      sql.all(
        `INSERT INTO members (${MEMBER_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[
          member.id,
          member.accountId,
          member.login,
          member.displayName,
          member.role,
          member.isEnabled ? 1 : 0,
        ],
        ...[passwordHash, member.createdAtMs, member.revision],
      );
    },
    updateMember({
      accountId,
      id,
      revision,
      displayName,
      role,
      isEnabled,
      passwordHash,
      endTokens,
    }) {
      const found = rowOf(accountId, id);
      if (found === null) throw new StorageError('NoSuchMember');
      const password = passwordHash ?? found.password;
      const changes = { display_name: displayName, role, is_enabled: isEnabled ? 1 : 0, password };
      const wanted = { ...found, ...changes, revision: revision + 1 };
      if (isRepeated(found, wanted)) return { member: decodeMember(found), ended: NONE_ENDED };
      if (found.revision !== revision) throw new StorageError('PreconditionFailed');
      sql.all(
        'UPDATE members SET display_name = ?, role = ?, is_enabled = ?, password = ?, revision = ? WHERE id = ?',
        ...[displayName, role, wanted.is_enabled, password, wanted.revision, id],
      );
      const isOtherPassword = password !== found.password;
      const ended = {
        sessions: !isEnabled || isOtherPassword ? end('sessions', { accountId, id }, '') : 0,
        tokens: isOtherPassword && endTokens ? end('tokens', { accountId, id }, '') : 0,
      };
      return { member: decodeMember(wanted), ended };
    },
    setPassword({ accountId, id, passwordHash, exceptId, endTokens }) {
      const found = rowOf(accountId, id);
      if (found === null) throw new StorageError('NoSuchMember');
      // A hash has a salt of its own, so the same one is the same change, sent again.
      if (found.password !== passwordHash) {
        sql.all(
          'UPDATE members SET password = ?, revision = revision + 1 WHERE id = ?',
          passwordHash,
          id,
        );
      }
      return {
        sessions: end('sessions', { accountId, id }, exceptId ?? ''),
        tokens: endTokens ? end('tokens', { accountId, id }, '') : 0,
      };
    },
    removeMember({ accountId, id }) {
      const gone = sql.all(
        'DELETE FROM members WHERE id = ? AND account_id = ? RETURNING id',
        id,
        accountId,
      );
      if (gone.length === 0) return false;
      for (const table of ['sessions', 'tokens', 'passkeys']) {
        sql.all(`DELETE FROM ${table} WHERE account_id = ? AND member_id = ?`, accountId, id);
      }
      return true;
    },
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
