// The names that the publisher has in KV, or is about to put there, and when each
// is to be written. Pure; hot-publisher.ts owns the map and does the writing.
import type { ObjectKey } from '../../../domain/nouns.ts';

/**
 * Age at which a record is written anew: a colo that reads it 60 s late and keeps
 * it 30 s still finds it valid.
 */
const RENEW_MS = 30_000;
/**
 * KV takes one write a second to one name. Source:
 * https://developers.cloudflare.com/kv/platform/limits/
 */
const MIN_GAP_MS = 1100;
/**
 * Wait after a failed write, milliseconds; doubles with each failure in a row, up
 * to the age of renewal.
 */
const FIRST_BACKOFF_MS = 500;

/** A published name. */
export type Row = {
  /** The number of its present state. */
  sequence: number;
  writtenSequence: number;
  lastPutMs: number;
  /** Until when any record of it that was ever sent may be valid. */
  untilMs: number;
  failures: number;
  isHot: boolean;
};

/** A row for a name that has become hot. */
export function newRow(sequence: number): Row {
  return { sequence, writtenSequence: 0, lastPutMs: 0, untilMs: 0, failures: 0, isHot: true };
}

/**
 * When the row is to be written next; never, once it has cooled down and KV shows
 * its present state.
 */
export function dueAtMs(row: Row, nowMs: number): number {
  const gapMs = row.failures === 0 ? MIN_GAP_MS : FIRST_BACKOFF_MS * 2 ** row.failures;
  const againAtMs = row.lastPutMs + Math.min(gapMs, RENEW_MS);
  if (row.sequence !== row.writtenSequence && (row.isHot || row.untilMs > nowMs)) return againAtMs;
  return row.isHot ? Math.max(againAtMs, row.lastPutMs + RENEW_MS) : Number.POSITIVE_INFINITY;
}

/** When the first of them is due. */
export function firstDueMs(rows: Iterable<Row>, nowMs: number): number {
  return Math.min(...[...rows].map((row) => dueAtMs(row, nowMs)));
}

/**
 * At most `max` rows to write now: what KV shows and is wrong first, then what it
 * never showed, then what grows old. When there are none, how long to wait for a
 * change; Infinity when none is pending.
 */
export function nextBatch(
  rows: ReadonlyMap<ObjectKey, Row>,
  nowMs: number,
  max: number,
): { readonly ready: readonly [ObjectKey, Row][]; readonly waitMs: number } {
  const rank = (row: Row) =>
    row.sequence === row.writtenSequence ? 2 : row.untilMs > nowMs ? 0 : 1;
  const due = [...rows].filter(([, row]) => dueAtMs(row, nowMs) <= nowMs);
  if (due.length > 0)
    return { ready: due.sort(([, a], [, b]) => rank(a) - rank(b)).slice(0, max), waitMs: 0 };
  // Changes are waited for; a renewal comes with the next lookup, and without one
  // it is not needed.
  const changed = [...rows.values()].filter((row) => row.sequence !== row.writtenSequence);
  return { ready: [], waitMs: firstDueMs(changed, nowMs) - nowMs };
}
