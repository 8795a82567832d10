// Reads the rows of a slice as plain data: current objects, older versions, markers,
// uploads with their parts, and the blobs that they refer to. It also finds where a
// slice of so many rows ends. Called by the steps of a move (shards.ts).

import { compareUtf8 } from '../../domain/keys/compare-utf8.ts';
import type {
  BlobId,
  BucketAddress,
  BucketId,
  BucketName,
  Segment,
  UploadId,
} from '../../domain/nouns.ts';
import { rowIdOf } from '../../domain/uploads/upload-rows.ts';
import type {
  ExportedSlice,
  KeyRange,
  MovedRow,
  OwnedBlobs,
} from '../../ports/index-calls/shard-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { justAfter } from '../keys/key-order.ts';
import {
  decodeMarker,
  decodeVersion,
  type MarkerRow,
  type VersionRow,
} from '../objects/object-rows.ts';
import { JOIN_BODY, VERSION_COLUMNS } from '../objects/read-versions.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { decodeUpload, type UploadRow } from '../uploads/upload-rows.ts';
import { listParts } from '../uploads/uploads.ts';
import { endOf } from './key-ranges.ts';

/** Parts that an upload has at most: S3's own limit. */
const PARTS_MAX = 10_000;
/** Tables whose rows count for the length of a slice. */
const COUNTED = ['objects', 'versions', 'uploads'] as const;

/** Rows of each table that are counted of one key; more are as many as nobody moves. */
const COUNTED_MAX = 100_000;

type CurrentRow = VersionRow & { readonly class_since_ms: number };
type OlderRow = CurrentRow & MarkerRow & { readonly replaced_at_ms: number | null };

const MOVED_COLUMNS = `${VERSION_COLUMNS},
  coalesce(o.class_since_ms, o.last_modified_ms) AS class_since_ms`;

/** All rows of a range, and the blobs that they refer to. */
export function exportSlice(
  sql: Sql,
  n: number,
  bucket: BucketAddress,
  range: KeyRange,
): ExportedSlice {
  const rows = [...readCurrent(sql, n, range), ...readOlder(sql, n, range)];
  const uploads = readUploads(sql, n, range);
  const all: MovedRow[] = [...rows, ...uploads];
  const blobIds = new Set(all.flatMap(segmentsOf).map(({ blobId }) => blobId));
  return { rows: all, blobs: locateBlobs(sql, n, bucket, [...blobIds]) };
}

/** The segments that a row refers to. */
export function segmentsOf(row: MovedRow): readonly Segment[] {
  if (row.kind === 'marker') return [];
  return row.kind === 'upload'
    ? row.parts.flatMap(({ segments }) => segments)
    : row.object.segments;
}

function readCurrent(sql: Sql, n: number, range: KeyRange): MovedRow[] {
  return sql
    .all<CurrentRow>(
      `SELECT ${MOVED_COLUMNS} FROM objects AS o ${JOIN_BODY}
       WHERE o.bucket = ? AND o.key >= ? AND o.key < ? ORDER BY o.key`,
      n,
      range.from,
      endOf(range),
    )
    .map((row) => ({
      kind: 'current',
      object: decodeVersion(row),
      classSinceMs: row.class_since_ms,
    }));
}

function readOlder(sql: Sql, n: number, range: KeyRange): MovedRow[] {
  return sql
    .all<OlderRow>(
      `SELECT ${MOVED_COLUMNS}, o.is_marker, o.replaced_at_ms FROM versions AS o ${JOIN_BODY}
       WHERE o.bucket = ? AND o.key >= ? AND o.key < ? ORDER BY o.key, o.version_id DESC`,
      n,
      range.from,
      endOf(range),
    )
    .map((row) => {
      const replacedAtMs = row.replaced_at_ms;
      if (row.is_marker === 1) return { kind: 'marker', marker: decodeMarker(row), replacedAtMs };
      const classSinceMs = row.class_since_ms;
      return { kind: 'older', object: decodeVersion(row), classSinceMs, replacedAtMs };
    });
}

