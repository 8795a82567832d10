// What a job of key-jobs.ts does to one key, inside its commit: moving an object to
// another key, hiding it, bringing it back, removing it for good. No byte moves:
// rows change their key, or another row gets the same segments. Where versions
// stand is version-rows.ts's; nothing here decides which keys, or when.

import type { KeyAction } from '../../domain/keys/key-jobs.ts';
import type { ObjectKey, ObjectVersion, VersionId } from '../../domain/nouns.ts';
import { isLocked } from '../../domain/object-facts.ts';
import type { Sql } from '../../ports/sql.ts';
import { moveDropFiles } from '../links/drop/drop-files.ts';
import { addReferences, referencesOf } from '../objects/blob-references.ts';
import { readCurrentVersion } from '../objects/read-versions.ts';
import {
  readCurrent,
  readNewestOther,
  readOther,
  type StoredVersion,
} from '../objects/stored-versions.ts';
import {
  promoteNewest,
  putMarker,
  putVersion,
  removeCurrent,
  removeOther,
  renameCurrent,
  versioningOf,
  withDefaultLock,
} from '../objects/version-rows.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import {
  type ActionContext,
  type ActionOfKind,
  type ActionResult,
  done,
  failed,
  findTarget,
} from './action-results.ts';
import { copyWithin, removeCopy } from './copy-actions.ts';
import { editObject } from './edit-actions.ts';

/** Rows that one action removes in one commit at most. */
const PURGE_ROWS_PER_ACTION = 250;
/** Rows that all actions of a commit remove together by `purge` and `unhide`. */
export const PURGE_ROWS_PER_STEP = 2000;

/**
 * Does one action; one that can't be done changes nothing. Cost: some statements.
 */
export function applyKeyAction(sql: Sql, context: ActionContext, action: KeyAction): ActionResult {
  switch (action.kind) {
    case 'move':
      return move(sql, context, action);
    case 'unmove':
      return unmove(sql, context, action);
    case 'hide':
      return hide(sql, context, action);
    case 'unhide':
      return unhide(sql, context, action);
    case 'purge':
      return purge(sql, context, action.key);
    case 'erase':
      return erase(sql, context, action.key);
    case 'edit':
      return editObject(sql, context, action);
    case 'copy':
      return copyWithin(sql, context, action);
    case 'uncopy':
      return removeCopy(sql, context, action);
    case 'record': {
      const { sizeBytes, versionId, toKey } = action;
      return done({ sizeBytes, versionId, toKey });
    }
  }
}

/**
 * Gives an object another key, with all that it had. What has that key goes, or
 * becomes an older version of it, as the bucket's versioning has it.
 */
function move(sql: Sql, context: ActionContext, action: ActionOfKind<'move'>): ActionResult {
  const { n, bucket, nowMs } = context;
  const { key, versionId } = action;
  const source = readCurrent(sql, n, key);
  if (source === null) return failed('missing');
  const target = findTarget(sql, n, action);
  if (target === null || target.toKey === key) return failed('conflict');

  const { toKey, replaced } = target;
  // An object that replaces another must be newer than that, for conditions by
  // date; else it keeps its own date.
  const lastModifiedMs = replaced === null ? source.lastModifiedMs : nowMs;
  const to = { key: toKey, versionId, lastModifiedMs };
  if (versioningOf(bucket) !== 'off') {
    const moved = moveVersion(sql, context, action, source, to, replaced);
    if (moved.outcome === 'done') moveDropFiles(sql, n, { key, etag: source.etag }, toKey);
    return moved;
  }

  if (isLocked(replaced?.lock ?? null, nowMs, false) || isLocked(source.lock, nowMs, false))
    return failed('locked');
  moveDropFiles(sql, n, { key, etag: source.etag }, toKey);
  const renamedId = renameCurrent(sql, n, { key, stored: source }, to, replaced, nowMs);
  return done({ sizeBytes: source.sizeBytes, versionId: renamedId, toKey });
}

/**
 * Moves in a bucket with versions: a copy at the new key, and a delete marker at
 * the old one.
 */
