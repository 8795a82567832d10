// The caps family of the ledger: caps, the quota leases by which processes use them
// up, and which crossings were reported to their owner. How large a lease may be is
// core's to decide, from a state that this file gives with its revision.

import { type Cap, type CapState, capPeriod } from '../../domain/billing/caps.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { HOUR_MS, startOfHour } from '../../domain/time.ts';
import type { LedgerApi } from '../../ports/ledger.ts';
import type { Sql } from '../../ports/sql.ts';
import { sumUsage } from '../usage/usage-sums.ts';

type CapCalls = Pick<LedgerApi, 'listCaps' | 'readCaps' | 'putCap' | 'deleteCap' | 'leaseCaps'>;

/**
 * Milliseconds from an hour's beginning to the record of its storage, which the
 * sweep brings each hour.
 */
const RECORDED_AFTER_MS = 2 * HOUR_MS;
/** Caps of one account; each is looked at with each lease. */
const CAPS_MAX = 100;

export function createCapCalls(sql: Sql): CapCalls {
  return {
    listCaps: ({ accountId }) => readCaps(sql, accountId),

    readCaps({ accountId, holder, nowMs }) {
      const caps = readCaps(sql, accountId);
      return {
        revision: revisionOf(sql, accountId),
        caps: caps.map((cap) => stateOf(sql, accountId, cap, { holder, nowMs })),
      };
    },

    putCap({ accountId, cap, known }) {
      const text = encode(cap);
      const [row] = sql.all<{ cap: string }>(
        'SELECT cap FROM caps WHERE account_id = ? AND id = ?',
        accountId,
        cap.id,
      );
      if ((row?.cap ?? null) !== (known === null ? null : encode(known))) {
        if (row?.cap === text) return;
        throw new StorageError('PreconditionFailed');
      }
      const others = readCaps(sql, accountId).filter((known) => known.id !== cap.id);
      if (others.length >= CAPS_MAX) {
        throw new StorageError('InvalidRequest', {
          detail: `An account can have ${CAPS_MAX} caps.`,
        });
      }
      sql.all(
        'INSERT OR REPLACE INTO caps (account_id, id, cap) VALUES (?, ?, ?)',
        accountId,
        cap.id,
        text,
      );
      resetCap(sql, accountId, cap.id);
    },

    deleteCap({ accountId, id }) {
      const removed = sql.all(
        'DELETE FROM caps WHERE account_id = ? AND id = ? RETURNING 1 AS gone',
        accountId,
        id,
      );
      resetCap(sql, accountId, id);
      return removed.length > 0;
    },

    leaseCaps(lease) {
      const { accountId, holder, revision, grants, crossings, nowMs, untilMs } = lease;
      if (revisionOf(sql, accountId) !== revision) return null;
      sql.all('DELETE FROM cap_leases WHERE account_id = ? AND until_ms <= ?', accountId, nowMs);
      for (const { capId, units } of grants) {
        sql.all(
          `INSERT OR REPLACE INTO cap_leases (account_id, cap_id, holder, units, until_ms)
           VALUES (?, ?, ?, ?, ?)`,
          accountId,
          capId,
          holder,
          units,
          untilMs,
        );
      }
      const fresh = crossings.filter(
        ({ capId, periodMs, percent }) =>
          sql.all(
            `INSERT INTO cap_crossings (account_id, cap_id, period_ms, percent) VALUES (?, ?, ?, ?)
             ON CONFLICT DO NOTHING RETURNING 1 AS is_new`,
            accountId,
            capId,
            periodMs,
            percent,
          ).length > 0,
      );
      return { revision: moveRevision(sql, accountId), crossings: fresh };
    },
  };
}

/**
 * A cap as JSON text. Equal caps have equal texts, because fields keep their order
 * on the way.
 */
function encode(cap: Cap): string {
  return JSON.stringify({ ...cap, limit: `${cap.limit}` });
}

function readCaps(sql: Sql, accountId: AccountId): readonly Cap[] {
  const rows = sql.all<{ cap: string }>(
    'SELECT cap FROM caps WHERE account_id = ? ORDER BY id',
    accountId,
  );
  return rows.map((row) => {
    const cap = JSON.parse(row.cap) as Omit<Cap, 'limit'> & { limit: string };
    return { ...cap, limit: BigInt(cap.limit) };
  });
}

function stateOf(
  sql: Sql,
  accountId: AccountId,
  cap: Cap,
  { holder, nowMs }: { holder: string; nowMs: number },
): CapState {
  const { scope } = cap;
  const { fromMs, toMs } = capPeriod(cap.period, nowMs);
  const only =
    scope.kind === 'bucket'
      ? { bucketId: scope.bucketId }
      : scope.kind === 'accessKey'
        ? { accessKeyId: scope.accessKeyId }
        : {};
  const storedLately = () => {
    const hourMs = startOfHour(nowMs - RECORDED_AFTER_MS);
    return sumUsage(sql, {
      accountId,
      fromMs: hourMs,
      toMs: hourMs + HOUR_MS,
      groupBy: [],
      ...only,
      kinds: ['storage', 'deduplicated', 'compressed'],
    });
  };
  const [leased] = sql.all<{ units: number }>(
    `SELECT coalesce(sum(units), 0) AS units FROM cap_leases
     WHERE account_id = ? AND cap_id = ? AND until_ms > ? AND holder <> ?`,
    accountId,
    cap.id,
    nowMs,
    holder,
  );
  return {
    cap,
    usage: sumUsage(sql, { accountId, fromMs, toMs, groupBy: [], ...only }),
    stored: cap.unit === 'money' && scope.kind !== 'accessKey' ? storedLately() : [],
    leasedToOthers: leased?.units ?? 0,
  };
}

function revisionOf(sql: Sql, accountId: AccountId): number {
  const [row] = sql.all<{ revision: number }>(
    'SELECT revision FROM cap_revisions WHERE account_id = ?',
    accountId,
  );
  return row?.revision ?? 0;
}

function moveRevision(sql: Sql, accountId: AccountId): number {
  const [row] = sql.all<{ revision: number }>(
    `INSERT INTO cap_revisions (account_id, revision) VALUES (?, 1)
     ON CONFLICT (account_id) DO UPDATE SET revision = revision + 1 RETURNING revision`,
    accountId,
  );
  return row?.revision ?? 0;
}

/**
 * Begins the alerts of a cap anew. Its leases stay until their holders renew them.
 */
function resetCap(sql: Sql, accountId: AccountId, capId: string): void {
  sql.all('DELETE FROM cap_crossings WHERE account_id = ? AND cap_id = ?', accountId, capId);
  moveRevision(sql, accountId);
}
