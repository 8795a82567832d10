// The quota leases of caps: a row for each holder, and their sums by the time at
// which they end, so that a cap with a thousand holders is read in a dozen rows.

import type { CapState } from '../../domain/billing/caps.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';

/** Leases end at multiples of this many milliseconds: at most 13 sums a cap. */
const END_STEP_MS = 5_000;

type LeaseKey = {
  readonly accountId: AccountId;
  readonly capId: string;
  readonly holder: string;
};
type LeaseRow = { readonly units: number; readonly until_ms: number };

/** What others have leased of a cap, and until when at the latest. */
type OthersLeases = Pick<CapState, 'leasedToOthers' | 'othersUntilMs'>;
type LeasesQuery = Pick<LeaseKey, 'accountId' | 'holder'> & {
  readonly capIds: readonly string[];
  readonly nowMs: number;
};

/**
 * Reads what others than the holder have leased, by cap. Cost: two statements for
 * all caps.
 */
export function readLeases(sql: Sql, query: LeasesQuery): (capId: string) => OthersLeases {
  const { accountId, capIds, holder, nowMs } = query;
  const wanted = JSON.stringify(capIds);
  const sums = sql.all<LeaseRow & { cap_id: string }>(
    `SELECT cap_id, sum(units) AS units, max(until_ms) AS until_ms FROM json_each(?2) AS wanted
     CROSS JOIN cap_lease_sums ON account_id = ?1 AND cap_id = wanted.value AND until_ms > ?3
     GROUP BY wanted.key`,
    accountId,
    wanted,
    nowMs,
  );
  const own = sql.all<LeaseRow & { cap_id: string }>(
    `SELECT cap_id, units, until_ms FROM json_each(?2) AS wanted
     CROSS JOIN cap_leases ON account_id = ?1 AND cap_id = wanted.value AND holder = ?3`,
    accountId,
    wanted,
    holder,
  );
  const sumOf = new Map(sums.map((row) => [row.cap_id, row]));
  const ownOf = new Map(own.map((row) => [row.cap_id, row]));

  return (capId) => {
    const sum = sumOf.get(capId);
    const lease = ownOf.get(capId);
    const ownUnits = lease !== undefined && lease.until_ms > nowMs ? lease.units : 0;
    const leasedToOthers = Math.max(0, (sum?.units ?? 0) - ownUnits);
    return { leasedToOthers, othersUntilMs: leasedToOthers > 0 ? (sum?.until_ms ?? 0) : 0 };
  };
}

/**
 * Replaces the lease of a holder, once `endLeases` was called. Units are rounded up
 * to whole ones, so that sums stay exact; the end to the next step.
 */
export function putLease(
  sql: Sql,
  lease: LeaseKey & { readonly units: number; readonly untilMs: number },
): void {
  const units = Math.ceil(lease.units);
  const untilMs = Math.ceil(lease.untilMs / END_STEP_MS) * END_STEP_MS;
  const last = readLease(sql, lease);
  if (last !== undefined) addToSum(sql, lease, last.until_ms, -last.units);
  addToSum(sql, lease, untilMs, units);
  sql.all(
    `INSERT OR REPLACE INTO cap_leases (account_id, cap_id, holder, units, until_ms)
     VALUES (?, ?, ?, ?, ?)`,
    lease.accountId,
    lease.capId,
    lease.holder,
    units,
    untilMs,
  );
}

/** Removes the leases that have ended. Cost: nothing between two steps. */
export function endLeases(sql: Sql, accountId: AccountId, nowMs: number): void {
  const ended = sql.all(
    'DELETE FROM cap_lease_sums WHERE account_id = ? AND until_ms <= ? RETURNING 1 AS ended',
    accountId,
    nowMs,
  );
  if (ended.length > 0)
    sql.all('DELETE FROM cap_leases WHERE account_id = ? AND until_ms <= ?', accountId, nowMs);
}

function readLease(sql: Sql, { accountId, capId, holder }: LeaseKey): LeaseRow | undefined {
  const [row] = sql.all<LeaseRow>(
    'SELECT units, until_ms FROM cap_leases WHERE account_id = ? AND cap_id = ? AND holder = ?',
    accountId,
    capId,
    holder,
  );
  return row;
}

function addToSum(sql: Sql, { accountId, capId }: LeaseKey, untilMs: number, units: number): void {
  sql.all(
    `INSERT INTO cap_lease_sums (account_id, cap_id, until_ms, units) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (account_id, cap_id, until_ms) DO UPDATE SET units = units + ?4`,
    accountId,
    capId,
    untilMs,
    units,
  );
}
