// The last time of the clock that was believed, in the directory's database:
// core/clock judges, and the writer of the index on Node looks too. Plain
// synchronous code over a SQL port.

import type { SeenTime } from '../../domain/trusted-time.ts';
import type { BillingApi } from '../../ports/directory-calls/billing-calls.ts';
import type { Sql } from '../../ports/sql.ts';

/**
 * The calls over a database with SEEN_TIME_TABLES; directory-index.ts makes them
 * atomic.
 */
export function createSeenTimeCalls(sql: Sql): Pick<BillingApi, 'getSeenTime' | 'setSeenTime'> {
  return {
    getSeenTime: () => readSeenTime(sql),
    setSeenTime({ atMs, steady }) {
      sql.all(
        'INSERT OR REPLACE INTO seen_time (id, at_ms, epoch, steady_ms) VALUES (0, ?, ?, ?)',
        atMs,
        steady?.epoch ?? null,
        steady?.ms ?? null,
      );
    },
  };
}

/** Null: none was. Cost: a row. */
export function readSeenTime(sql: Sql): SeenTime | null {
  const [row] = sql.all<{ at_ms: number; epoch: string | null; steady_ms: number | null }>(
    'SELECT at_ms, epoch, steady_ms FROM seen_time WHERE id = 0',
  );
  if (row === undefined) return null;
  const { at_ms: atMs, epoch, steady_ms: ms } = row;
  return { atMs, steady: epoch === null || ms === null ? null : { epoch, ms } };
}
