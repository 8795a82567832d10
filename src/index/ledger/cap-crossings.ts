// Which alerts of caps were reported to their owner. Each is claimed once in a
// period, by the call whose usage brought its cap there; whoever made the call
// reports it.
//
// Race: the reply with an alert is lost, and nobody reports it. Guard: its batches
// come again, and with a repeated batch all alerts of the period are given; a report
// that comes twice has one message id.

import { type Cap, type CapAlert, type CapCrossing, capPeriod } from '../../domain/billing/caps.ts';
import type { UsageBatch } from '../../domain/billing/usage.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { DecideLeases } from '../../ports/ledger-calls/cap-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { readCapStates, readCaps } from './cap-states.ts';

type Recorded = { readonly accountId: AccountId; readonly batches: readonly UsageBatch[] };

/** No process has this name: alerts depend on no lease. */
const NO_HOLDER = '';

/**
 * Claims the alerts that the account's caps have come to. Cost: the caps; where one
 * has an alert that was not reported yet, the sums of its period.
 */
export function claimAlerts(
  sql: Sql,
  decideLeases: DecideLeases,
  recorded: Recorded & { readonly nowMs: number },
): readonly CapAlert[] {
  const { accountId, nowMs } = recorded;
  const caps = capsToAlert(sql, recorded);
  if (caps.length === 0) return [];

  const query = { accountId, holder: NO_HOLDER, nowMs };
  const states = readCapStates(sql, query, caps);
  const { crossings } = decideLeases(states, { ...query, batches: [], held: [], waiting: [] });
  return claimCrossings(sql, recorded, crossings).flatMap((crossing) => {
    const cap = caps.find(({ id }) => id === crossing.capId);
    return cap === undefined ? [] : [{ ...crossing, cap }];
  });
}

/**
 * Marks crossings as reported. Gives those that were not marked before, and all of
 * them with a repeated batch.
 */
export function claimCrossings(
  sql: Sql,
  recorded: Recorded,
  crossings: readonly CapCrossing[],
): readonly CapCrossing[] {
  const claimed = crossings.filter(
    ({ capId, periodMs, percent }) =>
      sql.all(
        `INSERT INTO cap_crossings (account_id, cap_id, period_ms, percent) VALUES (?, ?, ?, ?)
         ON CONFLICT DO NOTHING RETURNING 1 AS is_new`,
        recorded.accountId,
        capId,
        periodMs,
        percent,
      ).length > 0,
  );
  return hasRepeat(recorded) ? crossings : claimed;
}

const hasRepeat = ({ batches }: Recorded) => batches.some(({ attempt }) => attempt === 'repeat');

/**
 * Begins the alerts of a cap anew. Its leases stay until their holders renew them.
 */
export function resetCrossings(sql: Sql, accountId: AccountId, capId: string): void {
  sql.all('DELETE FROM cap_crossings WHERE account_id = ? AND cap_id = ?', accountId, capId);
}

/** Caps with an alert that was not reported in this period; with a repeat all with one. */
function capsToAlert(sql: Sql, recorded: Recorded & { readonly nowMs: number }): readonly Cap[] {
  const { accountId, nowMs } = recorded;
  const caps = readCaps(sql, accountId).filter(({ alertPercents }) => alertPercents.length > 0);
  if (caps.length === 0 || hasRepeat(recorded)) return caps;

  const periods = caps.map(({ id, period }) => [id, capPeriod(period, nowMs).fromMs]);
  const rows = sql.all<{ cap_id: string; percent: number }>(
    `SELECT cap_id, percent FROM json_each(?2) AS wanted
     CROSS JOIN cap_crossings ON account_id = ?1 AND cap_id = wanted.value ->> 0
       AND period_ms = wanted.value ->> 1`,
    accountId,
    JSON.stringify(periods),
  );
  const reported = new Set(rows.map((row) => `${row.percent} ${row.cap_id}`));
  return caps.filter(({ id, alertPercents }) =>
    alertPercents.some((percent) => !reported.has(`${percent} ${id}`)),
  );
}
