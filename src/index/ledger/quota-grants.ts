// The quotas family of the ledger: what an account may store, and how much of that
// each of its buckets is granted. The grants together never pass the quota; a grant
// is lowered only after its bucket lowered its own, so no bucket ever uses more
// than stands here.

import type { StorageAmount, StorageGrant, StorageQuota } from '../../domain/billing/quotas.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId, BucketId } from '../../domain/nouns.ts';
import type { LedgerApi } from '../../ports/ledger.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

type QuotaCalls = Pick<
  LedgerApi,
  'getQuota' | 'putQuota' | 'listGrants' | 'raiseGrant' | 'settleGrant'
>;

/**
 * A grant has a part of what is left beyond what is needed, so that not every
 * commit needs a call; what is not used of it comes back when it is settled.
 */
const SPARE_SHARE = 1 / 16;
const SPARE_MAX: StorageAmount = { bytes: 1024 ** 3, objects: 10_000 };

/**
 * The calls over a database with LEDGER_SCHEMA; ledger-index.ts makes each atomic.
 */
export function createQuotaGrantCalls(sql: Sql): QuotaCalls {
  return {
    getQuota: ({ accountId }) => readQuota(sql, accountId),

    putQuota({ accountId, quota, known }) {
      const now = readQuota(sql, accountId);
      if (isSame(now, quota)) return;
      if (!isSame(now, known)) throw new StorageError('PreconditionFailed');
      sql.all(
        `INSERT INTO quotas (account_id, bytes, objects) VALUES (?1, ?2, ?3)
         ON CONFLICT (account_id) DO UPDATE SET bytes = ?2, objects = ?3`,
        accountId,
        quota?.bytes ?? null,
        quota?.objects ?? null,
      );
    },

    listGrants({ accountId, settledBeforeMs, limit }) {
      const [lately] = sql.all<{ settled: number }>(
        'SELECT count(*) AS settled FROM quota_grants WHERE account_id = ? AND settled_at_ms >= ?',
        accountId,
        settledBeforeMs,
      );
      return sql
        .all<{ bucket_id: string }>(
          `SELECT bucket_id FROM quota_grants WHERE account_id = ? AND settled_at_ms < ?
           ORDER BY settled_at_ms LIMIT ${PLAN_ONCE} ?`,
          accountId,
          settledBeforeMs,
          Math.max(0, limit - (lately?.settled ?? 0)),
        )
        .map((row) => row.bucket_id as BucketId);
    },

    raiseGrant({ accountId, bucketId, needed }) {
      const quota = readQuota(sql, accountId) ?? { bytes: null, objects: null };
      const own = readGrant(sql, accountId, bucketId);
      const others = grantedToOthers(sql, accountId, bucketId);
      const most = (what: keyof StorageAmount) => {
        const limit = quota[what];
        const left = limit === null ? Number.MAX_SAFE_INTEGER : limit - others[what];
        if (needed[what] > left) return null;
        const spare = Math.min(Math.floor((left - needed[what]) * SPARE_SHARE), SPARE_MAX[what]);
        return Math.min(left, Math.max(own?.[what] ?? 0, needed[what] + spare));
      };
      const [bytes, objects] = [most('bytes'), most('objects')];
      if (bytes === null || objects === null) return null;
      const grant = { bytes, objects, sequence: nextSequence(sql, accountId) };
      putGrant(sql, accountId, bucketId, grant, 0);
      return grant;
    },

    settleGrant({ accountId, bucketId, settled, nowMs }) {
      if (settled === null) {
        sql.all(
          'DELETE FROM quota_grants WHERE account_id = ? AND bucket_id = ?',
          accountId,
          bucketId,
        );
        return;
      }
      const known = readGrant(sql, accountId, bucketId);
      const isRaised = known !== null && known.sequence !== settled.sequence;
      putGrant(sql, accountId, bucketId, isRaised ? known : settled, nowMs);
    },
  };
}

/** Null: the account has no quota; a row without limits is the trace of one. */
function readQuota(sql: Sql, accountId: AccountId): StorageQuota | null {
  const [row] = sql.all<StorageQuota>(
    'SELECT bytes, objects FROM quotas WHERE account_id = ?',
    accountId,
  );
  return row === undefined || (row.bytes === null && row.objects === null) ? null : row;
}

const isSame = (a: StorageQuota | null, b: StorageQuota | null) =>
  (a?.bytes ?? null) === (b?.bytes ?? null) && (a?.objects ?? null) === (b?.objects ?? null);

function readGrant(sql: Sql, accountId: AccountId, bucketId: BucketId): StorageGrant | null {
  const [row] = sql.all<StorageGrant>(
    'SELECT bytes, objects, sequence FROM quota_grants WHERE account_id = ? AND bucket_id = ?',
    accountId,
    bucketId,
  );
  return row ?? null;
}

function grantedToOthers(sql: Sql, accountId: AccountId, bucketId: BucketId): StorageAmount {
  const [row] = sql.all<StorageAmount>(
    `SELECT coalesce(sum(bytes), 0) AS bytes, coalesce(sum(objects), 0) AS objects FROM quota_grants
     WHERE account_id = ? AND bucket_id <> ?`,
    accountId,
    bucketId,
  );
  return row ?? { bytes: 0, objects: 0 };
}

function putGrant(
  sql: Sql,
  accountId: AccountId,
  bucketId: BucketId,
  { bytes, objects, sequence }: StorageGrant,
  settledAtMs: number,
): void {
  sql.all(
    `INSERT OR REPLACE INTO quota_grants
       (account_id, bucket_id, bytes, objects, sequence, settled_at_ms)
     VALUES (?, ?, ?, ?, ?, ?)`,
    accountId,
    bucketId,
    bytes,
    objects,
    sequence,
    settledAtMs,
  );
}

/**
 * Sequences of an account ascend over all its buckets, also where its quota went
 * and came again.
 */
function nextSequence(sql: Sql, accountId: AccountId): number {
  const [row] = sql.all<{ last_sequence: number }>(
    `INSERT INTO quotas (account_id, last_sequence) VALUES (?, 1)
     ON CONFLICT (account_id) DO UPDATE SET last_sequence = last_sequence + 1
     RETURNING last_sequence`,
    accountId,
  );
  return row?.last_sequence ?? 1;
}
