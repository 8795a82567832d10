// Reads whole versions: the current object of a key from `objects`, any other
// version and every delete marker from `versions`. Called by the calls that give
// versions out and by commits that copy or change them. What a commit needs besides
// is stored-versions.ts's.
import type { ObjectKey, ObjectVersion, VersionName } from '../../domain/nouns.ts';
import type { ResolvedVersion } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { decodeMarker, decodeVersion, type MarkerRow, type VersionRow } from './object-rows.ts';
import { nameCondition, readNewestOther } from './stored-versions.ts';

/**
 * What `decodeVersion` needs of a row `o` of `objects` or `versions`, and its body
 * `x`.
 */
export const VERSION_COLUMNS = `o.key, o.owner_id AS object_owner_id, o.size_bytes, o.etag,
  o.last_modified_ms, o.storage_class, o.checksum_algorithm, o.checksum_type, o.version_id,
  o.is_null, coalesce(o.detail, x.detail) AS detail, x.inline_bytes`;

/** The row beside a version's own, which has long details and inline bytes. */
export const JOIN_BODY = 'LEFT JOIN object_bodies AS x ON x.id = o.body_id';

/** The current object of a key with all that is known of it, or null. */
export function readCurrentVersion(sql: Sql, bucket: number, key: ObjectKey): ObjectVersion | null {
  const [row] = sql.all<VersionRow>(
    `SELECT ${VERSION_COLUMNS} FROM objects AS o ${JOIN_BODY} WHERE o.bucket = ? AND o.key = ?`,
    bucket,
    key,
  );
  return row === undefined ? null : decodeVersion(row);
}

/**
 * A version that is not the current object. Without a name: the delete marker that
 * hides the key, if there is one.
 */
export function readOtherVersion(
  sql: Sql,
  bucket: number,
  key: ObjectKey,
  name: VersionName | null,
  hasCurrent: boolean,
): ResolvedVersion | null {
  const newest = hasCurrent ? null : readNewestOther(sql, bucket, key);
  if (name === null && newest === null) return null;
  const [row] = sql.all<VersionRow & MarkerRow>(
    `SELECT ${VERSION_COLUMNS}, o.is_marker FROM versions AS o ${JOIN_BODY}
     WHERE o.bucket = ? AND o.key = ? AND ${nameCondition(name)}`,
    bucket,
    key,
    name ?? newest?.versionId ?? '',
  );
  if (row === undefined) return null;
  const isLatest = row.version_id === newest?.versionId;
  return row.is_marker === 1
    ? { kind: 'marker', marker: decodeMarker(row), isLatest }
    : { kind: 'object', object: decodeVersion(row), isLatest };
}
