// What commits and deletions read of a version before they change it: the current
// object of a key from `objects`, every other version and every delete marker from
// `versions`. How these stand is version-rows.ts's, which changes them.
import type { ObjectKey, VersionId, VersionName } from '../../domain/nouns.ts';
import type { ObjectLock } from '../../domain/object-facts.ts';
import type { Sql } from '../../ports/sql.ts';
import { type BlobReferences, referencesOf } from './blob-references.ts';
import { savedByCompression } from './compression-savings.ts';
import { lockOfDetail, segmentsOfDetail } from './object-rows.ts';

/** What a commit or a deletion needs to know of a version. */
export type StoredVersion = {
  readonly versionId: VersionId;
  readonly isNull: boolean;
  readonly etag: string;
  readonly sizeBytes: number;
  readonly storageClass: string;
  /** Since when it has that class. */
  readonly classSinceMs: number;
  readonly lastModifiedMs: number;
  readonly bodyId: number | null;
  readonly references: BlobReferences;
  /** Bytes of it that compression spares. */
  readonly compressedAway: number;
  readonly lock: ObjectLock | null;
};
export type StoredMarker = Pick<StoredVersion, 'versionId' | 'isNull'>;

type StoredRow = {
  readonly version_id: string;
  readonly is_null: number;
  readonly etag: string;
  readonly size_bytes: number;
  readonly storage_class: string;
  readonly class_since_ms: number;
  readonly last_modified_ms: number;
  readonly body_id: number | null;
  readonly is_inline: number;
  readonly detail: string;
};
// `x.id`: the row beside it as far as there is one; a body that moved into a pack has
// none any more, though its version goes on naming it.
const STORED_COLUMNS = `o.version_id, o.is_null, o.etag, o.size_bytes, o.storage_class,
  o.last_modified_ms, x.id AS body_id, x.inline_bytes IS NOT NULL AS is_inline,
  coalesce(o.detail, x.detail) AS detail,
  coalesce(o.class_since_ms, o.last_modified_ms) AS class_since_ms`;

function toStored(row: StoredRow): StoredVersion {
  // The segments of an inline body say where it will lie.
  const segments = row.is_inline === 1 ? [] : segmentsOfDetail(row.detail);
  return {
    versionId: row.version_id as VersionId,
    isNull: row.is_null === 1,
    etag: row.etag,
    sizeBytes: row.size_bytes,
    storageClass: row.storage_class,
    classSinceMs: row.class_since_ms,
    lastModifiedMs: row.last_modified_ms,
    bodyId: row.body_id,
    references: referencesOf(segments),
    compressedAway: savedByCompression(segments),
    lock: lockOfDetail(row.detail),
  };
}

/** The current object of a key, or null. */
export function readCurrent(sql: Sql, bucket: number, key: ObjectKey): StoredVersion | null {
  const [row] = sql.all<StoredRow>(
    `SELECT ${STORED_COLUMNS} FROM objects AS o LEFT JOIN object_bodies AS x ON x.id = o.body_id
     WHERE o.bucket = ? AND o.key = ?`,
    bucket,
    key,
  );
  return row === undefined ? null : toStored(row);
}

/** Says whether a request for the version `name`, or for none, means the current one. */
export function matchesName(current: StoredMarker, name: VersionName | null): boolean {
  return name === null || name === current.versionId || (name === 'null' && current.isNull);
}

/**
 * The condition for a row of `versions` (as `o`) to have that name. Both forms bind
 * one parameter, so that a statement has as many either way: `? IS NOT NULL` is
 * always true.
 */
export function nameCondition(name: VersionName | null): string {
  return name === 'null' ? 'o.is_null = 1 AND ? IS NOT NULL' : 'o.version_id = ?';
}

/**
 * A version of a key that is not its current object; a delete marker has no bytes.
 */
export function readOther(
  sql: Sql,
  bucket: number,
  key: ObjectKey,
  name: VersionId | 'null',
): (StoredVersion & { readonly isMarker: boolean }) | null {
  const [row] = sql.all<StoredRow & { is_marker: number }>(
    `SELECT ${STORED_COLUMNS}, o.is_marker
     FROM versions AS o LEFT JOIN object_bodies AS x ON x.id = o.body_id
     WHERE o.bucket = ? AND o.key = ? AND ${nameCondition(name)}`,
    bucket,
    key,
    name,
  );
  return row === undefined ? null : { ...toStored(row), isMarker: row.is_marker === 1 };
}

/** The newest version of a key that is not its current object. */
export function readNewestOther(
  sql: Sql,
  bucket: number,
  key: ObjectKey,
): (StoredMarker & { isMarker: boolean }) | null {
  const [row] = sql.all<{ version_id: string; is_null: number; is_marker: number }>(
    `SELECT version_id, is_null, is_marker FROM versions
     WHERE bucket = ? AND key = ? ORDER BY version_id DESC LIMIT 1`,
    bucket,
    key,
  );
  if (row === undefined) return null;
  return {
    versionId: row.version_id as VersionId,
    isNull: row.is_null === 1,
    isMarker: row.is_marker === 1,
  };
}
