// The caps family of the ledger: caps, and the quota leases by which processes use
// them up. How large a lease may be is core's to decide, by a function that is given
// here.

import type { Cap } from '../../domain/billing/caps.ts';
import { StorageError } from '../../domain/errors.ts';
import type {
  DecideLeases,
  LedgerCapCommands,
  LedgerCapQueries,
} from '../../ports/ledger-calls/cap-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { usageTime } from '../usage/usage-time.ts';
import { claimCrossings, resetCrossings } from './cap-crossings.ts';
import { endLeases, putLease } from './cap-leases.ts';
import { readCapStates, readCaps } from './cap-states.ts';
import { recordBatches } from './record-usage.ts';

type CapCalls = LedgerCapQueries & LedgerCapCommands;

/** Caps of one account; each is looked at with each lease. */
const CAPS_MAX = 100;

/**
 * The calls over a database with LEDGER_SCHEMA; ledger-index.ts makes each atomic.
 * `decideLeases` works out leases from the state of the same transaction.
 */
export function createCapCalls(sql: Sql, decideLeases: DecideLeases): CapCalls {
  return {
    listCaps: ({ accountId }) => readCaps(sql, accountId),

    readCaps: (input) => readCapStates(sql, input, readCaps(sql, input.accountId)),

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
      resetCrossings(sql, accountId, cap.id);
    },

    deleteCap({ accountId, id }) {
      const removed = sql.all(
        'DELETE FROM caps WHERE account_id = ? AND id = ? RETURNING 1 AS gone',
        accountId,
        id,
      );
      resetCrossings(sql, accountId, id);
      return removed.length > 0;
    },

    leaseCaps(request) {
      const { accountId, holder, batches, nowMs } = request;
      recordBatches(sql, accountId, batches, usageTime(sql, nowMs));
      endLeases(sql, accountId, nowMs);
      const decision = decideLeases(readCapStates(sql, request, readCaps(sql, accountId)), request);
      for (const { cap, units, leaseMs, isLifted } of decision.standings) {
        putLease(sql, {
          accountId,
          capId: cap.id,
          holder,
          units: isLifted ? 0 : units,
          untilMs: nowMs + leaseMs,
        });
      }
      const crossings = claimCrossings(sql, request, decision.crossings);
      return { standings: decision.standings, crossings };
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
