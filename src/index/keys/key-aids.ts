// The family of sizes, ranks and search: which buckets have sums of their keys
// (key-ranges.ts), counts of levels (key-levels.ts) and a search index
// (key-search.ts), the steps that make them, and their queries. row-changes.ts
// reports every change of a row. A bucket that never used any has no row in
// `name_aids`, and pays one look at that (0.4 µs).

import {
  type CountState,
  foldKey,
  SEARCH_MIN_INDEXED,
  type SearchState,
} from '../../domain/keys/key-aids.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { findIncarnation, requireBucket } from '../require-bucket.ts';
import type { RowChange } from '../usage/row-state.ts';
import { countLevel, countLevels, dropLevelsUnusedSince, noteLevelChange } from './key-levels.ts';
import { prefixEnd } from './key-order.ts';
import { changeRange, countRanges, sumKeys } from './key-ranges.ts';
import {
  countChanges,
  findByScan,
  findIndexed,
  forgetKeys,
  indexChanges,
  indexNextKeys,
  noteKeyChange,
} from './key-search.ts';

type KeyAidCalls = Pick<
  IndexApi,
  | 'measurePrefixes'
  | 'searchKeys'
  | 'countAllKeys'
  | 'indexKeys'
  | 'countLevel'
  | 'forgetLevels'
  | 'forgetKeyIndex'
>;

type AidsRow = {
  /** 0 off, 1 being made, 2 ready. */
  readonly counts: number;
  readonly search: number;
  readonly search_after: string;
  readonly searched_at_ms: number;
  /** Levels of which names are counted. */
  readonly levels: number;
};
const OFF: AidsRow = { counts: 0, search: 0, search_after: '', searched_at_ms: 0, levels: 0 };
const COUNT_STATES: readonly CountState[] = ['off', 'counting', 'ready'];
const SEARCH_STATES: readonly SearchState[] = ['off', 'building', 'ready'];

function readAids(sql: Sql, n: number): AidsRow {
  const [row] = sql.all<AidsRow>(
    'SELECT counts, search, search_after, searched_at_ms, levels FROM name_aids WHERE bucket = ?',
    n,
  );
  return row ?? OFF;
}

function writeAids(
  sql: Sql,
  n: number,
  { counts, search, search_after, searched_at_ms, levels }: AidsRow,
): void {
  sql.all(
    `INSERT OR REPLACE INTO name_aids (bucket, counts, search, search_after, searched_at_ms,
       levels)
     VALUES (?, ?, ?, ?, ?, ?)`,
    n,
    counts,
    search,
    search_after,
    searched_at_ms,
    levels,
  );
}

/** Stores how many levels the bucket has, where that changed. */
function noteLevels(sql: Sql, n: number): void {
  const aids = readAids(sql, n);
  const levels = countLevels(sql, n);
  if (levels !== aids.levels) writeAids(sql, n, { ...aids, levels });
}

/**
 * Takes a change of a row into account. Cost: 0.4 µs in a bucket that has neither,
 * else 4 to 8 µs (bench/names.ts).
 */
export function noteRowChange(sql: Sql, { bucket, key, from, to }: RowChange): void {
  const old = from?.kind === 'current' ? from : null;
  const now = to?.kind === 'current' ? to : null;
  if (old === null && now === null) return;
  const [aids] = sql.all<{ counts: number; search: number; levels: number }>(
    'SELECT counts, search, levels FROM name_aids WHERE bucket = ?',
    bucket,
  );
  if (aids === undefined) return;
  const changesExistence = old === null || now === null;
  if (aids.search > 0 && changesExistence) noteKeyChange(sql, bucket, key);
  if (aids.levels > 0 && changesExistence) noteLevelChange(sql, bucket, key, now === null ? -1 : 1);
  if (aids.counts === 0) return;
  const objects = (now === null ? 0 : 1) - (old === null ? 0 : 1);
  const bytes = (now?.sizeBytes ?? 0) - (old?.sizeBytes ?? 0);
  const otherBytes = otherOf(now) - otherOf(old);
  if (objects !== 0 || bytes !== 0 || otherBytes !== 0)
    changeRange(sql, bucket, key, { objects, bytes, otherBytes });
}

function otherOf(row: RowChange['to']): number {
  return row === null || row.storageClass === 'STANDARD' ? 0 : row.sizeBytes;
}

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createKeyAidCalls(sql: Sql): KeyAidCalls {
  return {
    measurePrefixes({ bucket, prefixes }) {
      const n = requireBucket(sql, bucket);
      const state = COUNT_STATES[readAids(sql, n).counts] ?? 'off';
      if (state !== 'ready') return { state, sizes: [] };
      return { state, sizes: prefixes.map((prefix) => sumKeys(sql, n, prefix, prefixEnd(prefix))) };
    },

    countAllKeys({ bucket }) {
      const n = requireBucket(sql, bucket);
      const aids = readAids(sql, n);
      if (aids.counts === 2) return { state: 'ready' };
      const isReady = countRanges(sql, n);
      writeAids(sql, n, { ...aids, counts: isReady ? 2 : 1 });
      return { state: isReady ? 'ready' : 'counting' };
    },

    searchKeys({ bucket, prefix, needle, limit, after }) {
      const n = requireBucket(sql, bucket);
      const aids = readAids(sql, n);
      const state = SEARCH_STATES[aids.search] ?? 'off';
      const facts = { state, pending: countChanges(sql, n), searchedAtMs: aids.searched_at_ms };
      const isIndexed =
        state === 'ready' &&
        Array.from(foldKey(needle)).length >= SEARCH_MIN_INDEXED &&
        after === null;
      return isIndexed
        ? { ...findIndexed(sql, n, { prefix, needle, limit }), nextAfter: null, ...facts }
        : { ...findByScan(sql, n, { prefix, needle, limit, after: after ?? '' }), ...facts };
    },

    indexKeys({ bucket, nowMs }) {
      const n = requireBucket(sql, bucket);
      const aids = { ...readAids(sql, n), searched_at_ms: nowMs };
      if (aids.search === 2) {
        writeAids(sql, n, aids);
        return { state: 'ready', isDone: indexChanges(sql, n) };
      }
      const after = indexNextKeys(sql, n, aids.search === 0 ? '' : aids.search_after);
      const isReady = after === null;
      writeAids(sql, n, { ...aids, search: isReady ? 2 : 1, search_after: after ?? '' });
      return { state: isReady ? 'ready' : 'building', isDone: false };
    },

    countLevel({ bucket, prefix, delimiter, nowMs }) {
      const n = requireBucket(sql, bucket);
      const count = countLevel(sql, { bucket: n, prefix, delimiter }, nowMs);
      noteLevels(sql, n);
      return count;
    },

    forgetLevels({ bucket, unusedSinceMs }) {
      const n = requireBucket(sql, bucket);
      dropLevelsUnusedSince(sql, n, unusedSinceMs);
      noteLevels(sql, n);
    },

    forgetKeyIndex({ bucket, what }) {
      const n = findIncarnation(sql, bucket);
      if (n === null) return { isDone: true };
      const aids = readAids(sql, n);
      // Switched off first: later changes are not noted any more.
      if (what === 'all') {
        dropLevelsUnusedSince(sql, n, Number.MAX_SAFE_INTEGER);
        sql.all('DELETE FROM name_aids WHERE bucket = ?', n);
        sql.all('DELETE FROM key_ranges WHERE bucket = ?', n);
      } else if (aids.search > 0) {
        writeAids(sql, n, { ...aids, search: 0, search_after: '' });
      }
      return { isDone: forgetKeys(sql, n) };
    },
  };
}
