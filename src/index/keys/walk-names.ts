// Walks over the names of a level: what a listing of a prefix and a delimiter shows,
// objects and common prefixes alike. It reads keys alone, in batches, and seeks past
// a common prefix that is large. Used by key-levels.ts to count names and to find
// the one at a rank.
import { compareUtf8 } from '../../domain/keys/compare-utf8.ts';
import type { Sql, SqlValue } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { justAfter, prefixEnd } from './key-order.ts';
import { commonPrefixOf } from './key-pages.ts';

/** A level of a bucket: the names that one listing shows. */
export type Level = {
  readonly bucket: number;
  readonly prefix: string;
  /** '' means no delimiter: every key below the prefix is a name. */
  readonly delimiter: string;
};

export type NameWalk = {
  /** Names that were passed. */
  readonly names: number;
  /** Where the walk stopped, at or before the next name; null: it came to the end. */
  readonly next: string | null;
  /** Rows that were read, each seek counted as ROWS_PER_SEEK. */
  readonly cost: number;
};

export type WalkBounds = {
  readonly maxNames: number;
  /** Rows read from which the walk stops. */
  readonly maxRows: number;
  /** Only keys before this one; absent: all of the level. */
  readonly end?: SqlValue;
};

/** What a seek costs, in rows read in a batch. Source: measured 2026-11. */
const ROWS_PER_SEEK = 8;
/** Rows of a batch: it halves while most rows are read for nothing, else doubles. */
const BATCH_MIN = 2;
const BATCH_MAX = 1024;
const BATCH_FIRST = 64;

/**
 * The key from which all names at or behind `name` have their keys, and none of
 * those before it.
 */
export function firstKeyOf({ prefix, delimiter }: Level, name: string): SqlValue {
  if (compareUtf8(name, prefix) <= 0) return prefix;
  if (!name.startsWith(prefix)) return prefixEnd(prefix);
  const folder = commonPrefixOf(name, prefix, delimiter);
  return folder === null || folder === name ? name : prefixEnd(folder);
}

/**
 * Passes up to `maxNames` names from the name `from` on, and stops once it read
 * about `maxRows` rows. Cost: at most eight rows for each name, and two batches.
 */
export function walkNames(
  sql: Sql,
  level: Level,
  from: string,
  { maxNames, maxRows, end = prefixEnd(level.prefix) }: WalkBounds,
): NameWalk {
  let names = 0;
  let cost = 0;
  let folder: string | null = null;
  let batch = Math.min(BATCH_FIRST, maxNames + 1);
  for (let start: SqlValue = from; ; ) {
    const rows: readonly { key: string }[] = sql.all(
      `SELECT key FROM objects
       WHERE bucket = ? AND key >= ? AND key < ? ORDER BY key LIMIT ${PLAN_ONCE} ?`,
      level.bucket,
      start,
      end,
      batch,
    );
    cost += ROWS_PER_SEEK + rows.length;
    let passed = 0;
    for (const { key } of rows) {
      if (folder !== null && key.startsWith(folder)) continue;
      folder = commonPrefixOf(key, level.prefix, level.delimiter);
      if (names === maxNames) return { names, next: folder ?? key, cost };
      names += 1;
      passed += 1;
    }
    const last = rows[batch - 1]?.key;
    if (last === undefined) return { names, next: null, cost };

    start = folder === null ? justAfter(last) : prefixEnd(folder);
    // Behind the last text there is no name, which the next batch finds out.
    if (cost >= maxRows && typeof start === 'string') return { names, next: start, cost };
    batch = passed * ROWS_PER_SEEK < rows.length ? batch >> 1 : batch * 2;
    batch = Math.max(BATCH_MIN, Math.min(batch, BATCH_MAX, 2 * (maxNames - names) + BATCH_MIN));
  }
}
