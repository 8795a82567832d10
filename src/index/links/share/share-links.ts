// Share links as rows of their bucket: made, changed, listed and deleted, each
// change with an entry of history. Plain synchronous code over a SQL port;
// bucket-index.ts makes each call atomic.
import { StorageError } from '../../../domain/errors.ts';
import { LABELS_PER_LINK_MAX, LINKS_PER_BUCKET_MAX } from '../../../domain/links/link-limits.ts';
import { isTargetBelow, type ShareLink } from '../../../domain/links/share-links.ts';
import type { ShareHistoryEntry } from '../../../domain/links/share-records.ts';
import type {
  ShareLinkCommands,
  ShareLinkQueries,
  SharePosition,
} from '../../../ports/index-calls/share-link-calls.ts';
import type { Sql } from '../../../ports/sql.ts';
import { readBucketOfReaders } from '../../objects/objects.ts';
import { requireBucket } from '../../require-bucket.ts';
import { PLAN_ONCE } from '../../tables/plan-once.ts';
import { listHistory, noteChange } from '../link-history.ts';
import {
  decodeShare,
  dropShare,
  findLiveBucket,
  findShareLabel,
  findShareRow,
  listShareLabels,
  requireShareRow,
  type ShareLinkRow,
  usageOf,
} from './share-rows.ts';
import { sumOfLink } from './share-statistics.ts';

type ShareCalls = Pick<
  ShareLinkQueries & ShareLinkCommands,
  | 'getShareLink'
  | 'findShareLink'
  | 'getShareUsage'
  | 'listShareLinks'
  | 'listShareHistory'
  | 'addShareLink'
  | 'changeShareLink'
  | 'revokeShareLinks'
  | 'deleteShareLink'
  | 'putShareLabel'
>;

/** The calls over a database with INDEX_SCHEMA. */
export function createShareLinkCalls(sql: Sql): ShareCalls {
  return { ...createQueries(sql), ...createCommands(sql) };
}

type Queries = Pick<
  ShareCalls,
  'getShareLink' | 'findShareLink' | 'getShareUsage' | 'listShareLinks' | 'listShareHistory'
>;

function createQueries(sql: Sql): Queries {
  return {
    getShareLink({ bucket, id }) {
      const n = findLiveBucket(sql, bucket);
      const row = n === null ? null : findShareRow(sql, n, id);
      if (n === null || row === null) return null;
      return {
        link: decodeShare(row),
        labels: listShareLabels(sql, n, id),
        usage: usageOf(sql, n, id, row),
      };
    },

    findShareLink({ bucket, id, labelId }) {
      const n = findLiveBucket(sql, bucket);
      const row = n === null ? null : findShareRow(sql, n, id);
      if (n === null || row === null) return null;
      const label = labelId === null ? null : findShareLabel(sql, n, id, labelId);
      const record = readBucketOfReaders(sql, bucket.name);
      if (record === null || (label === null && labelId !== null)) return null;
      return { link: decodeShare(row), label, bucket: record };
    },

    getShareUsage({ bucket, id }) {
      const n = findLiveBucket(sql, bucket);
      const row = n === null ? null : findShareRow(sql, n, id);
      if (n === null || row === null) return null;
      return { link: decodeShare(row), usage: usageOf(sql, n, id, row) };
    },

    listShareLinks({ bucket, before, limit }) {
      const n = requireBucket(sql, bucket);
      const rows = sql.all<ShareLinkRow & { labels: number }>(
        `SELECT s.link, s.completed, s.bytes, s.aborted_ppb, s.last_used_ms,
           (SELECT count(*) FROM share_labels AS l
            WHERE l.bucket = s.bucket AND l.link_id = s.id) AS labels
         FROM share_links AS s
         WHERE s.bucket = ?1 AND (s.created_at_ms, s.id) < (?2, ?3)
         ORDER BY s.created_at_ms DESC, s.id DESC LIMIT ${PLAN_ONCE} ?4`,
        n,
        before?.createdAtMs ?? Number.MAX_SAFE_INTEGER,
        before?.id ?? '',
        limit,
      );
      return rows.map((row) => {
        const link = decodeShare(row);
        const usage = usageOf(sql, n, link.id, row);
        const sums = sumOfLink(sql, n, link.id);
        return { link, labelCount: row.labels, usage, sums, lastUsedMs: row.last_used_ms };
      });
    },

    listShareHistory({ bucket, id }) {
      return listHistory(sql, requireBucket(sql, bucket), id);
    },
  };
}

