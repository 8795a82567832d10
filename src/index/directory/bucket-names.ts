// Which account owns which bucket names, and how far the sweeper came through all
// of them: a part of the directory. The buckets themselves are the index's. Plain
// synchronous code over a SQL port; directory-index.ts makes each call atomic.

import type { BucketName } from '../../domain/nouns.ts';
import type { DirectoryApi } from '../../ports/directory.ts';
import type { Sql } from '../../ports/sql.ts';
import { firstBehind, prefixEnd } from '../keys/key-order.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

type BucketNameCalls = Pick<
  DirectoryApi,
  | 'listBuckets'
  | 'listBucketNames'
  | 'addBucket'
  | 'removeBucket'
  | 'forgetBucketName'
  | 'getSweepCursor'
  | 'setSweepCursor'
>;

/** The calls over a database with DIRECTORY_SCHEMA. */
export function createBucketNameCalls(sql: Sql): BucketNameCalls {
  return {
    listBuckets({ ownerId, prefix, after, limit }) {
      const rows = sql.all<{ name: string; created_at_ms: number }>(
        `SELECT name, created_at_ms FROM owned_buckets
         WHERE owner_id = ? AND name >= ? AND name < ? ORDER BY name LIMIT ${PLAN_ONCE} ?`,
        ownerId,
        firstBehind(prefix, after),
        prefixEnd(prefix),
        limit,
      );
      return rows.map((row) => ({ name: row.name as BucketName, createdAtMs: row.created_at_ms }));
    },

    listBucketNames({ after, limit }) {
      const rows = sql.all<{ name: string }>(
        `SELECT name FROM bucket_names WHERE name > ? ORDER BY name LIMIT ${PLAN_ONCE} ?`,
        after,
        limit,
      );
      return rows.map((row) => row.name as BucketName);
    },

    addBucket({ ownerId, name, createdAtMs }) {
      // OR REPLACE: a note that an interrupted delete left behind has the time of a
      // bucket that is gone.
      sql.all(
        'INSERT OR REPLACE INTO owned_buckets (owner_id, name, created_at_ms) VALUES (?, ?, ?)',
        ownerId,
        name,
        createdAtMs,
      );
      sql.all(
        `INSERT INTO bucket_names (name, added_at_ms) VALUES (?, ?)
         ON CONFLICT (name) DO UPDATE SET added_at_ms = max(added_at_ms, excluded.added_at_ms)`,
        name,
        createdAtMs,
      );
    },

    removeBucket({ ownerId, name, createdAtMs }) {
      // The same account may have made the bucket anew since the old one went from
      // its index.
      sql.all(
        'DELETE FROM owned_buckets WHERE owner_id = ? AND name = ? AND created_at_ms <= ?',
        ownerId,
        name,
        createdAtMs,
      );
    },

    forgetBucketName({ name, addedBeforeMs }) {
      // An owner's note that is left is the trace of an interrupted create: no
      // bucket has the name.
      sql.all(
        'DELETE FROM owned_buckets WHERE name = ? AND created_at_ms < ?',
        name,
        addedBeforeMs,
      );
      sql.all('DELETE FROM bucket_names WHERE name = ? AND added_at_ms < ?', name, addedBeforeMs);
    },

    getSweepCursor() {
      const [row] = sql.all<{ started_at_ms: number; after: string | null }>(
        'SELECT started_at_ms, after FROM sweep_turn WHERE id = 0',
      );
      return row === undefined ? null : { startedAtMs: row.started_at_ms, after: row.after };
    },

    setSweepCursor({ startedAtMs, after }) {
      sql.all(
        'INSERT OR REPLACE INTO sweep_turn (id, started_at_ms, after) VALUES (0, ?, ?)',
        startedAtMs,
        after,
      );
    },
  };
}
