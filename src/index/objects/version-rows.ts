// Where the versions of a key stand. The current object is in `objects`, so that
// listings of objects read nothing else; every other version and every delete
// marker is in `versions`, newest first by id. A key without a row in `objects` is
// gone or hidden: then the newest row of `versions`, if any, is a delete marker.
// Called by the commits of the index.

import { StorageError } from '../../domain/errors.ts';
import type {
  BucketRef,
  DeleteMarker,
  ObjectKey,
  ObjectVersion,
  VersionId,
  Versioning,
} from '../../domain/nouns.ts';
import { lockOfNew } from '../../domain/object-facts.ts';
import { isSameWrite, orderedAfter } from '../../domain/version-order.ts';
import type { Sql } from '../../ports/sql.ts';
import type { PutCounting } from '../usage/late-objects.ts';
import { countEarlyDeletion } from '../usage/minimum-storage-duration.ts';
import { oneRow, type RowState } from '../usage/row-state.ts';
import { dropReferences, type SavedBytes } from './blob-references.ts';
import { savedByCompression } from './compression-savings.ts';
import { MARKER_DETAILS } from './object-rows.ts';
import { rowChanged } from './row-changes.ts';
import {
  readCurrent,
  readNewestOther,
  readOther,
  type StoredMarker,
  type StoredVersion,
} from './stored-versions.ts';
import { deleteBody, type SlotBody, writeCurrent } from './version-details.ts';

/** The columns that a row takes along from `objects` to `versions` and back. */
const MOVED_COLUMNS = `bucket, key, version_id, is_null, size_bytes, etag, last_modified_ms,
  storage_class, class_since_ms, checksum_algorithm, checksum_type, owner_id, body_id, detail`;

/** The bucket's versioning as the caller knows it. */
export function versioningOf(bucket: BucketRef): Versioning {
  return bucket.versioning ?? 'off';
}

/**
 * The version with the retention that its bucket gives to new ones; a bucket
 * without versions gives none.
 */
export function withDefaultLock(bucket: BucketRef, version: ObjectVersion): ObjectVersion {
  const rule = bucket.defaultRetention ?? null;
  return rule === null
    ? version
    : { ...version, lock: lockOfNew(version.lock, rule, version.lastModifiedMs) };
}

/**
 * Makes `version` the current one, and gives the id under which it is stored; `current`
 * goes, or becomes an older version. References of `version` must be counted before.
 * - `deduplicatedAway`: bytes that counting them saved;
 * - `nowMs`: the time of the change, for a version that keeps an older date;
 * - `slotBody`: where an inline body waits for its pack;
 * - `counting`: how the totals count it, if they may be late.
 */
export function putVersion(
  sql: Sql,
  bucket: number,
  versioning: Versioning,
  version: ObjectVersion,
  current: StoredVersion | null,
  {
    deduplicatedAway,
    nowMs = version.lastModifiedMs,
    slotBody = null,
    counting = null,
  }: {
    readonly deduplicatedAway: SavedBytes;
    readonly nowMs?: number;
    readonly slotBody?: SlotBody | null;
    readonly counting?: PutCounting | null;
  },
): Pick<ObjectVersion, 'versionId' | 'isNull'> {
  const hiding =
    current === null && versioning !== 'off' ? readNewestOther(sql, bucket, version.key) : null;
  const versionId = orderedAfter(version.versionId, (current ?? hiding)?.versionId ?? null);
  const isNull = versioning !== 'enabled';
  const { freedBodyId, removed } = retireLatest(
    sql,
    bucket,
    versioning,
    version.key,
    { current, hiding },
    nowMs,
  );
  writeCurrent(sql, bucket, { ...version, versionId, isNull }, freedBodyId, nowMs, slotBody);
  const to = oneRow(
    'current',
    { ...version, compressedAway: savedByCompression(version.segments) },
    deduplicatedAway,
  );
  rowChanged(sql, { bucket, key: version.key, from: removed, to, atMs: nowMs, counting });
  return { versionId, isNull };
}

/** Whether a commit is a repeat: its version is the current one already. */
export function isRepeatedCommit(
  version: ObjectVersion,
  current: StoredVersion | null,
): current is StoredVersion {
  return (
    current !== null &&
    isSameWrite(current.versionId, version.versionId) &&
    current.etag === version.etag
  );
}

type NewMarker = Pick<DeleteMarker, 'key' | 'versionId' | 'ownerId' | 'isOfMove'> & {
  readonly nowMs: number;
};

/**
 * Puts a delete marker in place of the current version, which goes or becomes an
 * older version.
 */
