// Every row of a bucket index that has bytes, read from the tables with no help of the index: what
// random tests of the index count its references and sums by.
import type { NodeSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import type { Segment } from '../../../src/domain/nouns.ts';
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
  ];
}
