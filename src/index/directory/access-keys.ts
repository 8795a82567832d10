// Access keys of accounts and members: a part of the directory. Plain synchronous
// code over a SQL port; directory-index.ts makes each call atomic. Secrets are
// stored as they come: encrypted by core, or plain when an old program wrote them.

import type { AccessKeyRecord, KeyScope, StoredAccessKey } from '../../domain/account-records.ts';
import { MEMBER_KEY_PREFIX, type Role } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccessKeyId, AccountId } from '../../domain/nouns.ts';
import type { AccountsApi } from '../../ports/directory-calls/account-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { isSameRecord } from './accounts.ts';
import { forgetPreferences } from './preferences.ts';

type KeyCalls = Pick<
  AccountsApi,
  | 'getAccessKey'
  | 'listAccessKeys'
  | 'findAccessKeyRecord'
  | 'addAccessKey'
  | 'updateAccessKey'
  | 'removeAccessKey'
  | 'encryptAccessKey'
  | 'noteKeyUsed'
>;

type KeyRow = {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly scope: string | null;
  readonly role: string | null;
  readonly created_at_ms: number;
  readonly expires_at_ms: number | null;
  readonly is_enabled: number;
  readonly last_used_ms: number | null;
  readonly revision: number;
};
const KEY_COLUMNS = `id, account_id, name, scope, role, created_at_ms, expires_at_ms, is_enabled,
  last_used_ms, revision`;

/**
 * The key that a member has by being one (core/auth/member-key.ts): its secret is
 * not stored.
 */
function keyOfMember(sql: Sql, id: AccessKeyId): StoredAccessKey | null {
  const [row] = sql.all<{
    account_id: string;
    role: string;
    is_enabled: number;
    name: string | null;
    in_use: number | null;
  }>(
    `SELECT m.account_id, m.role, m.is_enabled, a.display_name AS name, a.is_enabled AS in_use
     FROM members AS m LEFT JOIN accounts AS a ON a.id = m.account_id WHERE m.id = ?`,
    id.slice(MEMBER_KEY_PREFIX.length),
  );
  if (row === undefined) return null;
  const account = { id: row.account_id as AccountId, displayName: row.name ?? '' };
  const isEnabled = row.is_enabled === 1 && row.in_use !== 0;
  return {
    id,
    secret: '',
    isEncrypted: false,
    account,
    scope: null,
    role: row.role as Role,
    expiresAtMs: null,
    isEnabled,
  };
}

/** The calls over a database with DIRECTORY_SCHEMA. */
export function createAccessKeyCalls(sql: Sql): KeyCalls {
  return {
    getAccessKey({ id }) {
      return id.startsWith(MEMBER_KEY_PREFIX) ? keyOfMember(sql, id) : readAccessKey(sql, id);
    },

    findAccessKeyRecord: ({ accountId, id }) => readRecord(sql, accountId, id),

    listAccessKeys: ({ accountId, after, limit }) =>
      sql
        .all<KeyRow>(
          `SELECT ${KEY_COLUMNS} FROM access_keys WHERE account_id = ? AND id > ?
           ORDER BY id LIMIT ${PLAN_ONCE} ?`,
          accountId,
          after,
          limit,
        )
        .map(decodeKey),

    addAccessKey: (input) => addAccessKey(sql, input),
    updateAccessKey: (input) => updateAccessKey(sql, input),

    removeAccessKey({ accountId, id }) {
      const removed = sql.all(
        'DELETE FROM access_keys WHERE id = ? AND account_id = ? RETURNING id',
        id,
        accountId,
      );
      if (removed.length === 0) return false;
      endCredentials(sql, id);
      forgetPreferences(sql, accountId, `key ${id}`);
      return true;
    },

    encryptAccessKey({ id, plain, encrypted }) {
      sql.all(
        `UPDATE access_keys SET secret = ?, is_sealed = 1
         WHERE id = ? AND is_sealed = 0 AND secret = ?`,
        encrypted,
        id,
        plain,
      );
    },

    noteKeyUsed({ id, atMs }) {
      sql.all(
        `UPDATE access_keys SET last_used_ms = ?
         WHERE id = ? AND (last_used_ms IS NULL OR last_used_ms < ?)`,
        atMs,
        id,
        atMs,
      );
    },
  };
}

