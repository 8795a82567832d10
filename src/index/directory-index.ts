// The directory: accounts, access keys, which account owns which bucket names, the host names of buckets, and named keys,
// as plain synchronous code over a SQL port, like the bucket index. Secrets of access keys and named keys come sealed;
// `putAccount` of old keeps them as they are, until core seals them.
import type { DirectoryApi, HostBinding, NamedKey } from '../ports/directory.ts';
import type { AccountId, BucketId, BucketName } from '../ports/domain.ts';
import { StorageError } from '../ports/errors.ts';
import type { Sql } from '../ports/sql.ts';
import { createAccessKeyCalls, createAccountCalls } from './accounts.ts';
import { createAuditCalls } from './audit.ts';
import { createBillingCalls } from './billing.ts';
import { inTransactions } from './bucket-index.ts';
import { firstBehind, prefixEnd } from './key-order.ts';
import { createMemberCalls } from './members.ts';
import { createOutboxCalls } from './outbox.ts';
import { createPasskeyCalls } from './passkeys.ts';
import { createSignInCalls } from './sign-in.ts';
import { createWebhookCalls } from './webhooks.ts';

/** Queries of one statement, which is atomic by itself. */
const SINGLE_STATEMENT: ReadonlySet<string> = new Set<keyof DirectoryApi>([
  'getAccessKey',
  'getAccounts',
  'listBuckets',
  'listBucketNames',
  'getSweepTurn',
  'getHost',
  'getNamedKey',
  'listNamedKeys',
  'listAccounts',
  'getAccount',
  'listAccessKeys',
  'findAccessKeyRecord',
  'listMembers',
  'getMember',
  'findLogin',
  'listAudit',
  'listPasskeys',
  'getToken',
  'getSession',
  'listTokens',
  'listSessions',
  'getRateCard',
  'listRateCards',
  'getInvoice',
  'listInvoices',
  'listBilledAccounts',
  'getClosing',
  'getUsageTold',
  'listWebhookAccounts',
  'getPushTarget',
  'listPushTargets',
]);

