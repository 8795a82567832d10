// Files that come by drop links. Each is a multipart upload while it comes: a piece
// is a part, the end is one commit. All counts change in the transaction of the row
// that they count, so of many files at once just those that fit are begun.
import { hasCode, StorageError } from '../../../domain/errors.ts';
import {
  type DropFile,
  fileEndMs,
  type ListedDropFile,
  NO_PROGRESS,
} from '../../../domain/links/drop-link.ts';
import type { LinkId } from '../../../domain/links/link-ids.ts';
import {
  DROP_FILE_LIFE_MS,
  DROP_GIVEN_UP_AT_ONCE,
  DROP_PIECES_GIVEN_UP_AT_ONCE,
} from '../../../domain/links/link-limits.ts';
import type { ObjectKey } from '../../../domain/nouns.ts';
import type {
  DropLinkCommands,
  DropLinkQueries,
  DropLinkState,
} from '../../../ports/index-calls/drop-link-calls.ts';
import type { IndexApi } from '../../../ports/metadata-index.ts';
import type { Sql } from '../../../ports/sql.ts';
import { addDelivery } from '../../outbox/outbox-rows.ts';
import { requireBucket } from '../../require-bucket.ts';
import { PLAN_ONCE } from '../../tables/plan-once.ts';
import { completeUpload } from '../../uploads/complete-upload.ts';
import { findUpload } from '../../uploads/upload-rows.ts';
import { dropUpload } from '../../uploads/uploads.ts';
import {
  decodeFile,
  FILE_COLUMNS,
  type FileRow,
  findFile,
  requireLink,
  requireTaking,
} from './drop-link-rows.ts';
import { isNewlyNear, reportNear, requireRoomFor } from './drop-room.ts';

type DropFileCalls = Pick<
  DropLinkQueries & DropLinkCommands,
  | 'getDropFile'
  | 'listDropFiles'
  | 'addDropFile'
  | 'commitDropPiece'
  | 'settleDropLength'
  | 'finishDropFile'
  | 'removeDropFile'
>;
type UploadCalls = Pick<IndexApi, 'createUpload' | 'commitPart'>;

/** Gives an unfinished file its time; the sweep gives up its upload no sooner. */
function keepUntil(sql: Sql, n: number, { linkId, id, key, uploadId }: DropFile, endMs: number) {
  sql.all(
    'UPDATE drop_files SET expires_at_ms = ? WHERE bucket = ? AND link_id = ? AND id = ?',
    endMs,
    n,
    linkId,
    id,
  );
  sql.all(
    'UPDATE uploads SET active_at_ms = ? WHERE bucket = ? AND key = ? AND upload_id = ?',
    endMs,
    n,
    key,
    uploadId,
  );
}

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 * `uploads`: the calls that a file's upload is made with.
 */
export function createDropFileCalls(sql: Sql, uploads: UploadCalls): DropFileCalls {
  return {
    getDropFile: ({ bucket, linkId, fileId }) =>
      findFile(sql, requireBucket(sql, bucket), linkId, fileId),

    listDropFiles: (input) => listFiles(sql, input),

    addDropFile({ bucket, file, upload, nowMs, nearReport }) {
      const n = requireBucket(sql, bucket);
      const { removed } = dropUnfinished(sql, n, file.linkId, { beforeMs: nowMs, nowMs });
      let after: DropLinkState;
      try {
        after = requireRoomFor(sql, n, file, nowMs);
      } catch (error) {
        // A refusal would bring back what was just removed.
        if (removed > 0 && hasCode(error, 'QuotaExceeded')) return null;
        throw error;
      }
      if (nearReport !== undefined && isNewlyNear(sql, n, after)) {
        if (nearReport === null) return { near: after };
        reportNear(sql, n, after, { deliveries: nearReport, nowMs });
      }
      uploads.createUpload({ bucket, upload });
      insertFile(sql, n, file);
      keepUntil(sql, n, file, file.expiresAtMs);
      count(sql, n, file, { files: 1, bytes: file.lengthBytes });
      return after;
    },

    commitDropPiece({ bucket, linkId, fileId, offsetBytes, part, newReferences, progress, nowMs }) {
      const n = requireBucket(sql, bucket);
      const { link } = requireTaking(sql, n, linkId, nowMs);
      const file = requireUnfinished(sql, n, linkId, fileId, nowMs);
      if (file.offsetBytes !== offsetBytes || file.pieces + 1 !== part.partNumber)
        throw new StorageError('ConditionalRequestConflict', {
          detail: 'Another request was first.',
        });
      if (offsetBytes + part.sizeBytes > file.lengthBytes) throw new StorageError('EntityTooLarge');
      const { key, uploadId } = file;
      const stored = uploads.commitPart({ bucket, key, uploadId, part, newReferences });
      if (file.pieces === 0) keepUntil(sql, n, file, fileEndMs(link, nowMs + DROP_FILE_LIFE_MS));
      sql.all(
        `UPDATE drop_files SET offset_bytes = ?, pieces = ?, progress = ?
         WHERE bucket = ? AND link_id = ? AND id = ?`,
        offsetBytes + part.sizeBytes,
        part.partNumber,
        JSON.stringify(progress),
        n,
        linkId,
        fileId,
      );
      return stored;
    },

    settleDropLength({ bucket, linkId, fileId, nowMs }) {
      const n = requireBucket(sql, bucket);
      const file = requireUnfinished(sql, n, linkId, fileId, nowMs);
      const { offsetBytes } = file;
      sql.all(
        'UPDATE drop_files SET length_bytes = ? WHERE bucket = ? AND link_id = ? AND id = ?',
        offsetBytes,
        n,
        linkId,
        fileId,
      );
      count(sql, n, file, { files: 0, bytes: offsetBytes - file.lengthBytes });
      return { ...file, lengthBytes: offsetBytes };
    },

    finishDropFile: (input) => finishFile(sql, input),

    removeDropFile({ bucket, linkId, fileId, nowMs }) {
      const n = requireBucket(sql, bucket);
      const file = findFile(sql, n, linkId, fileId);
      if (file === null || file.finishedAtMs !== null) throw new StorageError('NoSuchResource');
      giveUpFile(sql, n, file, nowMs);
    },
  };
}

