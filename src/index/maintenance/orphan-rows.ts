// Orphan rows: what a deleted incarnation of a bucket leaves behind besides
// uploads, blobs and search indexes, and no call can reach any more. They go with
// the sweep, so many in one commit, because a bucket may have hundreds of
// thousands. The incarnation's number is used again once it is forgotten, so
// nothing may be left under it then.
import type { BucketAddress } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';
import { findIncarnation } from '../require-bucket.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { dropPacks } from './packs.ts';

/** Rows of each kind that one call removes at most: some 10 ms. */
const ROWS_PER_CALL = 2000;

/** Tables with their keys: rows of jobs, of uploads, and of links that are gone. */
const TABLES: Readonly<Record<string, string>> = {
  name_job_items: 'bucket, job_id, at',
  name_job_keys: 'bucket, job_id, at',
  name_job_failures: 'bucket, job_id, at',
  finished_uploads: 'id',
  share_labels: 'bucket, link_id, id',
  share_downloads: 'n',
  share_permits: 'bucket, link_id, id',
  share_days: 'bucket, link_id, day_ms, label_id',
  share_sums: 'bucket, link_id, label_id',
  share_history: 'bucket, link_id, at',
  drop_files: 'bucket, link_id, id',
  drop_senders: 'bucket, link_id, id',
};

/**
 * Drops the orphan rows of a deleted incarnation. Contract:
 * `IndexCommands.dropOrphanRows`. Messages that wait stay: they report what was before
 * the end.
 */
export function dropOrphanRows(
  sql: Sql,
  { bucket }: { bucket: BucketAddress },
): { isDone: boolean } {
  const n = findIncarnation(sql, bucket);
  if (n === null || !isDeleted(sql, n)) return { isDone: true };
  dropPacks(sql, n);
  const removed = [
    ...Object.entries(TABLES).map(([table, key]) =>
      sql.all(
        `DELETE FROM ${table} WHERE (${key}) IN (
           SELECT ${key} FROM ${table} WHERE bucket = ? LIMIT ${PLAN_ONCE} ?) RETURNING 1`,
        n,
        ROWS_PER_CALL,
      ),
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
