// Multipart uploads and parts as rows, and back: what uploads.ts and
// complete-upload.ts share.

import { StorageError } from '../../domain/errors.ts';
import type { ChecksumAlgorithm, ObjectKey, Segment, UploadId } from '../../domain/nouns.ts';
import { NO_FACTS } from '../../domain/object-facts.ts';
import type { Upload, UploadedPart } from '../../ports/index-calls/upload-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { type BlobReferences, referencesOf, type SavedBytes } from '../objects/blob-references.ts';
import { savedByCompression } from '../objects/compression-savings.ts';
import { decodeSegments } from '../objects/object-rows.ts';
import { rowChanged } from '../objects/row-changes.ts';
import { oneRow, type RowState } from '../usage/row-state.ts';

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
};

/** The failure of a call about an upload that is not in progress. */
export function noSuchUpload(uploadId: UploadId): StorageError {
  return new StorageError('NoSuchUpload', { fields: { UploadId: uploadId } });
}

/** The JSON text `attributes`: all of an upload that has no column of its own. */
export function encodeAttributes(upload: Upload): string {
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

/** The upload in progress, or null. */
export function findUpload(
  sql: Sql,
  bucket: number,
  key: ObjectKey,
  uploadId: UploadId,
): Upload | null {
  const [row] = sql.all<UploadRow>(
    `SELECT key, upload_id, created_at_ms, attributes FROM uploads
     WHERE bucket = ? AND key = ? AND upload_id = ?`,
    bucket,
    key,
    uploadId,
  );
  return row === undefined ? null : decodeUpload(row);
}

/** All parts of an upload by number. At most 10,000. */
export function readStoredParts(
  sql: Sql,
  bucket: number,
  uploadId: UploadId,
): Map<number, StoredPart> {
  const rows = sql.all<Pick<PartRow, 'part_number' | 'size_bytes' | 'md5' | 'segments'>>(
    `SELECT part_number, size_bytes, md5, segments FROM parts WHERE bucket = ? AND upload_id = ?
     ORDER BY part_number`,
    bucket,
    uploadId,
  );
  return new Map(
    rows.map((row) => {
      const segments = decodeSegments(row.segments);
      return [
        row.part_number,
        { sizeBytes: row.size_bytes, md5: row.md5, segments, references: referencesOf(segments) },
      ];
    }),
  );
}

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
 * Reports that all parts of an upload went, and with them what deduplication saved.
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
  const sizeBytes = parts.values().reduce((sum, part) => sum + part.sizeBytes, 0);
  const compressedAway = parts
    .values()
    .reduce((sum, part) => sum + savedByCompression(part.segments), 0);
  const state = oneRow('part', { sizeBytes, storageClass, compressedAway }, deduplicatedAway);
  const from: RowState = { ...state, count: parts.size };
  rowChanged(sql, { bucket, key, from, to: null, atMs: nowMs });
}
