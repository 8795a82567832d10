// Writes the row of a version with its detail: in the row itself, or beside it in
// `object_bodies`, where long details and inline bytes stand. Called by
// version-rows.ts and by changes of a version.
import { StorageError } from '../../domain/errors.ts';
import type { ObjectVersion } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';
import { encodeDetail } from './object-rows.ts';

/**
 * Longest detail that stands in the object's own row, in UTF-16 units; a longer one
 * stands beside it, with the inline bytes. Listings then read dense pages, and no
 * row spills: SQLite loads a spilled row of such a table whole whenever a search
 * passes it. A row of up to 1,002 bytes never spills (page of 4,096 bytes). Source:
 * https://sqlite.org/fileformat2.html section 1.6; inline bytes in the row made
 * listing 3 to 5 times slower at 2 to 10 KiB (measured 2026-11, 200,000 keys).
 */
const DETAIL_IN_ROW_MAX_LENGTH = 512;

/**
 * Writes the row of the current object. `oldBodyId`: a row beside it that is free
 * to be used again. `nowMs`: when it came.
 */
export function writeCurrent(
  sql: Sql,
  bucket: number,
  version: ObjectVersion,
  oldBodyId: number | null,
  nowMs: number,
): void {
  const detail = encodeDetail(version);
  const isBeside = version.inlineBytes !== null || detail.length > DETAIL_IN_ROW_MAX_LENGTH;
  if (!isBeside && oldBodyId !== null) deleteBody(sql, oldBodyId);
  sql.all(
    `INSERT OR REPLACE INTO objects (bucket, key, size_bytes, etag, last_modified_ms, storage_class,
       class_since_ms, checksum_algorithm, checksum_type, owner_id, version_id, is_null, body_id,
       detail)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    bucket,
    version.key,
    version.sizeBytes,
    version.etag,
    version.lastModifiedMs,
    version.storageClass,
    nowMs === version.lastModifiedMs ? null : nowMs,
    version.checksum?.algorithm ?? null,
    version.checksum?.type ?? null,
    version.ownerId,
    version.versionId,
    version.isNull ? 1 : 0,
    isBeside ? putBody(sql, oldBodyId, detail, version.inlineBytes) : null,
    isBeside ? null : detail,
  );
}

/**
 * Writes a changed detail of a version where it stands; a short one may grow over
 * the limit of a row.
 */
export function rewriteDetail(
  sql: Sql,
  bucket: number,
  table: 'objects' | 'versions',
  version: ObjectVersion,
  bodyId: number | null,
): void {
  const detail = encodeDetail(version);
  const isBeside = bodyId !== null || detail.length > DETAIL_IN_ROW_MAX_LENGTH;
  const newBodyId = isBeside ? putBody(sql, bodyId, detail, version.inlineBytes) : null;
  sql.all(
    `UPDATE ${table} SET detail = ?, body_id = ? WHERE bucket = ? AND key = ? AND version_id = ?`,
    isBeside ? null : detail,
    newBodyId,
    bucket,
    version.key,
    version.versionId,
  );
}

/** Removes the row beside an object's own. */
export function deleteBody(sql: Sql, id: number): void {
  sql.all('DELETE FROM object_bodies WHERE id = ?', id);
}

/**
 * Writes the row beside an object's, in the place of the old version's when it had
 * one. Gives its id.
 */
function putBody(
  sql: Sql,
  oldId: number | null,
  detail: string,
  inlineBytes: Uint8Array | null,
): number {
  const [row] = sql.all<{ id: number }>(
    'INSERT OR REPLACE INTO object_bodies (id, detail, inline_bytes) VALUES (?, ?, ?) RETURNING id',
    oldId,
    detail,
    inlineBytes,
  );
  if (row === undefined)
    throw new StorageError('InternalError', { cause: 'object_bodies gave no id' });
  return row.id;
}
