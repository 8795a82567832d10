// Rows of drop links that strangers left behind: files that were never finished, and
// senders who never sent one. The sweep removes them, and so does a new sender for
// whom there is no room, so that no link is filled by those who only said hello.
import type { LinkId } from '../../../domain/links/link-ids.ts';
import {
  DROP_EMPTY_SENDER_LEAST_MS,
  DROP_EMPTY_SENDER_LIFE_MS,
  DROP_GIVEN_UP_AT_ONCE,
} from '../../../domain/links/link-limits.ts';
import type { DropLinkCommands } from '../../../ports/index-calls/drop-link-calls.ts';
import type { Sql } from '../../../ports/sql.ts';
import { ROWS_FORGOTTEN_AT_ONCE } from '../../directory/expiring-rows.ts';
import { findIncarnation } from '../../require-bucket.ts';
import { giveUpFiles } from './drop-files.ts';
import { FILE_COLUMNS, type FileRow } from './drop-link-rows.ts';

/**
 * Removes files whose time is over, and senders without one. Contract:
 * `DropLinkCommands.forgetDropRows`.
 */
export function forgetDropRows(
  sql: Sql,
  { bucket, nowMs }: Parameters<DropLinkCommands['forgetDropRows']>[0],
): { isDone: boolean } {
  const n = findIncarnation(sql, bucket);
  if (n === null) return { isDone: true };
  const files = sql.all<FileRow>(
    `SELECT ${FILE_COLUMNS} FROM drop_files
     WHERE bucket = ? AND finished_at_ms IS NULL AND expires_at_ms <= ?
     LIMIT ${DROP_GIVEN_UP_AT_ONCE}`,
    n,
    nowMs,
  );
  const { isDone } = giveUpFiles(sql, n, files, nowMs);

  const senders = sql.all<{ link_id: string }>(
    `DELETE FROM drop_senders WHERE (bucket, link_id, id) IN (
       SELECT bucket, link_id, id FROM drop_senders
       WHERE bucket = ? AND files = 0 AND created_at_ms <= ? LIMIT ${ROWS_FORGOTTEN_AT_ONCE})
       RETURNING link_id`,
    n,
    nowMs - DROP_EMPTY_SENDER_LIFE_MS,
  );
  for (const [linkId, rows] of Map.groupBy(senders, (row) => row.link_id))
    countFewerSenders(sql, n, linkId as LinkId, rows.length);
  return { isDone: isDone && senders.length < ROWS_FORGOTTEN_AT_ONCE };
}

/**
 * Removes the senders of a link without a file who came first, some at a time, but
 * none who may just be choosing his files. Gives how many.
 */
export function dropEmptySenders(sql: Sql, n: number, linkId: LinkId, nowMs: number): number {
  const removed = sql.all(
    `DELETE FROM drop_senders WHERE (bucket, link_id, id) IN (
       SELECT bucket, link_id, id FROM drop_senders
       WHERE bucket = ? AND link_id = ? AND files = 0 AND created_at_ms <= ?
       ORDER BY created_at_ms LIMIT ${ROWS_FORGOTTEN_AT_ONCE})
       RETURNING 1`,
    n,
    linkId,
    nowMs - DROP_EMPTY_SENDER_LEAST_MS,
  );
  countFewerSenders(sql, n, linkId, removed.length);
  return removed.length;
}

function countFewerSenders(sql: Sql, n: number, linkId: LinkId, count: number): void {
  sql.all(
    'UPDATE drop_links SET senders = senders - ? WHERE bucket = ? AND id = ?',
    count,
    n,
    linkId,
  );
}