function createCommands(sql: Sql): Omit<ShareCalls, keyof Queries> {
  return {
    addShareLink({ bucket, link, entry }) {
      const n = requireBucket(sql, bucket);
      if (findShareRow(sql, n, link.id) !== null) return;
      requireRoom(sql, 'SELECT count(*) AS count FROM share_links WHERE bucket = ?', [n], {
        max: LINKS_PER_BUCKET_MAX,
        detail: `A bucket may have ${LINKS_PER_BUCKET_MAX} share links. Delete some first.`,
      });
      sql.all(
        `INSERT INTO share_links (bucket, id, created_at_ms, revision, link)
         VALUES (?, ?, ?, ?, ?)`,
        n,
        link.id,
        link.createdAtMs,
        link.revision,
        JSON.stringify(link),
      );
      noteChange(sql, n, link.id, entry);
    },

    changeShareLink({ bucket, link, entry }) {
      const n = requireBucket(sql, bucket);
      requireShareRow(sql, n, link.id);
      replaceLink(sql, n, link, entry);
    },

    revokeShareLinks({ bucket, prefix, changer, atMs, before, limit }) {
      const n = requireBucket(sql, bucket);
      const links = linksBehind(sql, n, before, limit).map(decodeShare);
      const below = links.filter(({ target }) => isTargetBelow(target, prefix));
      for (const link of below) {
        if (link.revokedAtMs !== null) continue;
        const changes = { revokedAtMs: [null, atMs] as const };
        const entry = { ...changer, atMs, action: 'revoked' as const, changes };
        replaceLink(sql, n, { ...link, revokedAtMs: atMs, revision: link.revision + 1 }, entry);
      }
      const revoked = below.filter(({ revokedAtMs }) => (revokedAtMs ?? atMs) === atMs);
      const last = links.length < limit ? undefined : links.at(-1);
      return {
        revoked: revoked.map(({ id }) => id),
        last: last === undefined ? null : { id: last.id, createdAtMs: last.createdAtMs },
      };
    },

    deleteShareLink({ bucket, id }) {
      dropShare(sql, requireBucket(sql, bucket), id);
    },

    putShareLabel({ bucket, linkId, label, entry }) {
      const n = requireBucket(sql, bucket);
      requireShareRow(sql, n, linkId);
      if (findShareLabel(sql, n, linkId, label.id) === null)
        requireRoom(
          sql,
          'SELECT count(*) AS count FROM share_labels WHERE bucket = ? AND link_id = ?',
          [n, linkId],
          {
            max: LABELS_PER_LINK_MAX,
            detail: `A link may have ${LABELS_PER_LINK_MAX} labels. Make another link.`,
          },
        );
      sql.all(
        `INSERT OR REPLACE INTO share_labels
           (bucket, link_id, id, name, created_at_ms, revoked_at_ms)
         VALUES (?, ?, ?, ?, ?, ?)`,
        n,
        linkId,
        label.id,
        label.name,
        label.createdAtMs,
        label.revokedAtMs,
      );
      noteChange(sql, n, linkId, entry);
    },
  };
}

/** The rows of links behind one of the list, newest first. */
function linksBehind(sql: Sql, n: number, before: SharePosition | null, limit: number) {
  return sql.all<Pick<ShareLinkRow, 'link'>>(
    `SELECT link FROM share_links
     WHERE bucket = ?1 AND (created_at_ms, id) < (?2, ?3)
     ORDER BY created_at_ms DESC, id DESC LIMIT ${PLAN_ONCE} ?4`,
    n,
    before?.createdAtMs ?? Number.MAX_SAFE_INTEGER,
    before?.id ?? '',
    limit,
  );
}

/** Stores a link in place of the revision before, and notes it. PreconditionFailed. */
function replaceLink(sql: Sql, n: number, link: ShareLink, entry: ShareHistoryEntry): void {
  const changed = sql.all(
    `UPDATE share_links SET link = ?, revision = ?
     WHERE bucket = ? AND id = ? AND revision = ? RETURNING id`,
    JSON.stringify(link),
    link.revision,
    n,
    link.id,
    link.revision - 1,
  );
  if (changed.length === 0) throw new StorageError('PreconditionFailed');
  noteChange(sql, n, link.id, entry);
}

/** QuotaExceeded where a count is at its bound. */
function requireRoom(
  sql: Sql,
  query: string,
  values: readonly (string | number)[],
  { max, detail }: { readonly max: number; readonly detail: string },
): void {
  const [row] = sql.all<{ count: number }>(query, ...values);
  if ((row?.count ?? 0) >= max) throw new StorageError('QuotaExceeded', { detail });
}
