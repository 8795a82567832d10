// Finds what lifecycle rules may be about, page by page in the order of the rows. A
// page scans a bounded number of rows and gives only those that the bounds let
// through. So a million objects without a due rule cost a million rows of reading
// in small steps, and next to nothing on the wire.

import {
  LIFECYCLE_PAGE_MAX,
  type LifecycleBounds,
  type LifecycleCursor,
  type LifecycleSubject,
} from '../../domain/lifecycle.ts';
import type { ObjectKey, UploadId, VersionId } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';
import { firstBehind, justAfter, prefixEnd } from '../keys/key-order.ts';
import { detailOfRow, factsOfDetail } from '../objects/object-rows.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

/**
 * Rows scanned in one call. That takes 1.4 ms of CPU at any size of the bucket
 * (bench/lifecycle.ts, measured 2026-11).
 */
const SCAN_ROWS = 2000;

type Page = {
  readonly subjects: readonly LifecycleSubject[];
  readonly next: LifecycleCursor | null;
};

/** Finds what lifecycle rules may be about. Contract: `IndexQueries.scanLifecycle`. */
export function scanLifecycle(
  sql: Sql,
  bucket: number,
  cursor: LifecycleCursor,
  bounds: LifecycleBounds,
): Page {
  switch (cursor.phase) {
    case 'objects':
      return scanObjects(sql, bucket, cursor, bounds);
    case 'versions':
      return scanVersions(sql, bucket, cursor, bounds);
    case 'uploads':
      return scanUploads(sql, bucket, cursor, bounds);
  }
}

const isUpTo = (timeMs: number, boundMs: number | null): boolean =>
  boundMs !== null && timeMs <= boundMs;

type SizedRow = { readonly size_bytes: number; readonly storage_class: string };

function mayMove(
  row: SizedRow,
  timeMs: number,
  { moveUpToMs, moveMinBytes, moveUnlessIn }: LifecycleBounds,
): boolean {
  return (
    isUpTo(timeMs, moveUpToMs) &&
    row.size_bytes >= moveMinBytes &&
    !moveUnlessIn.includes(row.storage_class)
  );
}

type ObjectRow = SizedRow & {
  readonly key: string;
  readonly version_id: string;
  readonly last_modified_ms: number;
};

/** The current objects behind the cursor. */
export function readObjectRows(
  sql: Sql,
  bucket: number,
  cursor: LifecycleCursor,
): readonly ObjectRow[] {
  return sql.all<ObjectRow>(
    `SELECT key, version_id, size_bytes, last_modified_ms, storage_class FROM objects
     WHERE bucket = ? AND key >= ? AND key < ? ORDER BY key LIMIT ${PLAN_ONCE} ?`,
    bucket,
    firstBehind(cursor.prefix, cursor.afterKey),
    prefixEnd(cursor.prefix),
    SCAN_ROWS,
  );
}

function scanObjects(
  sql: Sql,
  bucket: number,
  cursor: LifecycleCursor,
  bounds: LifecycleBounds,
): Page {
  return pageOf(
    readObjectRows(sql, bucket, cursor),
    (row) => {
      const timeMs = row.last_modified_ms;
      if (!isUpTo(timeMs, bounds.endUpToMs) && !mayMove(row, timeMs, bounds)) return null;
      return { kind: 'current', lastModifiedMs: timeMs, ...factsOf(sql, 'objects', bucket, row) };
    },
    (row) => ({ ...cursor, afterKey: row.key }),
  );
}

/** One subject at most from each row, until there are enough or the rows end. */
export function pageOf<Row, Subject>(
  rows: readonly Row[],
  toSubject: (row: Row, following: Row | undefined) => Subject | null,
  after: (row: Row) => LifecycleCursor,
): { readonly subjects: readonly Subject[]; readonly next: LifecycleCursor | null } {
  const subjects: Subject[] = [];
  for (const [at, row] of rows.entries()) {
    const subject = toSubject(row, rows[at + 1]);
    if (subject !== null) subjects.push(subject);
    if (subjects.length === LIFECYCLE_PAGE_MAX) return { subjects, next: after(row) };
  }
  const last = rows.at(-1);
  return { subjects, next: last === undefined || rows.length < SCAN_ROWS ? null : after(last) };
}

function factsOf(
  sql: Sql,
  table: 'objects' | 'versions',
  bucket: number,
  row: Omit<ObjectRow, 'last_modified_ms'>,
) {
  return {
    key: row.key as ObjectKey,
    versionId: row.version_id as VersionId,
    sizeBytes: row.size_bytes,
    storageClass: row.storage_class,
    ...factsOfDetail(detailOfRow(sql, table, bucket, row)),
  };
}

type OtherRow = ObjectRow & { readonly is_marker: number; readonly replaced_at_ms: number | null };