export function putMarker(
  sql: Sql,
  bucket: number,
  versioning: Versioning,
  marker: NewMarker,
  current: StoredVersion | null,
): StoredMarker {
  const { key, nowMs } = marker;
  const hiding = current === null ? readNewestOther(sql, bucket, key) : null;
  const versionId = orderedAfter(marker.versionId, (current ?? hiding)?.versionId ?? null);
  const isNull = versioning !== 'enabled';
  const { freedBodyId, removed } = retireLatest(
    sql,
    bucket,
    versioning,
    key,
    { current, hiding },
    nowMs,
  );
  if (freedBodyId !== null) deleteBody(sql, freedBodyId);
  if (removed !== null) rowChanged(sql, { bucket, key, from: removed, to: null, atMs: nowMs });
  sql.all('DELETE FROM objects WHERE bucket = ? AND key = ?', bucket, key);
  const { ownerId, isOfMove = false } = marker;
  const written = { key, versionId, isNull, lastModifiedMs: nowMs, ownerId, isOfMove };
  writeMarker(sql, bucket, written, null);
  return { versionId, isNull };
}

/** Writes the row of a delete marker. `replacedAtMs` null: it is the newest of its key. */
export function writeMarker(
  sql: Sql,
  bucket: number,
  marker: DeleteMarker,
  replacedAtMs: number | null,
): void {
  sql.all(
    `INSERT INTO versions (bucket, key, version_id, is_null, is_marker, replaced_at_ms, size_bytes,
       etag, last_modified_ms, storage_class, owner_id, detail)
     VALUES (?, ?, ?, ?, 1, ?, 0, '', ?, '', ?, ?)`,
    bucket,
    marker.key,
    marker.versionId,
    marker.isNull ? 1 : 0,
    replacedAtMs,
    marker.lastModifiedMs,
    marker.ownerId,
    marker.isOfMove === true ? MARKER_DETAILS.moved : MARKER_DETAILS.deleted,
  );
}

/** Writes the current object of a key among its older versions, too. */
export function copyToOlder(
  sql: Sql,
  bucket: number,
  key: ObjectKey,
  replacedAtMs: number | null,
): void {
  sql.all(
    `INSERT INTO versions (${MOVED_COLUMNS}, is_marker, replaced_at_ms)
     SELECT ${MOVED_COLUMNS}, 0, ? FROM objects WHERE bucket = ? AND key = ?`,
    replacedAtMs,
    bucket,
    key,
  );
}

/**
 * Lets the latest version go, or makes it an older one: the `current` object, or
 * else the marker that is `hiding` the key; with suspended versioning the null
 * version goes, wherever it stands. Gives the id of a body row that nothing uses
 * any more, and the current version if it goes for good: the caller still reports
 * that to row-changes.ts, with what takes its place.
 */
function retireLatest(
  sql: Sql,
  bucket: number,
  versioning: Versioning,
  key: ObjectKey,
  {
    current,
    hiding,
  }: { readonly current: StoredVersion | null; readonly hiding: StoredMarker | null },
  nowMs: number,
): { readonly freedBodyId: number | null; readonly removed: RowState | null } {
  if (versioning === 'suspended' && current?.isNull !== true)
    removeOther(sql, bucket, key, 'null', nowMs);
  if (hiding !== null) {
    // By its id: whoever looks for what was not replaced goes over all versions of
    // the key.
    sql.all(
      'UPDATE versions SET replaced_at_ms = ? WHERE bucket = ? AND key = ? AND version_id = ?',
      nowMs,
      bucket,
      key,
      hiding.versionId,
    );
  }
  if (current === null) return { freedBodyId: null, removed: null };
  const isRemoved = versioning === 'off' || (versioning === 'suspended' && current.isNull);
  if (isRemoved) {
    const removed = withoutReferences(sql, bucket, 'current', current, nowMs);
    countEarlyDeletion(sql, bucket, removed, current.classSinceMs, nowMs);
    return { freedBodyId: current.bodyId, removed };
  }
  copyToOlder(sql, bucket, key, nowMs);
  rowChanged(sql, {
    bucket,
    key,
    from: oneRow('current', current),
    to: oneRow('noncurrent', current),
    atMs: nowMs,
  });
  return { freedBodyId: null, removed: null };
}

/** Removes a version that is not the current object, with its references. */
export function removeOther(
  sql: Sql,
  bucket: number,
  key: ObjectKey,
  name: VersionId | 'null',
  nowMs: number,
): void {
  const stored = readOther(sql, bucket, key, name);
  if (stored === null) return;
  const from = takeOther(sql, bucket, key, stored, nowMs);
  if (!stored.isMarker) countEarlyDeletion(sql, bucket, from, stored.classSinceMs, nowMs);
}

