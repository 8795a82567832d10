// The incarnations of a bucket name, as the sweeper sees them: what there is to do
// in each, how far it came, and the end of a deleted one of which nothing is left.
// buckets.ts makes and deletes buckets.
import { DROP_EMPTY_SENDER_LIFE_MS } from '../../domain/links/link-limits.ts';
import type { BucketId } from '../../domain/nouns.ts';
import { earlier } from '../../domain/time.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';

type IncarnationCalls = Pick<IndexApi, 'listIncarnations' | 'setSweptUpTo' | 'forgetIncarnation'>;

/** What the sweep must know of an incarnation, as one row. */
type IncarnationRow = {
  id: string;
  deleted_at_ms: number | null;
  swept_up_to: string;
  has_lifecycle: number;
  has_compression: number;
  has_jobs: number;
  searched_at_ms: number | null;
  levels_used_at_ms: number | null;
  idle_upload_ms: number | null;
  selection_ends_ms: number | null;
  drop_file_ends_ms: number | null;
  empty_sender_ms: number | null;
  pack_due_ms: number | null;
  has_sparse_packs: number;
};

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createIncarnationCalls(sql: Sql): IncarnationCalls {
  return {
    listIncarnations({ name }) {
      const rows = sql.all<IncarnationRow>(
        `SELECT id, deleted_at_ms, swept_up_to,
           coalesce(json_extract(settings, '$.lifecycle'), json_extract(settings, '$.trash'))
             IS NOT NULL AS has_lifecycle,
           json_extract(settings, '$.compression') IS NOT NULL AS has_compression,
           EXISTS (SELECT 1 FROM name_jobs WHERE bucket = buckets.n AND is_running = 1) AS has_jobs,
           (SELECT searched_at_ms FROM name_aids WHERE bucket = buckets.n AND search > 0)
             AS searched_at_ms,
           (SELECT min(used_at_ms) FROM key_levels WHERE bucket = buckets.n) AS levels_used_at_ms,
           (SELECT min(active_at_ms) FROM uploads WHERE bucket = buckets.n AND active_at_ms >= 0)
             AS idle_upload_ms,
           (SELECT min(expires_at_ms) FROM selections WHERE bucket = buckets.n)
             AS selection_ends_ms,
           (SELECT min(expires_at_ms) FROM drop_files
            WHERE bucket = buckets.n AND finished_at_ms IS NULL) AS drop_file_ends_ms,
           (SELECT min(created_at_ms) FROM drop_senders WHERE bucket = buckets.n AND files = 0)
             AS empty_sender_ms,
           (SELECT min(due_at_ms) FROM packs WHERE bucket = buckets.n) AS pack_due_ms,
           EXISTS (SELECT 1 FROM blobs INDEXED BY blobs_sparse
                   WHERE bucket = buckets.n AND refs > 0 AND refs <= sparse_refs)
             AS has_sparse_packs
         FROM buckets WHERE name = ? ORDER BY n`,
        name,
      );
      return rows.map((row) => ({
        bucket: { id: row.id as BucketId, name },
        isDeleted: row.deleted_at_ms !== null,
        sweptUpTo: row.swept_up_to,
        hasLifecycle: row.has_lifecycle === 1,
        hasCompression: row.has_compression === 1,
        hasKeyJobs: row.has_jobs === 1,
        searchedAtMs: row.searched_at_ms,
        levelsUsedAtMs: row.levels_used_at_ms,
        idleUploadMs: row.idle_upload_ms,
        selectionEndsMs: row.selection_ends_ms,
        dropRowsEndMs: earlier(
          row.drop_file_ends_ms,
          row.empty_sender_ms === null ? null : row.empty_sender_ms + DROP_EMPTY_SENDER_LIFE_MS,
        ),
        packDueMs: row.pack_due_ms,
        hasSparsePacks: row.has_sparse_packs === 1,
      }));
    },

    setSweptUpTo({ bucket, sweptUpTo }) {
      sql.all(
        'UPDATE buckets SET swept_up_to = ? WHERE id = ? AND name = ?',
        sweptUpTo,
        bucket.id,
        bucket.name,
      );
    },

    forgetIncarnation({ bucket }) {
      // A deleted incarnation without uploads has nothing that refers to a blob:
      // each blob left is in one of two partial indexes.
      const removed = sql.all<{ n: number }>(
        `DELETE FROM buckets WHERE id = ? AND name = ? AND deleted_at_ms IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM uploads WHERE bucket = buckets.n)
           AND NOT EXISTS (
             SELECT 1 FROM blobs
             WHERE bucket = buckets.n AND unreferenced_since_ms IS NOT NULL AND is_held = 0)
           AND NOT EXISTS (
             SELECT 1 FROM blobs WHERE bucket = buckets.n AND refs = 0 AND is_held = 1)
           AND NOT EXISTS (SELECT 1 FROM packs WHERE bucket = buckets.n)
           AND NOT EXISTS (SELECT 1 FROM search_names WHERE bucket = buckets.n)
           AND NOT EXISTS (SELECT 1 FROM search_changes WHERE bucket = buckets.n)
           AND NOT EXISTS (SELECT 1 FROM name_job_items WHERE bucket = buckets.n)
           AND NOT EXISTS (SELECT 1 FROM name_job_keys WHERE bucket = buckets.n)
           AND NOT EXISTS (SELECT 1 FROM name_job_failures WHERE bucket = buckets.n)
           AND NOT EXISTS (SELECT 1 FROM finished_uploads WHERE bucket = buckets.n)
           AND NOT EXISTS (SELECT 1 FROM outbox WHERE place = buckets.id)
         RETURNING n`,
        bucket.id,
        bucket.name,
      );
      for (const { n } of removed) {
        sql.all('DELETE FROM outbox_places WHERE place = ?', bucket.id);
        sql.all('DELETE FROM shards WHERE bucket = ?', n);
      }
    },
  };
}
