// Writes the row of a version with its detail: in the row itself, or beside it in
// `object_bodies`, where long details and inline bytes stand. Called by
// version-rows.ts and by changes of a version.
import { StorageError } from '../../domain/errors.ts';
import type { ObjectVersion } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';
import { encodeDetail, segmentsOfDetail } from './object-rows.ts';

/**
 * Longest detail that stands in the object's own row, in UTF-16 units; a longer one
 * stands beside it, with the inline bytes. Listings then read dense pages, and no
 * row spills: SQLite loads a spilled row of such a table whole whenever a search
 * passes it. A row of up to 1,002 bytes never spills (page of 4,096 bytes). Source:
 * https://sqlite.org/fileformat2.html section 1.6; inline bytes in the row made
 * listing 3 to 5 times slower at 2 to 10 KiB (measured 2026-11, 200,000 keys).
 */
export const DETAIL_IN_ROW_MAX_LENGTH = 512;
/**
 * Longest detail with the key of an object of several parts, bytes: such objects are
 * large, and few to a page of a listing, so only the limit of 1,002 bytes counts for
 * them. The other columns take up to 200. A row beside it would cost a row more.
 */
const PARTED_ROW_MAX_BYTES = 800;

const encoder = new TextEncoder();

/** Whether the detail of a version without inline bytes stands in its row. */
function fitsInRow({ key, parts }: ObjectVersion, detail: string): boolean {
  if (detail.length <= DETAIL_IN_ROW_MAX_LENGTH) return true;
  if (parts === null || detail.length > PARTED_ROW_MAX_BYTES) return false;
  return encoder.encode(key + detail).length <= PARTED_ROW_MAX_BYTES;
}

/**
 * An inline body with a slot in a pack to come: the id of its row, the detail of its
 * version, which names that slot, and the text beside the bytes.
 */
export type SlotBody = {
  readonly id: number;
  readonly detail: string;
  readonly entry: string;
};

/**
 * Writes the row of the current object. `oldBodyId`: a row beside it that is free
 * to be used again. `nowMs`: when it came. `slotBody`: where its inline body waits.
 */
export function writeCurrent(
  sql: Sql,
  bucket: number,
  version: ObjectVersion,
  oldBodyId: number | null,
  nowMs: number,
  slotBody: SlotBody | null,
): void {
  const { detail, bodyId } =
    slotBody === null
      ? putDetail(sql, version, oldBodyId)
      : putSlotBody(sql, version, slotBody, oldBodyId);
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
    bodyId,
    detail,
  );
}

/** Where a version's detail stands: in its row, or null and beside it. */
type WrittenDetail = { readonly detail: string | null; readonly bodyId: number | null };

function putDetail(sql: Sql, version: ObjectVersion, oldBodyId: number | null): WrittenDetail {
  const detail = encodeDetail(version);
  const isBeside = version.inlineBytes !== null || !fitsInRow(version, detail);
  if (!isBeside && oldBodyId !== null) deleteBody(sql, oldBodyId);
  return isBeside
    ? { detail: null, bodyId: putBody(sql, oldBodyId, detail, version.inlineBytes) }
    : { detail, bodyId: null };
}

/**
 * Stores a body that waits for a pack. Its row has the id that the pack gave, so that
 * of the old version can't be used again.
 */
function putSlotBody(
  sql: Sql,
  { inlineBytes }: ObjectVersion,
  { id, detail, entry }: SlotBody,
  oldBodyId: number | null,
): WrittenDetail {
  if (oldBodyId !== null) deleteBody(sql, oldBodyId);
  sql.all(
    'INSERT INTO object_bodies (id, detail, inline_bytes) VALUES (?, ?, ?)',
    id,
    entry,
    inlineBytes,
  );
  return { detail, bodyId: id };
}

/**
 * Writes a changed detail of a version where it stands; a short one may grow over
 * the limit of a row. A body that waits for a pack goes on waiting, unless it does.
 */
export function rewriteDetail(
  sql: Sql,
  bucket: number,
  table: 'objects' | 'versions',
  version: ObjectVersion,
  bodyId: number | null,
): void {
  if (version.inlineBytes !== null && rewriteSlotBody(sql, bucket, table, version)) return;
  const detail = encodeDetail(version);
  const isBeside = bodyId !== null || !fitsInRow(version, detail);
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

/** Rewrites the detail of a version whose body waits for a pack; false: it does not. */
function rewriteSlotBody(
  sql: Sql,
  bucket: number,
  table: 'objects' | 'versions',
  version: ObjectVersion,
): boolean {
  const [row] = sql.all<{ detail: string | null }>(
    `SELECT detail FROM ${table} WHERE bucket = ? AND key = ? AND version_id = ?`,
    bucket,
    version.key,
    version.versionId,
  );
  const oldDetail = row?.detail ?? null;
  if (oldDetail === null) return false;
  const detail = encodeDetail(version, segmentsOfDetail(oldDetail));
  if (detail.length > DETAIL_IN_ROW_MAX_LENGTH) return false;
  sql.all(
    `UPDATE ${table} SET detail = ? WHERE bucket = ? AND key = ? AND version_id = ?`,
    detail,
    bucket,
    version.key,
    version.versionId,
  );
  return true;
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
