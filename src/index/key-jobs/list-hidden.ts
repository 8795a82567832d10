// Keys that a delete marker hides, with what would come back: the trash of a bucket,
// and what jobs moved away.
// Called by key-jobs.ts.
import type { ObjectKey, VersionId } from '../../domain/nouns.ts';
import type { HiddenKey } from '../../ports/index-calls/key-job-calls.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { firstBehind, prefixEnd } from '../keys/key-order.ts';
import { MARKER_DETAILS } from '../objects/object-rows.ts';
import { requireBucket } from '../require-bucket.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

/**
 * Markers of a key that a list passes at most to find the version behind them: each
 * deletion of a hidden key adds one.
 */
const MARKERS_SCANNED_MAX = 250;

type HiddenRow = {
  readonly key: string;
  readonly version_id: string;
  readonly last_modified_ms: number;
  readonly detail: string | null;
};
type NewestRow = {
  readonly version_id: string;
  readonly size_bytes: number;
  readonly etag: string;
  readonly last_modified_ms: number;
  readonly storage_class: string;
};

/** Lists keys that a delete marker hides. Contract: `KeyQueries.listHidden`. */
export function listHidden(
  sql: Sql,
  input: Parameters<IndexApi['listHidden']>[0],
): readonly HiddenKey[] {
  const { prefix, after, limit } = input;
  const n = requireBucket(sql, input.bucket);
  const rows = sql.all<HiddenRow>(
    // By its name: SQLite's planner would go over all versions of the prefix
    // instead, most of which are not hidden.
    `SELECT key, version_id, last_modified_ms, detail FROM versions INDEXED BY versions_hiding
     WHERE bucket = ? AND key >= ? AND key < ? AND is_marker = 1 AND replaced_at_ms IS NULL
     ORDER BY key LIMIT ${PLAN_ONCE} ?`,
    n,
    firstBehind(prefix, after),
    prefixEnd(prefix),
    limit,
  );
  return rows.map((row) => {
    const [newest] = sql.all<NewestRow>(
      `SELECT version_id, size_bytes, etag, last_modified_ms, storage_class FROM (
         SELECT version_id, size_bytes, etag, last_modified_ms, storage_class, is_marker
         FROM versions
         WHERE bucket = ? AND key = ? AND version_id < ?
         ORDER BY version_id DESC LIMIT ${PLAN_ONCE} ?
       ) WHERE is_marker = 0 LIMIT 1`,
      n,
      row.key,
      row.version_id,
      MARKERS_SCANNED_MAX,
    );
    return {
      key: row.key as ObjectKey,
      hiddenAtMs: row.last_modified_ms,
      isMoved: row.detail === MARKER_DETAILS.moved,
      newest:
        newest === undefined
          ? null
          : {
              versionId: newest.version_id as VersionId,
              sizeBytes: newest.size_bytes,
              etag: newest.etag,
              lastModifiedMs: newest.last_modified_ms,
              storageClass: newest.storage_class,
            },
    };
  });
}