type StoredKeyRow = KeyRow & {
  readonly secret: string;
  readonly is_sealed: number;
  readonly display_name: string | null;
  readonly in_use: number | null;
};

/** Reads a key that somebody made, with its account. Contract: `AccountsApi.getAccessKey`. */
function readAccessKey(sql: Sql, id: AccessKeyId): StoredAccessKey | null {
  const [row] = sql.all<StoredKeyRow>(
    // The operator's own account and those of the seed have no row: they are always
    // in use.
    `SELECT k.*, a.display_name, a.is_enabled AS in_use
     FROM access_keys AS k LEFT JOIN accounts AS a ON a.id = k.account_id WHERE k.id = ?`,
    id,
  );
  if (row === undefined) return null;
  const { scope, role, expiresAtMs, isEnabled } = decodeKey(row);
  return {
    id,
    secret: row.secret,
    isEncrypted: row.is_sealed === 1,
    account: { id: row.account_id as AccountId, displayName: row.display_name ?? '' },
    scope,
    role,
    expiresAtMs,
    isEnabled: isEnabled && row.in_use !== 0,
  };
}

function readRecord(sql: Sql, accountId: AccountId, id: AccessKeyId): AccessKeyRecord | null {
  const [row] = sql.all<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM access_keys WHERE id = ? AND account_id = ?`,
    id,
    accountId,
  );
  return row === undefined ? null : decodeKey(row);
}

function addAccessKey(
  sql: Sql,
  { key, encryptedSecret }: Parameters<AccountsApi['addAccessKey']>[0],
): void {
  sql.all(
    `INSERT INTO access_keys (${KEY_COLUMNS}, secret, is_sealed)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
     ON CONFLICT (id) DO NOTHING`,
    key.id,
    key.accountId,
    key.name,
    encodeScope(key.scope),
    key.role,
    key.createdAtMs,
    key.expiresAtMs,
    key.isEnabled ? 1 : 0,
    key.lastUsedMs,
    key.revision,
    encryptedSecret,
  );
}

function updateAccessKey(
  sql: Sql,
  input: Parameters<AccountsApi['updateAccessKey']>[0],
): AccessKeyRecord {
  const { accountId, id, revision, name, scope, expiresAtMs, isEnabled } = input;
  const record = readRecord(sql, accountId, id);
  if (record === null) throw new StorageError('NoSuchAccessKey');

  const next = { ...record, name, scope, expiresAtMs, isEnabled, revision: revision + 1 };
  if (isSameRecord(record, next)) return record;
  if (record.revision !== revision) throw new StorageError('PreconditionFailed');

  sql.all(
    `UPDATE access_keys SET name = ?, scope = ?, expires_at_ms = ?, is_enabled = ?, revision = ?
     WHERE id = ?`,
    name,
    encodeScope(scope),
    expiresAtMs,
    isEnabled ? 1 : 0,
    next.revision,
    id,
  );
  if (!isEnabled || scope !== null) endCredentials(sql, id);
  return next;
}

/** Ends what signed in by the key. */
function endCredentials(sql: Sql, id: AccessKeyId): void {
  for (const table of ['sessions', 'tokens'])
    sql.all(`DELETE FROM ${table} WHERE access_key_id = ?`, id);
}

function encodeScope(scope: KeyScope | null): string | null {
  return scope === null ? null : JSON.stringify(scope);
}

function decodeKey(row: KeyRow): AccessKeyRecord {
  return {
    id: row.id as AccessKeyId,
    accountId: row.account_id as AccountId,
    name: row.name,
    scope: row.scope === null ? null : (JSON.parse(row.scope) as KeyScope),
    role: row.role as Role | null,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    isEnabled: row.is_enabled === 1,
    lastUsedMs: row.last_used_ms,
    revision: row.revision,
  };
}
