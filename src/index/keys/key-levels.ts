// Ranks of names: how many names a folder has, and which is the one at a rank. A
// level (a prefix and a delimiter) that somebody seeks in has its names cut into
// ranges of at most 1,000, and a row for each range counts them. A rank is found by
// adding up rows and walking over the names of one range. A commit changes one such
// row, and only when a name comes or goes. Small levels are counted by a walk each
// time and have no rows. key-aids.ts reports changes; list-level.ts lists.
import type { LevelCount } from '../../ports/index-calls/level-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { prefixEnd } from './key-order.ts';
import { commonPrefixOf } from './key-pages.ts';
import { firstKeyOf, type Level, walkNames } from './walk-names.ts';

/**
 * Names of one range at most; more and it is cut in two. Small ranges make more
 * rows to add up, large ones more names to walk over.
 */
export const RANGE_MAX_NAMES = 1000;
/** Levels of one bucket that are counted: a commit looks at each of them. */
export const LEVELS_MAX = 16;
/**
 * Time without a use after which a level makes room for another, milliseconds. Ours:
 * else folders that are counted at once take each other's room for ever, and whoever
 * goes from folder to folder has each of them counted over and over.
 */
export const LEVEL_KEPT_MS = 600_000;
/** Rows read in one step of counting: some 10 ms. */
const STEP_ROWS = 20_000;
/** In place of a count: the names from here on are not counted yet. */
const UNCOUNTED = -1;
/** No bound of a walk within a range, whose names are bounded. */
const ANY_ROWS = Number.MAX_SAFE_INTEGER;

export type LevelRow = {
  readonly n: number;
  readonly prefix: string;
  readonly delimiter: string;
  readonly is_ready: number;
  readonly used_at_ms: number;
};
type RangeRow = { readonly first_name: string; readonly names: number };

/** The level's row; null: it has none, because nobody sought in it. */
export function findLevel(sql: Sql, { bucket, prefix, delimiter }: Level): LevelRow | null {
  const [row] = sql.all<LevelRow>(
    `SELECT n, prefix, delimiter, is_ready, used_at_ms FROM key_levels
     WHERE bucket = ? AND prefix = ? AND delimiter = ?`,
    bucket,
    prefix,
    delimiter,
  );
  return row ?? null;
}

/** How many levels of a bucket have rows. */
export function countLevels(sql: Sql, bucket: number): number {
  return readLevels(sql, bucket).length;
}

function readLevels(sql: Sql, bucket: number): LevelRow[] {
  return sql.all<LevelRow>(
    'SELECT n, prefix, delimiter, is_ready, used_at_ms FROM key_levels WHERE bucket = ?',
    bucket,
  );
}

/**
 * Takes one step of counting a level, and notes that it is used. The level that was
 * not used for longest makes room, unless that was lately: then nothing is done, and
 * `hasRoom` is false. Cost: 20,000 rows read, and a row written for each 500 names.
 */
export function countLevel(sql: Sql, level: Level, nowMs: number): LevelCount {
  const row = findLevel(sql, level) ?? beginLevel(sql, level, nowMs);
  if (row === null) return { isReady: false, hasRoom: false };
  const isReady = countRanges(sql, level, row.n);
  sql.all(
    'UPDATE key_levels SET is_ready = ?, used_at_ms = ? WHERE n = ?',
    isReady ? 1 : 0,
    nowMs,
    row.n,
  );
  return { isReady, hasRoom: true };
}

/** Makes the row of a level; null: all others were used lately. */
function beginLevel(sql: Sql, level: Level, nowMs: number): LevelRow | null {
  const others = readLevels(sql, level.bucket).toSorted((a, b) => b.used_at_ms - a.used_at_ms);
  const unused = others.slice(LEVELS_MAX - 1);
  if (unused.some(({ used_at_ms }) => used_at_ms > nowMs - LEVEL_KEPT_MS)) return null;
  for (const other of unused) dropLevel(sql, other.n);
  const { bucket, prefix, delimiter } = level;
  const [made] = sql.all<{ n: number }>(
    `INSERT INTO key_levels (bucket, prefix, delimiter, is_ready, used_at_ms)
     VALUES (?, ?, ?, 0, ?) RETURNING n`,
    bucket,
    prefix,
    delimiter,
    nowMs,
  );
  const n = made?.n ?? 0;
  putRange(sql, n, '', UNCOUNTED);
  return { n, prefix, delimiter, is_ready: 0, used_at_ms: nowMs };
}

/** Counts the next stretch of a level; true when all is counted. */
function countRanges(sql: Sql, level: Level, n: number): boolean {
  const [open] = sql.all<RangeRow>(
    `SELECT first_name, names FROM level_ranges
     WHERE level = ? ORDER BY first_name DESC LIMIT 1`,
    n,
  );
  if (open?.names !== UNCOUNTED) return true;
  let first = open.first_name;
  for (let rows = 0; rows < STEP_ROWS; ) {
    const bounds = { maxNames: RANGE_MAX_NAMES / 2, maxRows: STEP_ROWS - rows };
    const { names, next, cost } = walkNames(sql, level, startOf(level, first), bounds);
    putRange(sql, n, first, names);
    if (next === null) return true;
    first = next;
    rows += cost;
  }
  putRange(sql, n, first, UNCOUNTED);
  return false;
}

