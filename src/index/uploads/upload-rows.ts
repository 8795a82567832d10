// Multipart uploads and parts as rows, and back: what uploads.ts and
// complete-upload.ts share. A part has a row of its own, or stands in that of its blob
// (joined-parts.ts); both are read here together.
import { StorageError } from '../../domain/errors.ts';
import type { ChecksumAlgorithm, ObjectKey, Segment, UploadId } from '../../domain/nouns.ts';
import { NO_FACTS } from '../../domain/object-facts.ts';
import type { Upload, UploadedPart } from '../../ports/index-calls/upload-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { type BlobReferences, referencesOf, type SavedBytes } from '../objects/blob-references.ts';
import { savedByCompression } from '../objects/compression-savings.ts';
import { decodeSegments, encodeSegments } from '../objects/object-rows.ts';
import { rowChanged } from '../objects/row-changes.ts';
import { readJoinedParts } from '../parts/joined-parts.ts';
import { isCountedLate, isLateRow } from '../parts/late-parts.ts';
import { oneRow, type RowState } from '../usage/row-state.ts';
import { addLateParts } from '../usage/storage-totals.ts';

export type UploadRow = {
  readonly key: string;
  readonly upload_id: string;
  readonly created_at_ms: number;
  readonly attributes: string;
};
export type PartRow = {
  readonly part_number: number;
  readonly size_bytes: number;
  readonly md5: string;
  readonly last_modified_ms: number;
  readonly checksum_algorithm: string | null;
  readonly checksum_value: string | null;
  readonly segments: string;
};
/** What the JSON text `attributes` of an upload's row holds. */
type Attributes = Omit<Upload, 'key' | 'uploadId' | 'createdAtMs'>;

/** A part as completing or aborting needs it. */
export type StoredPart = {
  readonly sizeBytes: number;
  readonly md5: string;
  readonly segments: readonly Segment[];
  readonly references: BlobReferences;
  /** When its bytes were stored, if the totals do not count them yet; null: they do. */
  readonly uncountedSinceMs: number | null;
};

/** An upload in progress. `isLate`: its first joined parts are not counted yet. */
export type OpenUpload = { readonly upload: Upload; readonly isLate: boolean };

/** The failure of a call about an upload that is not in progress. */
export function noSuchUpload(uploadId: UploadId): StorageError {
  return new StorageError('NoSuchUpload', { fields: { UploadId: uploadId } });
}

/** The JSON text `attributes`: all of an upload that has no column of its own. */
function encodeAttributes(upload: Upload): string {
  const { key: _key, uploadId: _uploadId, createdAtMs: _createdAtMs, ...attributes } = upload;
  return JSON.stringify(attributes satisfies Attributes);
}

/** The upload of a row; what older programs did not write has its default. */
export function decodeUpload(row: UploadRow): Upload {
  return {
    ...NO_FACTS,
    initiatorId: null,
    ...(JSON.parse(row.attributes) as Omit<Attributes, 'initiatorId'>),
    key: row.key as ObjectKey,
    uploadId: row.upload_id as UploadId,
    createdAtMs: row.created_at_ms,
  };
}

/** The part of a row. */
export function decodePart(row: PartRow): UploadedPart {
  return {
    partNumber: row.part_number,
    sizeBytes: row.size_bytes,
    md5: row.md5,
    lastModifiedMs: row.last_modified_ms,
    checksum:
      row.checksum_algorithm === null || row.checksum_value === null
        ? null
        : { algorithm: row.checksum_algorithm as ChecksumAlgorithm, value: row.checksum_value },
    segments: decodeSegments(row.segments),
  };
}

/**
 * Writes the row of an upload, unless it is there: ids are random, so it is the very
 * upload then. `activeAtMs`: nothing came before this that is newer.
 */
export function writeUpload(sql: Sql, bucket: number, upload: Upload, activeAtMs: number): void {
  sql.all(
    `INSERT INTO uploads (bucket, key, upload_id, created_at_ms, active_at_ms, attributes)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (bucket, key, upload_id) DO NOTHING`,
    bucket,
    upload.key,
    upload.uploadId,
    upload.createdAtMs,
    activeAtMs,
    encodeAttributes(upload),
  );
}

