// Orphan rows: what a deleted incarnation of a bucket leaves behind besides
// uploads, blobs and search indexes, and no call can reach any more. They go with
// the sweep, so many in one commit, because a bucket may have hundreds of
// thousands. The incarnation's number is used again once it is forgotten, so
// nothing may be left under it then.
import type { BucketAddress } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';
import { findIncarnation } from '../require-bucket.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

/** Rows of each kind that one call removes at most: some 10 ms. */
const ROWS_PER_CALL = 2000;

/**
 * See `IndexCommands.dropOrphanRows`. Messages that wait stay: they report what was
 * before the end.
 */
export function dropOrphanRows(
  sql: Sql,
  { bucket }: { bucket: BucketAddress },
): { isDone: boolean } {
  const n = findIncarnation(sql, bucket);
  if (n === null || !isDeleted(sql, n)) return { isDone: true };
  const removed = [
    ...['name_job_items', 'name_job_keys', 'name_job_failures'].map((table) =>
      sql.all(
        `DELETE FROM ${table} WHERE (bucket, job_id, at) IN (
           SELECT bucket, job_id, at FROM ${table} WHERE bucket = ? LIMIT ${PLAN_ONCE} ?)
           RETURNING 1`,
        n,
        ROWS_PER_CALL,
      ),
    ),
    sql.all(
      `DELETE FROM finished_uploads WHERE id IN (
         SELECT id FROM finished_uploads WHERE bucket = ? LIMIT ${PLAN_ONCE} ?) RETURNING 1`,
      n,
      ROWS_PER_CALL,
    ),
    ...['delivered', 'dead'].map((state) =>
      sql.all(
        `DELETE FROM outbox WHERE id IN (
           SELECT id FROM outbox INDEXED BY outbox_states
           WHERE place = ? AND state = '${state}' LIMIT ${PLAN_ONCE} ?) RETURNING 1`,
        bucket.id,
        ROWS_PER_CALL,
      ),
    ),
  ];
  return { isDone: removed.every((rows) => rows.length < ROWS_PER_CALL) };
}

function isDeleted(sql: Sql, n: number): boolean {
  return (
    sql.all('SELECT 1 AS is_there FROM buckets WHERE n = ? AND deleted_at_ms IS NOT NULL', n)
      .length > 0
  );
}
