// Pages of a level that begin at a rank or a name, and say how many names there are.
// A level of some thousand names is walked over each time; a larger one is sought in
// by its counts (key-levels.ts), once countLevel has made them.
import type { LevelPage, ListLevelInput } from '../../ports/index-calls/level-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { countedNames, findLevel, nameAtRank, rankOfName } from '../keys/key-levels.ts';
import { firstKeyOf, type Level, walkNames } from '../keys/walk-names.ts';
import { requireBucket } from '../require-bucket.ts';
import { listFrom } from './listing.ts';

/** Names and rows of a level that is walked over each time: 5 ms at most. */
const SMALL_LEVEL = { maxNames: 2000, maxRows: 10_000 };

/** How a level is counted. */
type Counts = {
  readonly total: number;
  readonly isExact: boolean;
  readonly usedAtMs: number | null;
  /** The name at a rank below `total`. */
  readonly nameAt: (rank: number) => string | null;
  /** The names before this one; null: more than are counted. */
  readonly rankOf: (name: string) => number | null;
};

/** Lists one page of a level in byte order. Contract: `LevelQueries.listLevel`. */
export function listLevel(sql: Sql, input: ListLevelInput): LevelPage {
  const bucket = requireBucket(sql, input.bucket);
  const level: Level = { bucket, prefix: input.prefix, delimiter: input.delimiter };
  const counts = storedCounts(sql, level) ?? walkedCounts(sql, level);
  const { total, isExact, usedAtMs } = counts;
  const facts = { total, isExact, usedAtMs };

  if (input.start.by === 'name') {
    const { name } = input.start;
    const page = listFrom(sql, bucket, input, firstKeyOf(level, name));
    return { ...page, ...facts, rank: counts.rankOf(name) };
  }

  const { rank, isFromEnd } = input.start;
  const { first, maxKeys } = isFromEnd
    ? fromEnd(total, rank, input.maxKeys)
    : fromStart(counts, rank, input.maxKeys);
  const name = maxKeys === 0 ? null : counts.nameAt(first);
  const shownRank = isFromEnd ? Math.min(rank, total) : first;
  if (name === null) return { ...EMPTY, ...facts, rank: shownRank };
  const page = listFrom(sql, bucket, { ...input, maxKeys }, firstKeyOf(level, name));
  return { ...page, ...facts, rank: shownRank };
}

const EMPTY = { objects: [], commonPrefixes: [], isTruncated: false, lastName: null };

/** Where a page begins; behind what is counted it begins with the last counted name. */
function fromStart({ total, isExact }: Counts, rank: number, maxKeys: number) {
  if (rank < total) return { first: rank, maxKeys };
  return isExact ? { first: total, maxKeys: 0 } : { first: Math.max(0, total - 1), maxKeys };
}

/** Where a page begins whose last name is `rank` names before the last of all. */
function fromEnd(total: number, rank: number, maxKeys: number) {
  const end = Math.max(0, total - rank);
  const first = Math.max(0, end - maxKeys);
  return { first, maxKeys: end - first };
}

function storedCounts(sql: Sql, level: Level): Counts | null {
  const row = findLevel(sql, level);
  if (row === null) return null;
  return {
    total: countedNames(sql, row),
    isExact: row.is_ready === 1,
    usedAtMs: row.used_at_ms,
    nameAt: (rank) => nameAtRank(sql, level, row, rank),
    rankOf: (name) => rankOfName(sql, level, row, name),
  };
}

function walkedCounts(sql: Sql, level: Level): Counts {
  const { names, next } = walkNames(sql, level, level.prefix, SMALL_LEVEL);
  return {
    total: names,
    isExact: next === null,
    usedAtMs: null,
    nameAt: (rank) => walkNames(sql, level, level.prefix, { ...SMALL_LEVEL, maxNames: rank }).next,
    rankOf: (name) => {
      const bounds = { ...SMALL_LEVEL, end: firstKeyOf(level, name) };
      const before = walkNames(sql, level, level.prefix, bounds);
      return before.next === null ? before.names : null;
    },
  };
}
