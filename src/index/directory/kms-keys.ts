// KMS keys, which come wrapped by the master key: a part of the directory. Plain
// synchronous code over a SQL port; directory-index.ts makes each call atomic.

import type { AccountId } from '../../domain/nouns.ts';
import type { DirectoryApi, KmsKey } from '../../ports/directory.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

type KmsKeyCalls = Pick<DirectoryApi, 'getKmsKey' | 'listKmsKeys' | 'addKmsKey' | 'changeKmsKey'>;

/** The calls over a database with DIRECTORY_SCHEMA. */
export function createKmsKeyCalls(sql: Sql): KmsKeyCalls {
  return {
    getKmsKey: ({ id }) => readKmsKey(sql, id),

    listKmsKeys({ after, limit }) {
      const rows = sql.all<KmsKeyRow>(
        `SELECT ${KMS_KEY_COLUMNS} FROM named_keys WHERE id > ? ORDER BY id LIMIT ${PLAN_ONCE} ?`,
        after,
        limit,
      );
      return rows.map(decodeKmsKey);
    },

    addKmsKey({ key }) {
      sql.all(
        `INSERT INTO named_keys (id, wrapped_key, is_enabled, created_at_ms, account_ids)
         VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id) DO NOTHING`,
        key.id,
        key.wrappedKey,
        key.isEnabled ? 1 : 0,
        key.createdAtMs,
        encodeAccountIds(key),
      );
      return readKmsKey(sql, key.id) ?? key;
    },

    changeKmsKey({ id, change }) {
      const key = readKmsKey(sql, id);
      if (key === null) return null;
      const next = { ...key, ...change };
      sql.all(
        'UPDATE named_keys SET is_enabled = ?, account_ids = ? WHERE id = ?',
        next.isEnabled ? 1 : 0,
        encodeAccountIds(next),
        id,
      );
      return next;
    },
  };
}

type KmsKeyRow = {
  readonly id: string;
  readonly wrapped_key: string;
  readonly is_enabled: number;
  readonly created_at_ms: number;
  readonly account_ids: string | null;
};
const KMS_KEY_COLUMNS = 'id, wrapped_key, is_enabled, created_at_ms, account_ids';

function readKmsKey(sql: Sql, id: string): KmsKey | null {
  const [row] = sql.all<KmsKeyRow>(`SELECT ${KMS_KEY_COLUMNS} FROM named_keys WHERE id = ?`, id);
  return row === undefined ? null : decodeKmsKey(row);
}

function decodeKmsKey(row: KmsKeyRow): KmsKey {
  return {
    id: row.id,
    wrappedKey: row.wrapped_key,
    isEnabled: row.is_enabled === 1,
    createdAtMs: row.created_at_ms,
    accountIds: row.account_ids === null ? null : (JSON.parse(row.account_ids) as AccountId[]),
  };
}

function encodeAccountIds({ accountIds }: KmsKey): string | null {
  return accountIds === null ? null : JSON.stringify(accountIds);
}