function readUploads(sql: Sql, n: number, range: KeyRange): MovedRow[] {
  return sql
    .all<UploadRow & { active_at_ms: number }>(
      `SELECT key, upload_id, created_at_ms, attributes, active_at_ms FROM uploads
       WHERE bucket = ? AND key >= ? AND key < ? ORDER BY key, upload_id`,
      n,
      range.from,
      endOf(range),
    )
    .map((row) => {
      const uploadId = row.upload_id as UploadId;
      const { parts } = listParts(sql, n, { uploadId, afterPartNumber: 0, maxParts: PARTS_MAX });
      return {
        kind: 'upload',
        upload: decodeUpload(row),
        activeAtMs: Math.abs(row.active_at_ms),
        parts,
      };
    });
}

/** The owner bucket of a blob is the shard itself, unless its row says another. */
export function locateBlobs(
  sql: Sql,
  n: number,
  bucket: BucketAddress,
  blobIds: readonly BlobId[],
): OwnedBlobs {
  const rows = sql.all<{
    blob_id: string;
    size_bytes: number;
    home_bucket_id: string | null;
    home_name: string | null;
  }>(
    `SELECT blob_id, size_bytes, home_bucket_id, home_name FROM blobs
     WHERE blob_id IN (SELECT value FROM json_each(?)) AND bucket = ?`,
    JSON.stringify(blobIds.map(rowIdOf)),
    n,
  );
  return rows.map((row) => ({
    blobId: rowIdOf(row.blob_id as BlobId),
    sizeBytes: row.size_bytes,
    ownerBucket:
      row.home_bucket_id === null || row.home_name === null
        ? bucket
        : { id: row.home_bucket_id as BucketId, name: row.home_name as BucketName },
  }));
}

/**
 * The keys at one end of a shard's range that have so many rows together, one key at
 * least; null: the shard owns none. The call of the index says more.
 */
export function pickSlice(
  sql: Sql,
  n: number,
  range: KeyRange,
  end: 'lower' | 'upper',
  rows: number,
): { range: KeyRange; rows: number } {
  const keys = COUNTED.flatMap((table) => keysAtEnd(sql, table, n, range, end, rows + 1)).sort(
    end === 'lower' ? compareUtf8 : (a, b) => compareUtf8(b, a),
  );
  const border = keys[rows];
  if (border === undefined) return { range, rows: keys.length };
  const taken = keys.slice(0, rows).filter((key) => key !== border);
  const last = taken.at(-1);
  if (last === undefined) return wholeKey(sql, n, range, end, border);
  const slice = end === 'lower' ? { from: range.from, to: border } : { from: last, to: range.to };
  return { range: slice, rows: taken.length };
}

/** The slice of a key that alone has more rows than asked for. */
function wholeKey(sql: Sql, n: number, range: KeyRange, end: 'lower' | 'upper', key: string) {
  const only = { from: key, to: justAfter(key) };
  const rows = COUNTED.flatMap((table) => keysAtEnd(sql, table, n, only, end, COUNTED_MAX));
  const slice = end === 'lower' ? { from: range.from, to: only.to } : { from: key, to: range.to };
  return { range: slice, rows: rows.length };
}

/** Keys of rows from an end of a range on, a key as often as it has rows. */
function keysAtEnd(
  sql: Sql,
  table: (typeof COUNTED)[number],
  n: number,
  range: KeyRange,
  end: 'lower' | 'upper',
  limit: number,
): string[] {
  const order = end === 'lower' ? 'ASC' : 'DESC';
  return sql
    .all<{ key: string }>(
      `SELECT key FROM ${table} WHERE bucket = ? AND key >= ? AND key < ?
       ORDER BY key ${order} LIMIT ${PLAN_ONCE} ?`,
      n,
      range.from,
      endOf(range),
      limit,
    )
    .map(({ key }) => key);
}
