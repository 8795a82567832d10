// Every row of a bucket index that has bytes, read from the tables with no help of the index: what
// random tests of the index count its references and sums by.
import type { NodeSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import type { BlobId, Segment } from '../../../src/domain/nouns.ts';
import { rowIdOf } from '../../../src/domain/uploads/upload-rows.ts';
import { decodeSegments, segmentsOfDetail } from '../../../src/index/objects/object-rows.ts';

/** A version of an object, current or not, or a part. */
export type StoredRow = {
  /** Number of the bucket in the tables. */
  readonly bucket: number;
  /** The storage class; a part has that of its upload, '' where there is none. */
  readonly storageClass: string;
  readonly segments: readonly Segment[];
  readonly sizeBytes: number;
};

type Found = { readonly bucket: number; readonly class: string; readonly size: number };

const versionsIn = (table: 'objects' | 'versions') =>
  `SELECT o.bucket, o.storage_class AS class, o.size_bytes AS size,
   CASE WHEN x.inline_bytes IS NULL THEN coalesce(o.detail, x.detail) ELSE '{}' END AS detail
   FROM ${table} AS o LEFT JOIN object_bodies AS x ON x.id = o.body_id`;

const PARTS = `SELECT p.bucket, coalesce(u.attributes ->> '$.storageClass', '') AS class,
  p.size_bytes AS size, p.segments
   FROM parts AS p LEFT JOIN uploads AS u ON u.bucket = p.bucket AND u.upload_id = p.upload_id`;

/** Parts in the rows of their blobs, which say by the end of its id which upload they are of. */
const JOINED_PARTS = `SELECT p.bucket, u.attributes ->> '$.storageClass' AS class,
  p.part ->> '$[2]' AS size, p.blob_id, p.size_bytes AS length
   FROM uploads AS u JOIN blobs AS p ON p.bucket = u.bucket AND p.part IS NOT NULL
     AND substr(p.blob_id, instr(p.blob_id, '/') + 1, 15) = substr(u.upload_id, 13)`;

/** All rows of all buckets, delete markers not among them. */
export function storedRows(sql: NodeSqlite): StoredRow[] {
  const versions = sql.all<Found & { readonly detail: string }>(
    `${versionsIn('objects')} UNION ALL ${versionsIn('versions')} WHERE is_marker = 0`,
  );
  const rowOf = (found: Found, segments: readonly Segment[]): StoredRow => ({
    bucket: found.bucket,
    storageClass: found.class,
    segments,
    sizeBytes: found.size,
  });
  return [
    ...versions.map((row) => rowOf(row, segmentsOfDetail(row.detail))),
    ...sql
      .all<Found & { readonly segments: string }>(PARTS)
      .map((row) => rowOf(row, decodeSegments(row.segments))),
    ...sql
      .all<Found & { readonly blob_id: BlobId; readonly length: number }>(JOINED_PARTS)
      .map((row) => {
        const blobId = rowIdOf(row.blob_id);
        return rowOf(row, [{ blobId, offsetBytes: 0, lengthBytes: row.length }]);
      }),
  ];
}