/** Makes an object of a file's pieces. Contract: `DropLinkCommands.finishDropFile`. */
function finishFile(
  sql: Sql,
  input: Parameters<DropLinkCommands['finishDropFile']>[0],
): ReturnType<DropLinkCommands['finishDropFile']> {
  const { bucket, linkId, fileId, toKey, parts, object, sha256, deliveries } = input;
  const n = requireBucket(sql, bucket);
  const nowMs = object.lastModifiedMs;
  const known = findFile(sql, n, linkId, fileId);
  if (known !== null && known.finishedAtMs !== null)
    return { version: null, file: known, state: requireLink(sql, n, linkId) };
  const state = requireTaking(sql, n, linkId, nowMs);
  const file = requireUnfinished(sql, n, linkId, fileId, nowMs);
  if (file.offsetBytes !== file.lengthBytes)
    throw new StorageError('ConditionalRequestConflict', { detail: 'Bytes are missing.' });
  const { key, uploadId } = file;
  const condition = { ifMatch: null, ifNoneMatch: '*' } as const;
  const version = completeUpload(sql, { bucket, key, uploadId, parts, object, condition }, toKey);
  sql.all(
    `UPDATE drop_files SET key = ?, finished_at_ms = ?, sha256 = ?, etag = ?, progress = ?
     WHERE bucket = ? AND link_id = ? AND id = ?`,
    toKey,
    nowMs,
    sha256,
    object.etag,
    JSON.stringify(NO_PROGRESS),
    n,
    linkId,
    fileId,
  );
  for (const delivery of deliveries) addDelivery(sql, delivery, nowMs);
  const finished = { ...file, key: toKey, finishedAtMs: nowMs, sha256, progress: NO_PROGRESS };
  return { version, file: finished, state };
}

/** What one call has removed, and whether nothing more of it is left. */
type Removal = { readonly removed: number; readonly isDone: boolean };

/** Removes files of a link that end before a time and are not finished, some at a time. */
export function dropUnfinished(
  sql: Sql,
  n: number,
  linkId: LinkId,
  { beforeMs, nowMs }: { readonly beforeMs: number; readonly nowMs: number },
): Removal {
  const rows = sql.all<FileRow>(
    `SELECT ${FILE_COLUMNS} FROM drop_files INDEXED BY drop_files_unfinished
     WHERE bucket = ? AND link_id = ? AND finished_at_ms IS NULL AND expires_at_ms <= ?
     ORDER BY expires_at_ms LIMIT ${DROP_GIVEN_UP_AT_ONCE}`,
    n,
    linkId,
    beforeMs,
  );
  return giveUpFiles(sql, n, rows, nowMs);
}

