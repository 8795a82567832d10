// What a drop link has room for, and whether little of it is left. Used by
// drop-files.ts in the transaction that begins a file.
import { StorageError } from '../../../domain/errors.ts';
import {
  type DropFile,
  type DropLink,
  type DropSender,
  isNearLimit,
} from '../../../domain/links/drop-link.ts';
import { DROP_OPEN_FILES_MAX } from '../../../domain/links/link-limits.ts';
import type { DropLinkState } from '../../../ports/index-calls/drop-link-calls.ts';
import type { NewDelivery } from '../../../ports/outbox.ts';
import type { Sql } from '../../../ports/sql.ts';
import { addDelivery } from '../../outbox/outbox-rows.ts';
import { findSender, requireTaking } from './drop-link-rows.ts';

/**
 * Gives the link with the file counted in. AccessDenied (closed, no such sender),
 * EntityTooLarge, QuotaExceeded with the limit.
 */
export function requireRoomFor(sql: Sql, n: number, file: DropFile, nowMs: number): DropLinkState {
  const { linkId, senderId, lengthBytes } = file;
  const { link, usage } = requireTaking(sql, n, linkId, nowMs);
  const sender = findSender(sql, n, linkId, senderId);
  if (sender === null) throw new StorageError('AccessDenied');
  requireWithin(link, lengthBytes, usage, sender);
  requireFewUnfinished(sql, n, file);
  const { files, bytes } = usage;
  return { link, usage: { ...usage, files: files + 1, bytes: bytes + lengthBytes } };
}

/** Throws EntityTooLarge, or QuotaExceeded with the limit, for a file beyond a limit. */
function requireWithin(
  { limits }: DropLink,
  lengthBytes: number,
  usage: { readonly files: number; readonly bytes: number },
  sender: DropSender,
): void {
  if (limits.fileBytes !== null && lengthBytes > limits.fileBytes) {
    throw new StorageError('EntityTooLarge', {
      fields: { ProposedSize: `${lengthBytes}`, MaxSizeAllowed: `${limits.fileBytes}` },
    });
  }
  const sums = [
    ['files', usage.files + 1, limits.files],
    ['totalBytes', usage.bytes + lengthBytes, limits.totalBytes],
    ['senderFiles', sender.files + 1, limits.senderFiles],
    ['senderBytes', sender.bytes + lengthBytes, limits.senderBytes],
  ] as const;
  for (const [name, sum, max] of sums) {
    if (max === null || sum <= max) continue;
    throw new StorageError('QuotaExceeded', {
      detail: 'This link takes no more than has come.',
      fields: { Limit: name, MaxAllowed: `${max}` },
    });
  }
}

function requireFewUnfinished(sql: Sql, n: number, { linkId, senderId }: DropFile): void {
  const [row] = sql.all<{ count: number }>(
    `SELECT count(*) AS count FROM (
       SELECT 1 FROM drop_files INDEXED BY drop_files_unfinished
       WHERE bucket = ? AND link_id = ? AND sender_id = ? AND finished_at_ms IS NULL
       LIMIT ${DROP_OPEN_FILES_MAX})`,
    n,
    linkId,
    senderId,
  );
  if ((row?.count ?? 0) < DROP_OPEN_FILES_MAX) return;
  throw new StorageError('QuotaExceeded', {
    detail: `Finish some of your ${DROP_OPEN_FILES_MAX} files first.`,
    fields: { Limit: 'unfinishedFiles', MaxAllowed: `${DROP_OPEN_FILES_MAX}` },
  });
}

const limitsText = ({ limits: { files, totalBytes } }: DropLink): string =>
  JSON.stringify([files, totalBytes]);

/** Whether the link is near limits that were not reported yet. Changed limits count anew. */
export function isNewlyNear(sql: Sql, n: number, { link, usage }: DropLinkState): boolean {
  if (!isNearLimit(link, usage)) return false;
  const [row] = sql.all<{ near_limits: string | null }>(
    'SELECT near_limits FROM drop_links WHERE bucket = ? AND id = ?',
    n,
    link.id,
  );
  return row?.near_limits !== limitsText(link);
}

/** Enqueues the webhooks about limits that are near, and notes them as reported. */
export function reportNear(
  sql: Sql,
  n: number,
  { link }: DropLinkState,
  { deliveries, nowMs }: { readonly deliveries: readonly NewDelivery[]; readonly nowMs: number },
): void {
  for (const delivery of deliveries) addDelivery(sql, delivery, nowMs);
  sql.all(
    'UPDATE drop_links SET near_limits = ? WHERE bucket = ? AND id = ?',
    limitsText(link),
    n,
    link.id,
  );
}
