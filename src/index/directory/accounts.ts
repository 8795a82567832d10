// Accounts: a part of the directory. Plain synchronous code over a SQL port;
// directory-index.ts makes each call atomic.
import type { AccountRecord } from '../../domain/account-records.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { DirectoryApi } from '../../ports/directory.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { endWebhooks } from './webhooks.ts';

type AccountCalls = Pick<
  DirectoryApi,
  | 'getAccounts'
  | 'putAccount'
  | 'listAccounts'
  | 'getAccount'
  | 'addAccount'
  | 'updateAccount'
  | 'removeAccount'
>;

type AccountRow = {
  readonly id: string;
  readonly display_name: string;
  readonly created_at_ms: number;
  readonly is_enabled: number;
  readonly revision: number;
};
const ACCOUNT_COLUMNS = 'id, display_name, created_at_ms, is_enabled, revision';

/** Tables whose rows go with their account. */
const TABLES_OF_ACCOUNT = [
  'access_keys',
  'members',
  'tokens',
  'sessions',
  'passkeys',
  'account_jobs',
  'invitations',
  'preferences',
  'billing_progress',
] as const;

/** The calls over a database with DIRECTORY_SCHEMA. */
export function createAccountCalls(sql: Sql): AccountCalls {
  const read = (id: AccountId) => {
    const [row] = sql.all<AccountRow>(`SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE id = ?`, id);
    return row === undefined ? null : decodeAccount(row);
  };
  return {
    getAccount: ({ id }) => read(id),
    listAccounts: ({ after, limit }) =>
      sql
        .all<AccountRow>(
          `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE id > ? ORDER BY id LIMIT ${PLAN_ONCE} ?`,
          after,
          limit,
        )
        .map(decodeAccount),
    addAccount({ account }) {
      sql.all(
        `INSERT INTO accounts (${ACCOUNT_COLUMNS}) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id) DO NOTHING`,
        account.id,
        account.displayName,
        account.createdAtMs,
        account.isEnabled ? 1 : 0,
        account.revision,
      );
    },
    updateAccount({ id, revision, displayName, isEnabled }) {
      const record = read(id);
      if (record === null) throw new StorageError('NoSuchAccount');
      const next = { ...record, displayName, isEnabled, revision: revision + 1 };
      if (isSameRecord(record, next)) return record;
      if (record.revision !== revision) throw new StorageError('PreconditionFailed');
      sql.all(
        'UPDATE accounts SET display_name = ?, is_enabled = ?, revision = ? WHERE id = ?',
        displayName,
        isEnabled ? 1 : 0,
        next.revision,
        id,
      );
      if (!isEnabled) sql.all('DELETE FROM sessions WHERE account_id = ?', id);
      return next;
    },
    removeAccount({ id }) {
      if (read(id) === null) throw new StorageError('NoSuchAccount');
      if (sql.all('SELECT 1 FROM owned_buckets WHERE owner_id = ? LIMIT 1', id).length > 0) {
        throw new StorageError('AccountNotEmpty');
      }
      for (const table of TABLES_OF_ACCOUNT) {
        sql.all(`DELETE FROM ${table} WHERE account_id = ?`, id);
      }
      // What came since they were ended before.
      endWebhooks(sql, id);
      sql.all('DELETE FROM accounts WHERE id = ?', id);
    },
    getAccounts({ ids }) {
      const rows = sql.all<{ id: string; display_name: string }>(
        'SELECT id, display_name FROM accounts WHERE id IN (SELECT value FROM json_each(?))',
        JSON.stringify(ids),
      );
      return rows.map((row) => ({ id: row.id as AccountId, displayName: row.display_name }));
    },
    putAccount({ account, keys }) {
      sql.all(
        `INSERT INTO accounts (id, display_name) VALUES (?, ?)
         ON CONFLICT (id) DO UPDATE SET display_name = excluded.display_name`,
        account.id,
        account.displayName,
      );
      sql.all('DELETE FROM access_keys WHERE account_id = ?', account.id);
      for (const key of keys) {
        sql.all(
          'INSERT OR REPLACE INTO access_keys (id, secret, account_id) VALUES (?, ?, ?)',
          key.id,
          key.secret,
          account.id,
        );
      }
    },
  };
}

/**
 * Whether two records are equal: then a change that was sent twice has been made
 * already.
 */
export function isSameRecord(record: object, next: object): boolean {
  return JSON.stringify(record) === JSON.stringify(next);
}

function decodeAccount(row: AccountRow): AccountRecord {
  return {
    id: row.id as AccountId,
    displayName: row.display_name,
    createdAtMs: row.created_at_ms,
    isEnabled: row.is_enabled === 1,
    revision: row.revision,
  };
}
