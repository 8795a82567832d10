// How the caps of an account stand, for core to decide by: what each has used in its
// period, what it stores, and what is leased of it. All caps are read by the same few
// statements.

import { type Cap, type CapState, capPeriod } from '../../domain/billing/caps.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { HOUR_MS, startOfHour } from '../../domain/time.ts';
import type { LedgerCapQueries } from '../../ports/ledger-calls/cap-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { createScopeSums, type ReadScope } from '../usage/scope-sums.ts';
import { readLeases } from './cap-leases.ts';

/**
 * Milliseconds from an hour's beginning to the record of its storage, which the
 * sweep brings each hour.
 */
const RECORDED_AFTER_MS = 2 * HOUR_MS;
const STORED_KINDS = ['storage', 'deduplicated', 'compressed'] as const;

type StateQuery = Parameters<LedgerCapQueries['readCaps']>[0];

/** The caps of an account by id. Cost: a row each. */
export function readCaps(sql: Sql, accountId: AccountId): readonly Cap[] {
  const rows = sql.all<{ cap: string }>(
    'SELECT cap FROM caps WHERE account_id = ? ORDER BY id',
    accountId,
  );
  return rows.map((row) => {
    const cap = JSON.parse(row.cap) as Omit<Cap, 'limit'> & { limit: string };
    return { ...cap, limit: BigInt(cap.limit) };
  });
}

/**
 * Reads the states of these caps of an account. Cost: the sums of a month, a day and
 * an hour, as far as caps are of them; two statements for all leases.
 */
export function readCapStates(
  sql: Sql,
  { accountId, holder, nowMs }: StateQuery,
  caps: readonly Cap[],
): readonly CapState[] {
  if (caps.length === 0) return [];
  const readScope = createScopeSums(
    sql,
    caps.map(({ scope }) => scope),
  );
  const capIds = caps.map(({ id }) => id);
  const leasesOf = readLeases(sql, { accountId, capIds, holder, nowMs });
  return caps.map((cap) => ({
    cap,
    usage: readScope({ accountId, ...capPeriod(cap.period, nowMs) }, cap.scope),
    stored: readStored(readScope, cap, { accountId, nowMs }),
    ...leasesOf(cap.id),
  }));
}

/** Storage of the newest hour that is recorded, for a cap that it costs something. */
function readStored(
  readScope: ReadScope,
  { unit, scope }: Cap,
  { accountId, nowMs }: Pick<StateQuery, 'accountId' | 'nowMs'>,
): CapState['stored'] {
  if (unit !== 'money' || scope.kind === 'accessKey') return [];
  const fromMs = startOfHour(nowMs - RECORDED_AFTER_MS);
  const stretch = { accountId, fromMs, toMs: fromMs + HOUR_MS, kinds: STORED_KINDS };
  return readScope(stretch, scope);
}