/** Writes the row of a part, in place of the one of its number. */
export function writePart(sql: Sql, bucket: number, uploadId: UploadId, part: UploadedPart): void {
  sql.all(
    `INSERT OR REPLACE INTO parts (bucket, upload_id, part_number, size_bytes, md5,
       last_modified_ms, checksum_algorithm, checksum_value, segments)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    bucket,
    uploadId,
    part.partNumber,
    part.sizeBytes,
    part.md5,
    part.lastModifiedMs,
    part.checksum?.algorithm ?? null,
    part.checksum?.value ?? null,
    encodeSegments(part.segments),
  );
}

/** The upload in progress, or null. */
export function findUpload(
  sql: Sql,
  bucket: number,
  key: ObjectKey,
  uploadId: UploadId,
): OpenUpload | null {
  const [row] = sql.all<UploadRow & { active_at_ms: number }>(
    `SELECT key, upload_id, created_at_ms, attributes, active_at_ms FROM uploads
     WHERE bucket = ? AND key = ? AND upload_id = ?`,
    bucket,
    key,
    uploadId,
  );
  return row === undefined
    ? null
    : { upload: decodeUpload(row), isLate: isLateRow(row.active_at_ms) };
}

/** All parts of an upload by number. At most 10,000. */
export function readStoredParts(
  sql: Sql,
  bucket: number,
  { upload: { uploadId }, isLate }: OpenUpload,
): Map<number, StoredPart> {
  const rows = sql.all<Pick<PartRow, 'part_number' | 'size_bytes' | 'md5' | 'segments'>>(
    `SELECT part_number, size_bytes, md5, segments FROM parts WHERE bucket = ? AND upload_id = ?
     ORDER BY part_number`,
    bucket,
    uploadId,
  );
  const separate = rows.map((row): [number, StoredPart] => {
    const segments = decodeSegments(row.segments);
    const { size_bytes: sizeBytes, md5 } = row;
    const references = referencesOf(segments);
    return [row.part_number, { sizeBytes, md5, segments, references, uncountedSinceMs: null }];
  });
  const joined = readJoinedParts(sql, bucket, uploadId).map((part): [number, StoredPart] => {
    const { partNumber, sizeBytes, md5, segments } = part;
    const uncountedSinceMs = isLate && isCountedLate(partNumber) ? part.sinceMs : null;
    const references = referencesOf(segments);
    return [partNumber, { sizeBytes, md5, segments, references, uncountedSinceMs }];
  });
  return new Map(joined.length === 0 ? separate : [...separate, ...joined].sort(byNumber));
}

const byNumber = ([a]: readonly [number, unknown], [b]: readonly [number, unknown]) => a - b;

/**
 * Removes the rows of an upload and its parts; the caller drops their references
 * and reports the change.
 */
export function deleteUpload(sql: Sql, bucket: number, key: ObjectKey, uploadId: UploadId): void {
  sql.all('DELETE FROM parts WHERE bucket = ? AND upload_id = ?', bucket, uploadId);
  sql.all(
    'DELETE FROM uploads WHERE bucket = ? AND key = ? AND upload_id = ?',
    bucket,
    key,
    uploadId,
  );
}

/**
 * Reports that all parts of an upload are gone, and with them what deduplication saved.
 * Late parts, which the totals do not count yet, are first counted from when they came.
 */
export function reportPartsGone(
  sql: Sql,
  bucket: number,
  { key, storageClass }: Upload,
  parts: ReadonlyMap<number, StoredPart>,
  deduplicatedAway: SavedBytes,
  nowMs: number,
): void {
  if (parts.size === 0) return;
  const lateParts = [...parts.values()].flatMap(({ sizeBytes, uncountedSinceMs }) =>
    uncountedSinceMs === null ? [] : [{ sizeBytes, atMs: uncountedSinceMs }],
  );
  if (lateParts.length > 0) addLateParts(sql, bucket, { storageClass, came: lateParts }, nowMs);
  const from = stateOfParts(storageClass, parts, deduplicatedAway);
  rowChanged(sql, { bucket, key, from, to: null, atMs: nowMs });
}

/** What all parts of an upload take up together. */
export function stateOfParts(
  storageClass: string,
  parts: ReadonlyMap<number, StoredPart>,
  deduplicatedAway: SavedBytes,
): RowState {
  const sizeBytes = parts.values().reduce((sum, part) => sum + part.sizeBytes, 0);
  const compressedAway = parts
    .values()
    .reduce((sum, part) => sum + savedByCompression(part.segments), 0);
  const state = oneRow('part', { sizeBytes, storageClass, compressedAway }, deduplicatedAway);
  return { ...state, count: parts.size };
}
