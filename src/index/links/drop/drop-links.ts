// The drop links of a bucket and their senders: rows that their owner changes, and
// counts that files change (drop-files.ts).
import { StorageError } from '../../../domain/errors.ts';
import type { LinkId } from '../../../domain/links/link-ids.ts';
import {
  DROP_ROWS_REMOVED_AT_ONCE,
  DROP_SENDERS_MAX,
  DROP_SENDERS_PER_SOURCE,
  DROP_SOURCE_WINDOW_MS,
} from '../../../domain/links/link-limits.ts';
import type {
  DropLinkCommands,
  DropLinkQueries,
  DropLinkState,
} from '../../../ports/index-calls/drop-link-calls.ts';
import type { Sql } from '../../../ports/sql.ts';
import { requireBucket } from '../../require-bucket.ts';
import { PLAN_ONCE } from '../../tables/plan-once.ts';
import { dropHistory, noteChange } from '../link-history.ts';
import { dropUnfinished } from './drop-files.ts';
import {
  decodeLink,
  decodeSender,
  encodeSettings,
  findLink,
  findSender,
  LINK_COLUMNS,
  type LinkRow,
  requireLink,
  requireTaking,
  SENDER_COLUMNS,
  type SenderRow,
  withoutExpired,
} from './drop-link-rows.ts';
import { dropEmptySenders } from './forget-drop-rows.ts';

type DropLinkCalls = Pick<
  DropLinkQueries & DropLinkCommands,
  | 'getDropLink'
  | 'listDropLinks'
  | 'getDropSender'
  | 'listDropSenders'
  | 'addDropLink'
  | 'changeDropLink'
  | 'revokeDropLinks'
  | 'removeDropLink'
  | 'addDropSender'
>;

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createDropLinkCalls(sql: Sql): DropLinkCalls {
  return {
    getDropLink({ bucket, id, nowMs }) {
      const n = requireBucket(sql, bucket);
      const state = findLink(sql, n, id);
      return state === null ? null : withoutExpired(sql, n, state, nowMs);
    },

    listDropLinks: (input) => listLinks(sql, input),

    getDropSender: ({ bucket, linkId, id }) =>
      findSender(sql, requireBucket(sql, bucket), linkId, id),

    listDropSenders: ({ bucket, linkId, after, limit }) =>
      sql
        .all<SenderRow>(
          `SELECT ${SENDER_COLUMNS} FROM drop_senders
           WHERE bucket = ? AND link_id = ? AND id > ? ORDER BY id LIMIT ${PLAN_ONCE} ?`,
          requireBucket(sql, bucket),
          linkId,
          after,
          limit,
        )
        .map(decodeSender),

    addDropLink({ bucket, link, max, entry }) {
      const n = requireBucket(sql, bucket);
      if (findLink(sql, n, link.id) !== null) return;
      const [row] = sql.all<{ count: number }>(
        'SELECT count(*) AS count FROM drop_links WHERE bucket = ?',
        n,
      );
      if ((row?.count ?? 0) >= max)
        throw new StorageError('InvalidRequest', {
          detail: `A bucket has ${max} drop links at most.`,
        });
      sql.all(
        `INSERT INTO drop_links (bucket, id, created_at_ms, revision, settings)
         VALUES (?, ?, ?, ?, ?)`,
        n,
        link.id,
        link.createdAtMs,
        link.revision,
        encodeSettings(link),
      );
      noteChange(sql, n, link.id, entry);
    },

    changeDropLink({ bucket, id, revision, settings, entry }) {
      const n = requireBucket(sql, bucket);
      const { link } = requireLink(sql, n, id);
      if (link.revision !== revision) throw new StorageError('PreconditionFailed');
      sql.all(
        'UPDATE drop_links SET settings = ?, revision = revision + 1 WHERE bucket = ? AND id = ?',
        encodeSettings(settings),
        n,
        id,
      );
      noteChange(sql, n, id, entry);
      return requireLink(sql, n, id);
    },

    revokeDropLinks: (input) => revokeBelow(sql, input),

    removeDropLink({ bucket, id, nowMs }) {
      const n = requireBucket(sql, bucket);
      return { isDone: removeLink(sql, n, id, nowMs) };
    },

    addDropSender({ bucket, linkId, id, fields, source, nowMs }) {
      const n = requireBucket(sql, bucket);
      const { usage } = requireTaking(sql, n, linkId, nowMs);
      const isFull = usage.senders >= DROP_SENDERS_MAX;
      if (isFull && dropEmptySenders(sql, n, linkId, nowMs) === 0)
        throw new StorageError('AccessDenied', { detail: 'This link has too many senders.' });
      requireFewOfSource(sql, n, linkId, source, nowMs);
      sql.all(
        `INSERT INTO drop_senders (bucket, link_id, id, created_at_ms, source, fields)
         VALUES (?, ?, ?, ?, ?, ?)`,
        n,
        linkId,
        id,
        nowMs,
        source,
        JSON.stringify(fields),
      );
      sql.all('UPDATE drop_links SET senders = senders + 1 WHERE bucket = ? AND id = ?', n, linkId);
    },
  };
}