function moveVersion(
  sql: Sql,
  { n, bucket, nowMs, slots }: ActionContext,
  { key, markerId }: ActionOfKind<'move'>,
  source: StoredVersion,
  to: Pick<ObjectVersion, 'key' | 'versionId' | 'lastModifiedMs'>,
  replaced: StoredVersion | null,
): ActionResult {
  const object = readCurrentVersion(sql, n, key);
  if (object === null) return failed('missing');
  const copy: ObjectVersion = { ...object, ...to };
  const references = referencesOf(copy.segments);
  const deduplicatedAway = addReferences(sql, n, copy.storageClass, references, []);

  const versioning = versioningOf(bucket);
  const version = withDefaultLock(bucket, copy);
  const saved = { deduplicatedAway, nowMs };
  const written = slots.write(version, (slotBody) =>
    putVersion(sql, n, versioning, version, replaced, { ...saved, slotBody }),
  );
  const left = { key, versionId: markerId, ownerId: null, nowMs, isOfMove: true };
  const marker = putMarker(sql, n, versioning, left, source);
  return done({
    sizeBytes: source.sizeBytes,
    versionId: written.versionId,
    markerId: marker.versionId,
    toKey: to.key,
  });
}

/**
 * Takes a move back. Where the old key still has its version behind the marker,
 * that becomes current again; else the object moves back, if its old key is free.
 */
function unmove(sql: Sql, context: ActionContext, action: ActionOfKind<'unmove'>): ActionResult {
  const { n, nowMs } = context;
  const { key, toKey, movedId, leftMarkerId, versionId, markerId } = action;
  const moved = readCurrent(sql, n, toKey);
  if (moved?.versionId !== movedId) return failed('missing');
  const origin = leftMarkerId === null ? null : findHiddenBehind(sql, n, key, leftMarkerId);
  if (
    origin === null ||
    leftMarkerId === null ||
    origin.etag !== moved.etag ||
    origin.sizeBytes !== moved.sizeBytes
  ) {
    return move(sql, context, {
      kind: 'move',
      key: toKey,
      toKeys: [key],
      versionId,
      markerId,
      mayReplace: false,
    });
  }
  if (isLocked(moved.lock, nowMs, false)) return failed('locked');
  removeCurrent(sql, n, toKey, moved, nowMs);
  promoteNewest(sql, n, toKey, nowMs);
  removeOther(sql, n, key, leftMarkerId, nowMs);
  promoteNewest(sql, n, key, nowMs);
  moveDropFiles(sql, n, { key: toKey, etag: moved.etag }, key);
  return done({ sizeBytes: moved.sizeBytes });
}

/**
 * The version that comes back when this marker goes; null when it is not the newest
 * of its key, or hides none.
 */
function findHiddenBehind(
  sql: Sql,
  n: number,
  key: ObjectKey,
  markerId: VersionId,
): StoredVersion | null {
  if (readCurrent(sql, n, key) !== null || readNewestOther(sql, n, key)?.versionId !== markerId)
    return null;
  const [row] = sql.all<{ version_id: string }>(
    `SELECT version_id FROM versions WHERE bucket = ? AND key = ? AND version_id < ?
     ORDER BY version_id DESC LIMIT 1`,
    n,
    key,
    markerId,
  );
  const behind = row === undefined ? null : readOther(sql, n, key, row.version_id as VersionId);
  return behind === null || behind.isMarker ? null : behind;
}

/** Deletes the current object as the bucket's versioning has it. */
function hide(
  sql: Sql,
  { n, bucket, nowMs }: ActionContext,
  action: ActionOfKind<'hide'>,
): ActionResult {
  const { key, markerId, onlyVersionId, movedTo } = action;
  const current = readCurrent(sql, n, key);
  if (current === null || (onlyVersionId !== null && current.versionId !== onlyVersionId))
    return failed('missing');
  const versioning = versioningOf(bucket);
  if (versioning === 'off') {
    if (isLocked(current.lock, nowMs, false)) return failed('locked');
    removeCurrent(sql, n, key, current, nowMs);
    return done({
      sizeBytes: current.sizeBytes,
      versionId: movedTo?.versionId ?? null,
      toKey: movedTo?.key ?? null,
    });
  }
  const marker = putMarker(
    sql,
    n,
    versioning,
    { key, versionId: markerId, ownerId: null, nowMs, isOfMove: movedTo !== null },
    current,
  );
  return done({
    sizeBytes: current.sizeBytes,
    versionId: movedTo?.versionId ?? marker.versionId,
    markerId: marker.versionId,
    toKey: movedTo?.key ?? null,
  });
}

