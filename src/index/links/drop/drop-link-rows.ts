// Rows of drop links, their senders and their files, and the plain values they
// stand for. Used by the calls beside this file.
import { StorageError } from '../../../domain/errors.ts';
import {
  type DropFields,
  type DropFile,
  type DropLink,
  type DropProgress,
  type DropSender,
  type DropSettings,
  requireNotClosed,
} from '../../../domain/links/drop-link.ts';
import type { LinkId } from '../../../domain/links/link-ids.ts';
import { DROP_EXPIRED_LEFT_OUT } from '../../../domain/links/link-limits.ts';
import type { ObjectKey, UploadId } from '../../../domain/nouns.ts';
import type { DropLinkState } from '../../../ports/index-calls/drop-link-calls.ts';
import type { Sql, SqlRow } from '../../../ports/sql.ts';

export const LINK_COLUMNS = 'id, created_at_ms, revision, settings, files, bytes, senders';
export type LinkRow = SqlRow & {
  readonly id: string;
  readonly created_at_ms: number;
  readonly revision: number;
  readonly settings: string;
  readonly files: number;
  readonly bytes: number;
  readonly senders: number;
};

export function decodeLink(row: LinkRow): DropLinkState {
  const settings = JSON.parse(row.settings) as DropSettings;
  const { revision, created_at_ms: createdAtMs, files, bytes, senders } = row;
  return {
    link: { ...settings, id: row.id as LinkId, createdAtMs, revision },
    usage: { files, bytes, senders },
  };
}

export function encodeSettings(link: DropLink | DropSettings): string {
  const { prefix, quarantine, template, limits, page, note, expiresAtMs, revokedAtMs } = link;
  return JSON.stringify({
    ...{ prefix, quarantine, template, limits, page, note },
    ...{ expiresAtMs, revokedAtMs },
  } satisfies DropSettings);
}

/** Null: the bucket has no such link. */
export function findLink(sql: Sql, n: number, id: LinkId): DropLinkState | null {
  const [row] = sql.all<LinkRow>(
    `SELECT ${LINK_COLUMNS} FROM drop_links WHERE bucket = ? AND id = ?`,
    n,
    id,
  );
  return row === undefined ? null : decodeLink(row);
}

/**
 * The link as it is at a time: files whose time is over take no place in it any more,
 * though the sweep has not removed them yet. Cost: a seek, and a row for each of them.
 */
export function withoutExpired(
  sql: Sql,
  n: number,
  { link, usage }: DropLinkState,
  nowMs: number,
): DropLinkState {
  const [expired] = sql.all<{ files: number; bytes: number }>(
    `SELECT count(*) AS files, coalesce(sum(length_bytes), 0) AS bytes FROM (
       SELECT length_bytes FROM drop_files INDEXED BY drop_files_unfinished
       WHERE bucket = ? AND link_id = ? AND finished_at_ms IS NULL AND expires_at_ms <= ?
       LIMIT ${DROP_EXPIRED_LEFT_OUT})`,
    n,
    link.id,
    nowMs,
  );
  const { files = 0, bytes = 0 } = expired ?? {};
  return { link, usage: { ...usage, files: usage.files - files, bytes: usage.bytes - bytes } };
}

/** A link that takes files now. NoSuchResource, AccessDenied with the reason. */
export function requireTaking(sql: Sql, n: number, id: LinkId, nowMs: number): DropLinkState {
  const state = requireLink(sql, n, id);
  requireNotClosed(state.link, nowMs);
  return state;
}

/** NoSuchResource. */
export function requireLink(sql: Sql, n: number, id: LinkId): DropLinkState {
  const state = findLink(sql, n, id);
  if (state === null) throw new StorageError('NoSuchResource');
  return state;
}

export const SENDER_COLUMNS = 'id, created_at_ms, fields, files, bytes';
export type SenderRow = SqlRow & {
  readonly id: string;
  readonly created_at_ms: number;
  readonly fields: string;
  readonly files: number;
  readonly bytes: number;
};

export function decodeSender(row: SenderRow): DropSender {
  const { id, created_at_ms: createdAtMs, files, bytes } = row;
  return { id, createdAtMs, files, bytes, fields: JSON.parse(row.fields) as DropFields };
}

export function findSender(sql: Sql, n: number, linkId: LinkId, id: string): DropSender | null {
  const [row] = sql.all<SenderRow>(
    `SELECT ${SENDER_COLUMNS} FROM drop_senders WHERE bucket = ? AND link_id = ? AND id = ?`,
    n,
    linkId,
    id,
  );
  return row === undefined ? null : decodeSender(row);
}

export const FILE_COLUMNS =
  'link_id, id, sender_id, path, key, upload_id, content_type, length_bytes, offset_bytes, ' +
  'pieces, progress, created_at_ms, expires_at_ms, finished_at_ms, sha256';
export type FileRow = SqlRow & {
  readonly link_id: string;
  readonly id: string;
  readonly sender_id: string;
  readonly path: string;
  readonly key: string;
  readonly upload_id: string;
  readonly content_type: string;
  readonly length_bytes: number;
  readonly offset_bytes: number;
  readonly pieces: number;
  readonly progress: string;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
  readonly finished_at_ms: number | null;
  readonly sha256: string | null;
};

export function decodeFile(row: FileRow): DropFile {
  return {
    id: row.id,
    linkId: row.link_id as LinkId,
    senderId: row.sender_id,
    path: row.path,
    key: row.key as ObjectKey,
    uploadId: row.upload_id as UploadId,
    contentType: row.content_type,
    lengthBytes: row.length_bytes,
    offsetBytes: row.offset_bytes,
    pieces: row.pieces,
    progress: JSON.parse(row.progress) as DropProgress,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    finishedAtMs: row.finished_at_ms,
    sha256: row.sha256,
  };
}

export function findFile(sql: Sql, n: number, linkId: LinkId, fileId: string): DropFile | null {
  const [row] = sql.all<FileRow>(
    `SELECT ${FILE_COLUMNS} FROM drop_files WHERE bucket = ? AND link_id = ? AND id = ?`,
    n,
    linkId,
    fileId,
  );
  return row === undefined ? null : decodeFile(row);
}
