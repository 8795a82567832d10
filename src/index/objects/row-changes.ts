// The one function that every change of a stored row goes through: a row of an
// object, an older version, or parts of an upload. Every commit that adds, removes
// or moves such a row calls `rowChanged` once, inside its own transaction, so
// totals, byte-milliseconds of storage and sums of keys always agree with the rows.
// It must not touch the rows themselves. A late object (late-objects.ts) says so in
// the row of its blob, and the totals count it with a later change.
import type { Sql } from '../../ports/sql.ts';
import { noteRowChange } from '../keys/key-aids.ts';
import type { RowChange } from '../usage/row-state.ts';
import { addToTotals } from '../usage/storage-totals.ts';

/**
 * Reports one change; the row itself has changed by then, if it is a new one. Cost:
 * two statements on one small row (3 µs), four when the storage class changes; a
 * few more in the first commit of an hour. Source: measured 2026-11.
 */
export function rowChanged(sql: Sql, change: RowChange): void {
  if ((change.counting?.mark ?? null) === null) addToTotals(sql, change);
  noteRowChange(sql, change);
}
