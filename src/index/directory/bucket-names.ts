// Which account owns which bucket names, and how far the sweeper came through all
// of them: a part of the directory. The buckets themselves are the index's. Plain
// synchronous code over a SQL port; directory-index.ts makes each call atomic.

import type { BucketLocation } from '../../domain/locations/bucket-locations.ts';
import type { BucketName } from '../../domain/nouns.ts';
import type { DirectoryApi } from '../../ports/directory.ts';
import type { Sql } from '../../ports/sql.ts';
import { firstBehind, prefixEnd } from '../keys/key-order.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

type BucketNameCalls = Pick<
  DirectoryApi,
  | 'listBuckets'
  | 'listBucketNames'
  | 'getBucketName'
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
        `SELECT name FROM bucket_names WHERE name > ?
         UNION SELECT name FROM bucket_locations WHERE name > ?
         ORDER BY name LIMIT ${PLAN_ONCE} ?`,
        after,
        after,
        limit,
      );
      return rows.map((row) => row.name as BucketName);
    },

    getBucketName({ name }) {
      const [row] = sql.all<{ location: string | null }>(
        `SELECT (SELECT location FROM bucket_locations WHERE name = ?) AS location
         WHERE EXISTS (SELECT 1 FROM bucket_names WHERE name = ?)
            OR EXISTS (SELECT 1 FROM bucket_locations WHERE name = ?)`,
        name,
        name,
        name,
      );
      return row === undefined ? null : { location: row.location as BucketLocation | null };
    },

    addBucket({ ownerId, name, createdAtMs, location = null }) {
      if (location !== null) {
        sql.all(
          `INSERT INTO bucket_locations (name, location)
           SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM bucket_names WHERE name = ?)
           ON CONFLICT (name) DO NOTHING`,
          name,
          location,
          name,
        );
      }
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
      sql.all(
        `DELETE FROM bucket_locations
         WHERE name = ? AND NOT EXISTS (SELECT 1 FROM bucket_names WHERE name = ?)`,
        name,
        name,
      );
    },
    ...createSweepCursorCalls(sql),
  };
}

function createSweepCursorCalls(sql: Sql): Pick<DirectoryApi, 'getSweepCursor' | 'setSweepCursor'> {
  return {
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