/**
 * Removes markers from the top until a version is current again; a key that has
 * none behind them stays as it is.
 */
function unhide(
  sql: Sql,
  { n, nowMs, room }: ActionContext,
  { key, onlyMarkerId }: ActionOfKind<'unhide'>,
): ActionResult {
  if (room.rows <= 0) return failed('more');
  if (readCurrent(sql, n, key) !== null) return failed('missing');
  const newest = readNewestOther(sql, n, key);
  if (newest === null || (onlyMarkerId !== null && newest.versionId !== onlyMarkerId))
    return failed('missing');
  const [behind] = sql.all<{ version_id: string; size_bytes: number }>(
    `SELECT version_id, size_bytes FROM versions WHERE bucket = ? AND key = ? AND is_marker = 0
     ORDER BY version_id DESC LIMIT 1`,
    n,
    key,
  );
  if (behind === undefined) return failed('missing');
  const limit = Math.min(PURGE_ROWS_PER_ACTION, room.rows);
  const markers = sql.all<{ version_id: string }>(
    `SELECT version_id FROM versions WHERE bucket = ? AND key = ? AND version_id > ?
     ORDER BY version_id DESC LIMIT ${PLAN_ONCE} ?`,
    n,
    key,
    behind.version_id,
    limit + 1,
  );
  for (const marker of markers.slice(0, limit))
    removeOther(sql, n, key, marker.version_id as VersionId, nowMs);
  room.rows -= Math.min(markers.length, limit);
  promoteNewest(sql, n, key, nowMs);
  return markers.length > limit ? failed('more') : done({ sizeBytes: behind.size_bytes });
}

/**
 * Removes all versions of a key that is hidden, the oldest first, so that the
 * marker hides the rest to the end.
 */
function purge(sql: Sql, context: ActionContext, key: ObjectKey): ActionResult {
  if (context.room.rows <= 0) return failed('more');
  if (readCurrent(sql, context.n, key) !== null) return failed('missing');
  return removeOthers(sql, context, key);
}

/**
 * Removes all versions of a key and its current object, that one last. A locked one
 * stays, with what is newer.
 */
function erase(sql: Sql, context: ActionContext, key: ObjectKey): ActionResult {
  const { n, nowMs, room } = context;
  if (room.rows <= 0) return failed('more');
  const current = readCurrent(sql, n, key);
  const others = removeOthers(sql, context, key);
  if (current === null) return others;
  if (others.outcome === 'more' || others.outcome === 'locked') return others;
  if (isLocked(current.lock, nowMs, false)) return { ...others, outcome: 'locked' };
  room.rows -= 1;
  removeCurrent(sql, n, key, current, nowMs);
  return done({ sizeBytes: others.sizeBytes + current.sizeBytes });
}

/** Removes versions of a key that are not current, the oldest first. */
function removeOthers(sql: Sql, { n, nowMs, room }: ActionContext, key: ObjectKey): ActionResult {
  const limit = Math.min(PURGE_ROWS_PER_ACTION, room.rows);
  const rows = sql.all<{ version_id: string }>(
    `SELECT version_id FROM versions
     WHERE bucket = ? AND key = ? ORDER BY version_id LIMIT ${PLAN_ONCE} ?`,
    n,
    key,
    limit + 1,
  );
  if (rows.length === 0) return failed('missing');
  let sizeBytes = 0;
  for (const { version_id } of rows.slice(0, limit)) {
    const stored = readOther(sql, n, key, version_id as VersionId);
    if (stored === null) continue;
    // A locked version needs the marker above it.
    if (isLocked(stored.lock, nowMs, false)) return { ...failed('locked'), sizeBytes };
    sizeBytes += stored.sizeBytes;
    removeOther(sql, n, key, stored.versionId, nowMs);
    room.rows -= 1;
  }
  return { ...done({ sizeBytes }), outcome: rows.length > limit ? 'more' : 'done' };
}