/** Lists drop links by id. Contract: `DropLinkQueries.listDropLinks`. */
function listLinks(
  sql: Sql,
  { bucket, after, limit, nowMs }: Parameters<DropLinkQueries['listDropLinks']>[0],
): readonly DropLinkState[] {
  const n = requireBucket(sql, bucket);
  const rows = sql.all<LinkRow>(
    `SELECT ${LINK_COLUMNS} FROM drop_links WHERE bucket = ? AND id > ?
     ORDER BY id LIMIT ${PLAN_ONCE} ?`,
    n,
    after,
    limit,
  );
  return rows.map((row) => withoutExpired(sql, n, decodeLink(row), nowMs));
}

/** Revokes the drop links below a prefix. Contract: `DropLinkCommands.revokeDropLinks`. */
function revokeBelow(
  sql: Sql,
  { bucket, prefix, changer, nowMs }: Parameters<DropLinkCommands['revokeDropLinks']>[0],
): number {
  const n = requireBucket(sql, bucket);
  const below = (member: string) => `substr(settings ->> '$.${member}', 1, length(?2)) = ?2`;
  const revoked = sql.all<{ id: LinkId }>(
    `UPDATE drop_links
     SET settings = json_set(settings, '$.revokedAtMs', ?3), revision = revision + 1
     WHERE bucket = ?1 AND settings ->> '$.revokedAtMs' IS NULL
       AND (${below('prefix')} OR ${below('quarantine')}) RETURNING id`,
    n,
    prefix,
    nowMs,
  );
  const changes = { revokedAtMs: [null, nowMs] as const };
  const entry = { ...changer, atMs: nowMs, action: 'revoked', changes } as const;
  for (const { id } of revoked) noteChange(sql, n, id, entry);
  return revoked.length;
}

/** TooManyRequests for a source that became many senders within the window. */
function requireFewOfSource(
  sql: Sql,
  n: number,
  linkId: LinkId,
  source: string,
  nowMs: number,
): void {
  const [row] = sql.all<{ count: number; first_ms: number | null }>(
    `SELECT count(*) AS count, min(created_at_ms) AS first_ms FROM drop_senders
     WHERE bucket = ? AND link_id = ? AND source = ? AND created_at_ms > ?`,
    n,
    linkId,
    source,
    nowMs - DROP_SOURCE_WINDOW_MS,
  );
  if ((row?.count ?? 0) < DROP_SENDERS_PER_SOURCE) return;
  const waitMs = (row?.first_ms ?? nowMs) + DROP_SOURCE_WINDOW_MS - nowMs;
  throw new StorageError('TooManyRequests', {
    detail: 'Too many senders came from your address today. Continue with the code that you have.',
    fields: { RetryAfterSeconds: `${Math.ceil(waitMs / 1000)}` },
  });
}

/** Whether nothing of it is left. */
function removeLink(sql: Sql, n: number, id: LinkId, nowMs: number): boolean {
  const beforeMs = Number.MAX_SAFE_INTEGER;
  if (!dropUnfinished(sql, n, id, { beforeMs, nowMs }).isDone) return false;
  for (const table of ['drop_files', 'drop_senders'] as const) {
    const rows = sql.all(
      table === 'drop_files'
        ? `DELETE FROM drop_files WHERE (bucket, link_id, id) IN (
             SELECT bucket, link_id, id FROM drop_files WHERE bucket = ? AND link_id = ?
             LIMIT ${DROP_ROWS_REMOVED_AT_ONCE}) RETURNING id`
        : `DELETE FROM drop_senders WHERE (bucket, link_id, id) IN (
             SELECT bucket, link_id, id FROM drop_senders WHERE bucket = ? AND link_id = ?
             LIMIT ${DROP_ROWS_REMOVED_AT_ONCE}) RETURNING id`,
      n,
      id,
    );
    if (rows.length >= DROP_ROWS_REMOVED_AT_ONCE) return false;
  }
  dropHistory(sql, n, id);
  sql.all('DELETE FROM drop_links WHERE bucket = ? AND id = ?', n, id);
  return true;
}
