// The time by which usage is counted: a command's own, but never later than its
// platform believes. A clock that jumps ahead for seconds would else integrate what
// is stored into the future, and put what is used into months to come.
import type { Sql } from '../../ports/sql.ts';

/** The earlier of a command's time and the latest that is believed. */
export function usageTime({ latestMs }: Sql, atMs: number): number {
  return latestMs === undefined ? atMs : Math.min(atMs, latestMs());
}
