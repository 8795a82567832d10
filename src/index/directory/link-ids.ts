// Which bucket has the link of an id: a part of the directory. Plain synchronous
// code over a SQL port; directory-index.ts makes each call atomic.
import type { LinkEntry, LinkId, LinkKind } from '../../domain/links/link-ids.ts';
import type { AccountId, BucketId, BucketName } from '../../domain/nouns.ts';
import type { DirectoryApi } from '../../ports/directory.ts';
import type { LinkIdsApi } from '../../ports/directory-calls/link-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

type LinkRow = {
  readonly id: string;
  readonly kind: string;
  readonly bucket: string;
  readonly bucket_id: string;
  readonly account_id: string;
  readonly created_at_ms: number;
};

/** The calls over a database with DIRECTORY_SCHEMA. */
export function createLinkIdCalls(sql: Sql): Pick<DirectoryApi, keyof LinkIdsApi> {
  return {
    getLinkId({ id }) {
      const [row] = sql.all<LinkRow>(
        `SELECT id, kind, bucket, bucket_id, account_id, created_at_ms
         FROM link_ids WHERE id = ?`,
        id,
      );
      return row === undefined ? null : toEntry(row);
    },

    addLinkId({ entry: { id, kind, bucket, accountId, createdAtMs } }) {
      sql.all(
        `INSERT INTO link_ids (id, kind, bucket, bucket_id, account_id, created_at_ms)
         VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        id,
        kind,
        bucket.name,
        bucket.id,
        accountId,
        createdAtMs,
      );
    },

    removeLinkId({ id, bucketId }) {
      sql.all('DELETE FROM link_ids WHERE id = ? AND bucket_id = ?', id, bucketId);
    },

    removeLinkIds({ bucketId }) {
      sql.all('DELETE FROM link_ids WHERE bucket_id = ?', bucketId);
    },

    listLinkIds({ accountId, kind, before, limit }) {
      // Links of the other kind are passed over: an account has few of each.
      const rows = sql.all<LinkRow>(
        `SELECT id, kind, bucket, bucket_id, account_id, created_at_ms FROM link_ids
         WHERE account_id = ?1 AND (created_at_ms, id) < (?2, ?3) AND (?4 IS NULL OR kind = ?4)
         ORDER BY created_at_ms DESC, id DESC LIMIT ${PLAN_ONCE} ?5`,
        accountId,
        before?.createdAtMs ?? Number.MAX_SAFE_INTEGER,
        before?.id ?? '',
        kind,
        limit,
      );
      return rows.map(toEntry);
    },
  };
}

function toEntry(row: LinkRow): LinkEntry {
  return {
    id: row.id as LinkId,
    kind: row.kind as LinkKind,
    bucket: { id: row.bucket_id as BucketId, name: row.bucket as BucketName },
    accountId: row.account_id as AccountId,
    createdAtMs: row.created_at_ms,
  };
}