/** Takes away a version that is not the current object, as it goes to another shard. */
export function takeOther(
  sql: Sql,
  bucket: number,
  key: ObjectKey,
  stored: NonNullable<ReturnType<typeof readOther>>,
  nowMs: number,
): RowState {
  const from = withoutReferences(sql, bucket, 'noncurrent', stored, nowMs);
  if (stored.bodyId !== null) deleteBody(sql, stored.bodyId);
  sql.all(
    'DELETE FROM versions WHERE bucket = ? AND key = ? AND version_id = ?',
    bucket,
    key,
    stored.versionId,
  );
  if (!stored.isMarker) rowChanged(sql, { bucket, key, from, to: null, atMs: nowMs });
  return from;
}

/** Takes a row's references, and gives what goes with it. */
function withoutReferences(
  sql: Sql,
  bucket: number,
  kind: RowState['kind'],
  stored: StoredVersion,
  nowMs: number,
): RowState {
  return oneRow(
    kind,
    stored,
    dropReferences(sql, bucket, stored.storageClass, stored.references, nowMs),
  );
}

/** Removes the current object, with its references. */
export function removeCurrent(
  sql: Sql,
  bucket: number,
  key: ObjectKey,
  current: StoredVersion,
  nowMs: number,
): void {
  const from = takeCurrent(sql, bucket, key, current, nowMs);
  countEarlyDeletion(sql, bucket, from, current.classSinceMs, nowMs);
}

/** Takes away the current object, as it goes to another shard. */
export function takeCurrent(
  sql: Sql,
  bucket: number,
  key: ObjectKey,
  current: StoredVersion,
  nowMs: number,
): RowState {
  const from = withoutReferences(sql, bucket, 'current', current, nowMs);
  if (current.bodyId !== null) deleteBody(sql, current.bodyId);
  sql.all('DELETE FROM objects WHERE bucket = ? AND key = ?', bucket, key);
  rowChanged(sql, { bucket, key, from, to: null, atMs: nowMs });
  return from;
}

/**
 * Gives the current object of a bucket without versions another key; `target`,
 * which has that now, goes. Only the row changes: its bytes, references and all
 * else stay as they are. Gives the version's id.
 */
export function renameCurrent(
  sql: Sql,
  bucket: number,
  from: { readonly key: ObjectKey; readonly stored: StoredVersion },
  to: Pick<ObjectVersion, 'key' | 'versionId' | 'lastModifiedMs'>,
  target: StoredVersion | null,
  nowMs: number,
): VersionId {
  if (target !== null) removeCurrent(sql, bucket, to.key, target, nowMs);
  const versionId = orderedAfter(to.versionId, target?.versionId ?? null);
  const state = oneRow('current', from.stored);
  // Before the row has its new key: both may lie in one folder, which stays.
  rowChanged(sql, { bucket, key: from.key, from: state, to: null, atMs: nowMs });
  sql.all(
    `UPDATE objects SET key = ?, version_id = ?, last_modified_ms = ?,
       class_since_ms = coalesce(class_since_ms, last_modified_ms)
     WHERE bucket = ? AND key = ?`,
    to.key,
    versionId,
    to.lastModifiedMs,
    bucket,
    from.key,
  );
  rowChanged(sql, { bucket, key: to.key, from: null, to: state, atMs: nowMs });
  return versionId;
}

/**
 * Makes the next version current after the newest one went, unless it is a delete
 * marker.
 */
export function promoteNewest(sql: Sql, bucket: number, key: ObjectKey, nowMs: number): void {
  const newest = readNewestOther(sql, bucket, key);
  if (newest === null) return;
  if (newest.isMarker) {
    sql.all(
      'UPDATE versions SET replaced_at_ms = NULL WHERE bucket = ? AND key = ? AND version_id = ?',
      bucket,
      key,
      newest.versionId,
    );
    return;
  }
  sql.all(
    `INSERT INTO objects (${MOVED_COLUMNS})
     SELECT ${MOVED_COLUMNS} FROM versions WHERE bucket = ? AND key = ? AND version_id = ?`,
    bucket,
    key,
    newest.versionId,
  );
  sql.all(
    'DELETE FROM versions WHERE bucket = ? AND key = ? AND version_id = ?',
    bucket,
    key,
    newest.versionId,
  );
  const promoted = readCurrent(sql, bucket, key);
  if (promoted === null)
    throw new StorageError('InternalError', { cause: 'a version was not promoted' });
  rowChanged(sql, {
    bucket,
    key,
    from: oneRow('noncurrent', promoted),
    to: oneRow('current', promoted),
    atMs: nowMs,
  });
}
