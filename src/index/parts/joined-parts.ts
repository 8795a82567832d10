// Parts that stand in the rows of their blobs: the format `joined` of
// domain/uploads/upload-rows.ts. The row has the part as text as long as it is the one
// of its number; completing the upload leaves it as it is. Called by index/uploads, and
// by those who count or list parts.
import { StorageError } from '../../domain/errors.ts';
import type { BlobId, BucketId, ChecksumAlgorithm, UploadId } from '../../domain/nouns.ts';
import { partOfBlobId, partRowIds, rowIdOf } from '../../domain/uploads/upload-rows.ts';
import type { UploadedPart } from '../../ports/index-calls/upload-calls.ts';
import type { NewBlobReference } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

/** The highest number that is looked for: more than a blob id can say of a part of S3. */
export const NUMBER_MAX = 32_766;

/** A part in the row of its blob. */
export type JoinedPart = UploadedPart & {
  readonly blobId: BlobId;
  /** Since when its bytes are counted, or will be. */
  readonly sinceMs: number;
};

/** The text `part`; the last element only where it is not the second. */
type PartText = readonly [
  md5: string,
  lastModifiedMs: number,
  sizeBytes: number,
  algorithm: ChecksumAlgorithm | null,
  checksum: string | null,
  sinceMs?: number,
];
type JoinedRow = { readonly blob_id: BlobId; readonly size_bytes: number; readonly part: string };

function decode({ blob_id: rowId, size_bytes: lengthBytes, part }: JoinedRow): JoinedPart {
  const [md5, lastModifiedMs, sizeBytes, algorithm, value, sinceMs] = JSON.parse(part) as PartText;
  const blobId = rowIdOf(rowId);
  return {
    partNumber: Number.parseInt(partOfBlobId(blobId)?.number ?? '', 32),
    sizeBytes,
    md5,
    lastModifiedMs,
    checksum: algorithm === null || value === null ? null : { algorithm, value },
    segments: [{ blobId, offsetBytes: 0, lengthBytes }],
    blobId,
    sinceMs: sinceMs ?? lastModifiedMs,
  };
}

/** Numbers of parts, both included, and how many parts at most. */
export type PartNumbers = { readonly first: number; readonly last: number; readonly limit: number };
const ALL_NUMBERS: PartNumbers = { first: 0, last: NUMBER_MAX, limit: NUMBER_MAX };

/** The parts of an upload that stand in the rows of their blobs, by number. */
export function readJoinedParts(
  sql: Sql,
  bucket: number,
  uploadId: UploadId,
  { first, last, limit }: PartNumbers = ALL_NUMBERS,
): JoinedPart[] {
  // Clients name a number to go on behind, which may be longer than any in a row id.
  const ids = first > last ? null : partRowIds(uploadId, first, last);
  if (ids === null) return [];
  return sql
    .all<JoinedRow>(
      `SELECT blob_id, size_bytes, part FROM blobs
       WHERE blob_id >= (SELECT id FROM buckets WHERE n = ?1) || ?2
         AND blob_id < (SELECT id FROM buckets WHERE n = ?1) || ?3
         AND bucket = ?1 AND part IS NOT NULL
       ORDER BY blob_id LIMIT ${PLAN_ONCE} ?4`,
      bucket,
      ids.from,
      ids.to,
      limit,
    )
    .map(decode);
}

/** The part of that number, if it stands in the row of its blob. */
export function readJoinedPart(
  sql: Sql,
  bucket: number,
  uploadId: UploadId,
  partNumber: number,
): JoinedPart | null {
  const numbers = { first: partNumber, last: partNumber, limit: 1 };
  return readJoinedParts(sql, bucket, uploadId, numbers)[0] ?? null;
}

/**
 * The reference of a part that can stand in the row of its blob: it is all of one
 * fresh blob, which nothing shares and whose id says this part. Null: it can't.
 */
export function joinableReference(
  bucketId: BucketId,
  uploadId: UploadId,
  { partNumber, segments }: UploadedPart,
  newReferences: readonly NewBlobReference[],
): NewBlobReference | null {
  const [segment, another] = segments;
  const [reference, more] = newReferences;
  if (segment === undefined || another !== undefined || segment.packing !== undefined) return null;
  if (reference === undefined || more !== undefined) return null;
  const { blobId, sizeBytes, ownerBucket, digest } = reference;
  if (ownerBucket !== null || digest !== undefined) return null;
  const { offsetBytes, lengthBytes } = segment;
  if (segment.blobId !== blobId || offsetBytes !== 0 || lengthBytes !== sizeBytes) return null;
  const name = partOfBlobId(blobId);
  if (name === null || name.owner !== `${bucketId}/`) return null;
  const isOfPart =
    partRowIds(uploadId, 0, 0)?.from === `/${name.tag}000` &&
    Number.parseInt(name.number, 32) === partNumber;
  return isOfPart ? reference : null;
}

/**
 * Writes a part and the row of its blob, which has one reference more. `sinceMs`: when
 * its bytes begin to count. NoSuchBlob when the blob is condemned.
 */
export function putJoinedPart(
  sql: Sql,
  bucket: number,
  { blobId, sizeBytes }: NewBlobReference,
  part: UploadedPart,
  sinceMs: number,
): void {
  const { md5, lastModifiedMs, checksum } = part;
  const text: PartText = [
    md5,
    lastModifiedMs,
    part.sizeBytes,
    checksum?.algorithm ?? null,
    checksum?.value ?? null,
    ...(sinceMs === lastModifiedMs ? ([] as const) : ([sinceMs] as const)),
  ];
  const rows = sql.all(
    `INSERT INTO blobs (blob_id, bucket, size_bytes, refs, part) VALUES (?, ?, ?, 1, ?)
     ON CONFLICT (blob_id, bucket) DO UPDATE
       SET refs = refs + 1, unreferenced_since_ms = NULL, part = excluded.part
       WHERE is_condemned = 0
     RETURNING 1`,
    rowIdOf(blobId),
    bucket,
    sizeBytes,
    JSON.stringify(text),
  );
  if (rows.length === 0) throw new StorageError('NoSuchBlob');
}

/** Makes a part's row that of a blob alone, with a reference less. */
export function dropJoinedPart(sql: Sql, bucket: number, blobId: BlobId, nowMs: number): void {
  sql.all(
    `UPDATE blobs SET part = NULL, refs = refs - 1,
       unreferenced_since_ms = CASE WHEN refs = 1 THEN ?3 END
     WHERE blob_id = ?1 AND bucket = ?2`,
    rowIdOf(blobId),
    bucket,
    nowMs,
  );
}

/**
 * Makes the rows of an upload's joined parts those of blobs alone, for an upload that
 * leaves this database and may come back. The caller drops the references.
 */
export function forgetJoinedParts(sql: Sql, bucket: number, uploadId: UploadId): void {
  const ids = partRowIds(uploadId, 0, NUMBER_MAX);
  if (ids === null) return;
  sql.all(
    `UPDATE blobs SET part = NULL
     WHERE blob_id >= (SELECT id FROM buckets WHERE n = ?1) || ?2
       AND blob_id < (SELECT id FROM buckets WHERE n = ?1) || ?3
       AND bucket = ?1 AND part IS NOT NULL`,
    bucket,
    ids.from,
    ids.to,
  );
}