const OTHER_COLUMNS =
  'key, version_id, size_bytes, last_modified_ms, storage_class, is_marker, replaced_at_ms';

function scanVersions(
  sql: Sql,
  bucket: number,
  cursor: LifecycleCursor,
  bounds: LifecycleBounds,
): Page {
  const rows = readOtherRows(sql, bucket, cursor);
  let { afterKey, newerVersions } = cursor;
  return pageOf(
    rows,
    (row, following) => {
      if (row.key !== afterKey) newerVersions = 0;
      afterKey = row.key;
      if (row.replaced_at_ms === null) return loneMarker(sql, bucket, row, following, bounds);
      const newer = newerVersions;
      if (row.is_marker === 0) newerVersions++;
      const timeMs = row.replaced_at_ms;
      const moves = row.is_marker === 0 && mayMove(row, timeMs, bounds);
      if (!isUpTo(timeMs, bounds.endUpToMs) && !moves) return null;
      const facts = factsOf(sql, 'versions', bucket, row);
      const common = { kind: 'noncurrent', replacedAtMs: timeMs, newerVersions: newer } as const;
      return { ...common, isMarker: row.is_marker === 1, ...facts };
    },
    (row) => ({ ...cursor, afterKey: row.key, afterId: row.version_id, newerVersions }),
  );
}

/**
 * The older versions and markers behind the cursor: the rest of its key, then the
 * keys that follow.
 */
export function readOtherRows(
  sql: Sql,
  bucket: number,
  cursor: LifecycleCursor,
): readonly OtherRow[] {
  const { prefix, afterKey, afterId } = cursor;
  const older =
    afterKey === ''
      ? []
      : sql.all<OtherRow>(
          `SELECT ${OTHER_COLUMNS} FROM versions
           WHERE bucket = ? AND key = ? AND version_id < ?
           ORDER BY version_id DESC LIMIT ${PLAN_ONCE} ?`,
          bucket,
          afterKey,
          afterId,
          SCAN_ROWS,
        );
  if (older.length === SCAN_ROWS) return older;
  const others = sql.all<OtherRow>(
    `SELECT ${OTHER_COLUMNS} FROM versions
     WHERE bucket = ? AND key >= ? AND key < ? ORDER BY key, version_id DESC LIMIT ${PLAN_ONCE} ?`,
    bucket,
    firstBehind(prefix, afterKey),
    prefixEnd(prefix),
    SCAN_ROWS - older.length,
  );
  return [...older, ...others];
}

/**
 * The latest of a key stands here only when it is a marker; it is alone when the
 * next row is of another key.
 */
function loneMarker(
  sql: Sql,
  bucket: number,
  row: OtherRow,
  following: OtherRow | undefined,
  { markersUpToMs }: LifecycleBounds,
): LifecycleSubject | null {
  if (!isUpTo(row.last_modified_ms, markersUpToMs) || following?.key === row.key) return null;
  const { key, version_id: versionId, last_modified_ms: lastModifiedMs } = row;
  // The page may have ended between the two.
  if (following === undefined && hasOlder(sql, bucket, row)) return null;
  return {
    kind: 'lone-marker',
    key: key as ObjectKey,
    versionId: versionId as VersionId,
    lastModifiedMs,
  };
}

/**
 * Whether the key has a version older than this one that is not its current object.
 */
export function hasOlder(
  sql: Sql,
  bucket: number,
  row: Pick<OtherRow, 'key' | 'version_id'>,
): boolean {
  const [older] = sql.all<{ has_any: number }>(
    `SELECT EXISTS (
       SELECT 1 FROM versions WHERE bucket = ? AND key = ? AND version_id < ?) AS has_any`,
    bucket,
    row.key,
    row.version_id,
  );
  return older?.has_any === 1;
}

function scanUploads(
  sql: Sql,
  bucket: number,
  cursor: LifecycleCursor,
  { endUpToMs }: LifecycleBounds,
): Page {
  const rows = sql.all<{ key: string; upload_id: string; created_at_ms: number }>(
    `SELECT key, upload_id, created_at_ms FROM uploads
     WHERE bucket = ? AND (key, upload_id) >= (?, ?) AND key < ?
     ORDER BY key, upload_id LIMIT ${PLAN_ONCE} ?`,
    bucket,
    cursor.afterKey === '' ? cursor.prefix : cursor.afterKey,
    cursor.afterKey === '' ? '' : justAfter(cursor.afterId),
    prefixEnd(cursor.prefix),
    SCAN_ROWS,
  );
  return pageOf(
    rows,
    (row) =>
      isUpTo(row.created_at_ms, endUpToMs)
        ? {
            kind: 'upload',
            key: row.key as ObjectKey,
            uploadId: row.upload_id as UploadId,
            createdAtMs: row.created_at_ms,
          }
        : null,
    (row) => ({ ...cursor, afterKey: row.key, afterId: row.upload_id }),
  );
}