function putRange(sql: Sql, level: number, firstName: string, names: number): void {
  sql.all(
    'INSERT OR REPLACE INTO level_ranges (level, first_name, names) VALUES (?, ?, ?)',
    level,
    firstName,
    names,
  );
}

/** Drops the rows of a level. Cost: a row for each 500 to 1,000 names. */
function dropLevel(sql: Sql, n: number): void {
  sql.all('DELETE FROM level_ranges WHERE level = ?', n);
  sql.all('DELETE FROM key_levels WHERE n = ?', n);
}

/** Drops the levels of a bucket that nobody used since a time. */
export function dropLevelsUnusedSince(sql: Sql, bucket: number, sinceMs: number): void {
  for (const { n, used_at_ms } of readLevels(sql, bucket)) {
    if (used_at_ms < sinceMs) dropLevel(sql, n);
  }
}

/**
 * Takes a key that comes or goes into account. Its own row may be there or not;
 * those of other keys must be as they are before or after the change. Cost: up to
 * 16 rows read, and a row written for each level in which a name comes or goes:
 * 7 to 10 µs each (bench/seek.ts).
 */
export function noteLevelChange(
  sql: Sql,
  bucket: number,
  key: string,
  names: 1 | -1,
  maxNames = RANGE_MAX_NAMES,
): void {
  for (const { n, prefix, delimiter } of readLevels(sql, bucket)) {
    if (!key.startsWith(prefix)) continue;
    const level: Level = { bucket, prefix, delimiter };
    const folder = commonPrefixOf(key, prefix, delimiter);
    if (folder !== null && hasOthers(sql, bucket, folder, key)) continue;
    changeRange(sql, level, n, folder ?? key, names, maxNames);
  }
}

/** Whether a common prefix has other keys than this one. */
function hasOthers(sql: Sql, bucket: number, folder: string, key: string): boolean {
  const others = sql.all(
    'SELECT 1 FROM objects WHERE bucket = ? AND key >= ? AND key < ? AND key <> ? LIMIT 1',
    bucket,
    folder,
    prefixEnd(folder),
    key,
  );
  return others.length > 0;
}

function changeRange(
  sql: Sql,
  level: Level,
  n: number,
  name: string,
  change: 1 | -1,
  maxNames: number,
): void {
  const range = countedRangeOf(sql, n, name);
  if (range === null) return;
  const names = range.names + change;
  if (names === 0 && range.first_name !== '') {
    // The range before it takes its names.
    sql.all('DELETE FROM level_ranges WHERE level = ? AND first_name = ?', n, range.first_name);
    return;
  }
  const middle = names > maxNames ? walkFrom(sql, level, range, Math.ceil(names / 2)) : null;
  putRange(sql, n, range.first_name, middle?.next == null ? names : middle.names);
  if (middle?.next != null) putRange(sql, n, middle.next, names - middle.names);
}

/** The range that a name lies in; null: it lies where nothing is counted yet. */
function countedRangeOf(sql: Sql, n: number, name: string): RangeRow | null {
  const [range] = sql.all<RangeRow>(
    `SELECT first_name, names FROM level_ranges WHERE level = ? AND first_name <= ?
     ORDER BY first_name DESC LIMIT 1`,
    n,
    name,
  );
  return range === undefined || range.names === UNCOUNTED ? null : range;
}

function walkFrom(sql: Sql, level: Level, { first_name }: RangeRow, maxNames: number) {
  return walkNames(sql, level, startOf(level, first_name), { maxNames, maxRows: ANY_ROWS });
}

/** The name from which a range is walked over: the first one begins with its level. */
function startOf({ prefix }: Level, firstName: string): string {
  return firstName === '' ? prefix : firstName;
}

/** How many names of a level are counted; all of them once it is ready. */
export function countedNames(sql: Sql, { n }: LevelRow): number {
  const [sum] = sql.all<{ names: number }>(
    'SELECT coalesce(sum(max(names, 0)), 0) AS names FROM level_ranges WHERE level = ?',
    n,
  );
  return sum?.names ?? 0;
}

/**
 * The name at a rank, which must be less than the names that are counted. Cost: a
 * row for each 500 to 1,000 names, and 1,000 names walked over.
 */
export function nameAtRank(sql: Sql, level: Level, { n }: LevelRow, rank: number): string | null {
  let before = 0;
  const ranges = sql.all<RangeRow>(
    'SELECT first_name, names FROM level_ranges WHERE level = ? ORDER BY first_name',
    n,
  );
  for (const range of ranges) {
    if (rank < before + range.names) return walkFrom(sql, level, range, rank - before).next;
    before += range.names;
  }
  return null;
}

/**
 * How many names come before this one; null: it lies where nothing is counted yet.
 * Cost: as `nameAtRank`.
 */
export function rankOfName(sql: Sql, level: Level, { n }: LevelRow, name: string): number | null {
  const range = countedRangeOf(sql, n, name);
  if (range === null) return null;
  const [sum] = sql.all<{ names: number }>(
    `SELECT coalesce(sum(names), 0) AS names FROM level_ranges
     WHERE level = ? AND first_name < ?`,
    n,
    range.first_name,
  );
  const bounds = { maxNames: ANY_ROWS, maxRows: ANY_ROWS, end: firstKeyOf(level, name) };
  const walk = walkNames(sql, level, startOf(level, range.first_name), bounds);
  return (sum?.names ?? 0) + walk.names;
}