/** The calls over a database whose tables `migrate(sql, DIRECTORY_SCHEMA)` made. Each is atomic. */
export function createDirectoryIndex(sql: Sql): DirectoryApi {
  const calls: DirectoryApi = {
    ...createAccountCalls(sql),
    ...createAccessKeyCalls(sql),
    ...createMemberCalls(sql),
    ...createAuditCalls(sql),
    ...createPasskeyCalls(sql),
    ...createSignInCalls(sql),
    ...createBillingCalls(sql),
    ...createOutboxCalls(sql),
    ...createWebhookCalls(sql),

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

    listBuckets({ ownerId, prefix, after, limit }) {
      const rows = sql.all<{ name: string; created_at_ms: number }>(
        `SELECT name, created_at_ms FROM owned_buckets
         WHERE owner_id = ? AND name >= ? AND name < ? ORDER BY name LIMIT 0 + ?`,
        ownerId,
        firstBehind(prefix, after),
        prefixEnd(prefix),
        limit,
      );
      return rows.map((row) => ({ name: row.name as BucketName, createdAtMs: row.created_at_ms }));
    },

    listBucketNames({ after, limit }) {
      const rows = sql.all<{ name: string }>(
        'SELECT name FROM bucket_names WHERE name > ? ORDER BY name LIMIT 0 + ?',
        after,
        limit,
      );
      return rows.map((row) => row.name as BucketName);
    },

    addBucket({ ownerId, name, createdAtMs }) {
      // OR REPLACE: a note that an interrupted delete left behind has the time of a bucket that is gone.
      sql.all(
        'INSERT OR REPLACE INTO owned_buckets (owner_id, name, created_at_ms) VALUES (?, ?, ?)',
        ownerId,
        name,
        createdAtMs,
      );
      sql.all(
        `INSERT INTO bucket_names (name, added_at_ms) VALUES (?, ?)
         ON CONFLICT (name) DO UPDATE SET added_at_ms = max(added_at_ms, excluded.added_at_ms)`,
        name,
        createdAtMs,
      );
    },

    removeBucket({ ownerId, name, createdAtMs }) {
      // The same account may have made the bucket anew since the old one went from its index.
      sql.all(
        'DELETE FROM owned_buckets WHERE owner_id = ? AND name = ? AND created_at_ms <= ?',
        ownerId,
        name,
        createdAtMs,
      );
    },

    forgetBucketName({ name, addedBeforeMs }) {
      // An owner's note that is left is the trace of an interrupted create: no bucket has the name.
      sql.all('DELETE FROM owned_buckets WHERE name = ? AND created_at_ms < ?', name, addedBeforeMs);
      sql.all('DELETE FROM bucket_names WHERE name = ? AND added_at_ms < ?', name, addedBeforeMs);
    },

    getSweepTurn() {
      const [row] = sql.all<{ started_at_ms: number; after: string | null }>(
        'SELECT started_at_ms, after FROM sweep_turn WHERE id = 0',
      );
      return row === undefined ? null : { startedAtMs: row.started_at_ms, after: row.after };
    },

    setSweepTurn({ startedAtMs, after }) {
      sql.all('INSERT OR REPLACE INTO sweep_turn (id, started_at_ms, after) VALUES (0, ?, ?)', startedAtMs, after);
    },

    getHost: ({ host }) => readHost(sql, host),

    getNamedKey: ({ id }) => readNamedKey(sql, id),

    listNamedKeys({ after, limit }) {
      const rows = sql.all<NamedKeyRow>(
        `SELECT ${NAMED_KEY_COLUMNS} FROM named_keys WHERE id > ? ORDER BY id LIMIT 0 + ?`,
        after,
        limit,
      );
      return rows.map(decodeNamedKey);
    },

    addNamedKey({ key }) {
      sql.all(
        `INSERT INTO named_keys (id, wrapped_key, is_enabled, created_at_ms, account_ids) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id) DO NOTHING`,
        key.id,
        key.wrappedKey,
        key.isEnabled ? 1 : 0,
        key.createdAtMs,
        encodeAccountIds(key),
      );
      return readNamedKey(sql, key.id) ?? key;
    },

    changeNamedKey({ id, change }) {
      const found = readNamedKey(sql, id);
      if (found === null) return null;
      const next = { ...found, ...change };
      sql.all(
        'UPDATE named_keys SET is_enabled = ?, account_ids = ? WHERE id = ?',
        next.isEnabled ? 1 : 0,
        encodeAccountIds(next),
        id,
      );
      return next;
    },

    bindHosts({ bucket, domains, mayTake }) {
      for (const { host } of domains) {
        const holder = readHost(sql, host);
        if (holder === null || holder.bucketId === bucket.id) continue;
        if (mayTake.some((taken) => taken.host === host && taken.bucketId === holder.bucketId)) continue;
        throw new StorageError('DomainAlreadyBound', { fields: { Domain: host } });
      }
      sql.all('DELETE FROM hosts WHERE bucket_id = ?', bucket.id);
      for (const { host, prefix } of domains) {
        sql.all(
          'INSERT OR REPLACE INTO hosts (host, bucket, bucket_id, prefix) VALUES (?, ?, ?, ?)',
          host,
          bucket.name,
          bucket.id,
          prefix,
        );
      }
    },
  };
  return inTransactions(sql, calls, SINGLE_STATEMENT);
}

function readHost(sql: Sql, host: string): HostBinding | null {
  const [row] = sql.all<{ bucket: string; bucket_id: string; prefix: string }>(
    'SELECT bucket, bucket_id, prefix FROM hosts WHERE host = ?',
    host,
  );
  if (row === undefined) return null;
  return { host, bucket: row.bucket as BucketName, bucketId: row.bucket_id as BucketId, prefix: row.prefix };
}

type NamedKeyRow = {
  readonly id: string;
  readonly wrapped_key: string;
  readonly is_enabled: number;
  readonly created_at_ms: number;
  readonly account_ids: string | null;
};
const NAMED_KEY_COLUMNS = 'id, wrapped_key, is_enabled, created_at_ms, account_ids';

function readNamedKey(sql: Sql, id: string): NamedKey | null {
  const [row] = sql.all<NamedKeyRow>(`SELECT ${NAMED_KEY_COLUMNS} FROM named_keys WHERE id = ?`, id);
  return row === undefined ? null : decodeNamedKey(row);
}

function decodeNamedKey(row: NamedKeyRow): NamedKey {
  return {
    ...{ id: row.id, wrappedKey: row.wrapped_key, isEnabled: row.is_enabled === 1, createdAtMs: row.created_at_ms },
    accountIds: row.account_ids === null ? null : (JSON.parse(row.account_ids) as AccountId[]),
  };
}

function encodeAccountIds({ accountIds }: NamedKey): string | null {
  return accountIds === null ? null : JSON.stringify(accountIds);
}
