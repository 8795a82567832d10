// The caps family of the ledger: caps, the quota leases by which processes use them
// up, and which crossings were reported to their owner. How large a lease may be is
// core's to decide, by a function that is given here.

import { type Cap, type CapState, capPeriod } from '../../domain/billing/caps.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { HOUR_MS, startOfHour } from '../../domain/time.ts';
import type {
  DecideLeases,
  LedgerCapCommands,
  LedgerCapQueries,
} from '../../ports/ledger-calls/cap-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { createSharedRows, type ReadRows, sumUsage } from '../usage/usage-sums.ts';
import { usageTime } from '../usage/usage-time.ts';
import { endLeases, putLease, readLeases } from './cap-leases.ts';
import { recordBatches } from './record-usage.ts';

type CapCalls = LedgerCapQueries & LedgerCapCommands;

/**
 * Milliseconds from an hour's beginning to the record of its storage, which the
 * sweep brings each hour.
 */
const RECORDED_AFTER_MS = 2 * HOUR_MS;
/** Caps of one account; each is looked at with each lease. */
const CAPS_MAX = 100;

/**
 * The calls over a database with LEDGER_SCHEMA; ledger-index.ts makes each atomic.
 * `decideLeases` works out leases from the state of the same transaction.
 */
export function createCapCalls(sql: Sql, decideLeases: DecideLeases): CapCalls {
  return {
    listCaps: ({ accountId }) => readCaps(sql, accountId),

    readCaps: (input) => readState(sql, input),

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

    leaseCaps(request) {
      const { accountId, holder, batches, nowMs } = request;
      recordBatches(sql, accountId, batches, usageTime(sql, nowMs));
      endLeases(sql, accountId, nowMs);
      const decision = decideLeases(readState(sql, request), request);
      for (const { cap, units, leaseMs, isLifted } of decision.standings) {
        putLease(sql, {
          accountId,
          capId: cap.id,
          holder,
          units: isLifted ? 0 : units,
          untilMs: nowMs + leaseMs,
        });
      }
      const crossings = decision.crossings.filter(
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
      return { standings: decision.standings, crossings };
    },
  };
}

type StateQuery = Parameters<CapCalls['readCaps']>[0];

function readState(sql: Sql, query: StateQuery): readonly CapState[] {
  const readRows = createSharedRows();
  return readCaps(sql, query.accountId).map((cap) => stateOf(sql, cap, query, readRows));
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
  cap: Cap,
  { accountId, holder, nowMs }: StateQuery,
  readRows: ReadRows,
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
    const hour = { fromMs: hourMs, toMs: hourMs + HOUR_MS };
    const kinds = ['storage', 'deduplicated', 'compressed'] as const;
    return sumUsage(sql, { accountId, ...hour, groupBy: [], ...only, kinds }, readRows);
  };
  return {
    cap,
    usage: sumUsage(sql, { accountId, fromMs, toMs, groupBy: [], ...only }, readRows),
    stored: cap.unit === 'money' && scope.kind !== 'accessKey' ? storedLately() : [],
    ...readLeases(sql, { accountId, capId: cap.id, holder, nowMs }),
  };
}

/**
 * Begins the alerts of a cap anew. Its leases stay until their holders renew them.
 */
function resetCap(sql: Sql, accountId: AccountId, capId: string): void {
  sql.all('DELETE FROM cap_crossings WHERE account_id = ? AND cap_id = ?', accountId, capId);
}