/** Removes the first of these files, of which there may be DROP_GIVEN_UP_AT_ONCE. */
export function giveUpFiles(sql: Sql, n: number, rows: readonly FileRow[], nowMs: number): Removal {
  let removed = 0;
  let pieces = 0;
  for (const row of rows) {
    if (pieces >= DROP_PIECES_GIVEN_UP_AT_ONCE) break;
    giveUpFile(sql, n, decodeFile(row), nowMs);
    removed += 1;
    pieces += row.pieces;
  }
  return { removed, isDone: removed === rows.length && removed < DROP_GIVEN_UP_AT_ONCE };
}

/** Removes an unfinished file with its upload, and no longer counts it. */
function giveUpFile(sql: Sql, n: number, file: DropFile, nowMs: number): void {
  const open = findUpload(sql, n, file.key, file.uploadId);
  if (open !== null) dropUpload(sql, n, open, nowMs);
  sql.all(
    'DELETE FROM drop_files WHERE bucket = ? AND link_id = ? AND id = ?',
    n,
    file.linkId,
    file.id,
  );
  count(sql, n, file, { files: -1, bytes: -file.lengthBytes });
}

/** NoSuchResource for a file that is finished, over or was never begun. */
function requireUnfinished(
  sql: Sql,
  n: number,
  linkId: LinkId,
  fileId: string,
  nowMs: number,
): DropFile {
  const file = findFile(sql, n, linkId, fileId);
  const isUnfinished = file !== null && file.finishedAtMs === null && file.expiresAtMs > nowMs;
  if (!isUnfinished) throw new StorageError('NoSuchResource');
  return file;
}

function insertFile(sql: Sql, n: number, file: DropFile): void {
  sql.all(
    `INSERT INTO drop_files (bucket, link_id, id, sender_id, path, key, upload_id, content_type,
       length_bytes, progress, created_at_ms, expires_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    n,
    file.linkId,
    file.id,
    file.senderId,
    file.path,
    file.key,
    file.uploadId,
    file.contentType,
    file.lengthBytes,
    JSON.stringify(file.progress),
    file.createdAtMs,
    file.expiresAtMs,
  );
}

function count(
  sql: Sql,
  n: number,
  { linkId, senderId }: Pick<DropFile, 'linkId' | 'senderId'>,
  { files, bytes }: { readonly files: number; readonly bytes: number },
): void {
  sql.all(
    'UPDATE drop_links SET files = files + ?, bytes = bytes + ? WHERE bucket = ? AND id = ?',
    files,
    bytes,
    n,
    linkId,
  );
  sql.all(
    `UPDATE drop_senders SET files = files + ?, bytes = bytes + ?
     WHERE bucket = ? AND link_id = ? AND id = ?`,
    files,
    bytes,
    n,
    linkId,
    senderId,
  );
}

function listFiles(
  sql: Sql,
  { bucket, linkId, senderId, after, limit }: Parameters<DropLinkQueries['listDropFiles']>[0],
): readonly ListedDropFile[] {
  const n = requireBucket(sql, bucket);
  const rows =
    senderId === null
      ? sql.all<ListedRow>(
          `SELECT ${FILE_COLUMNS}, ${IS_STORED} FROM drop_files
           WHERE bucket = ? AND link_id = ? AND id > ?
           ORDER BY id LIMIT ${PLAN_ONCE} ?`,
          n,
          linkId,
          after,
          limit,
        )
      : sql.all<ListedRow>(
          `SELECT ${FILE_COLUMNS}, ${IS_STORED} FROM drop_files INDEXED BY drop_files_by_sender
           WHERE bucket = ? AND link_id = ? AND sender_id = ? AND id > ?
           ORDER BY id LIMIT ${PLAN_ONCE} ?`,
          n,
          linkId,
          senderId,
          after,
          limit,
        );
  return rows.map((row) => ({ ...decodeFile(row), isStored: row.is_stored === 1 }));
}

type ListedRow = FileRow & { readonly is_stored: number };
const IS_STORED = `EXISTS (SELECT 1 FROM objects AS o
  WHERE o.bucket = drop_files.bucket AND o.key = drop_files.key
    AND o.etag = coalesce(drop_files.etag, o.etag)) AS is_stored`;

/**
 * Gives files another key whose object got it: a release from quarantine, or any
 * other move within the bucket, or its undoing. Cost: one statement.
 */
export function moveDropFiles(
  sql: Sql,
  n: number,
  { key, etag }: { readonly key: ObjectKey; readonly etag: string },
  toKey: ObjectKey,
): void {
  sql.all(
    `UPDATE drop_files INDEXED BY drop_files_by_key SET key = ?
     WHERE bucket = ? AND key = ? AND finished_at_ms IS NOT NULL AND coalesce(etag, ?) = ?`,
    toKey,
    n,
    key,
    etag,
    etag,
  );
}
