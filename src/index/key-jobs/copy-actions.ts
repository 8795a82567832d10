// Copies inside a bucket, as actions of a job, and how they are taken back. No byte
// moves: the copy is another row with the same segments. Called by key-actions.ts.

import type { ObjectVersion } from '../../domain/nouns.ts';
import { isLocked } from '../../domain/object-facts.ts';
import type { Sql } from '../../ports/sql.ts';
import { addReferences, referencesOf } from '../objects/blob-references.ts';
import { readCurrentVersion } from '../objects/read-versions.ts';
import { readCurrent } from '../objects/stored-versions.ts';
import {
  promoteNewest,
  putVersion,
  removeCurrent,
  versioningOf,
  withDefaultLock,
} from '../objects/version-rows.ts';
import {
  type ActionContext,
  type ActionOfKind,
  type ActionResult,
  done,
  failed,
  findTarget,
} from './action-results.ts';

/**
 * Copies an object to another key, as CopyObject does: headers, metadata, tags and
 * encryption go along, grants and lock do not. Cost: a commit's statements.
 */
export function copyWithin(
  sql: Sql,
  { n, bucket, nowMs, slots }: ActionContext,
  action: ActionOfKind<'copy'>,
): ActionResult {
  const source = readCurrentVersion(sql, n, action.key);
  if (source === null) return failed('missing');
  const target = findTarget(sql, n, action);
  if (target === null || target.toKey === action.key) return failed('conflict');

  const { toKey, replaced } = target;
  const versioning = versioningOf(bucket);
  if (versioning === 'off' && isLocked(replaced?.lock ?? null, nowMs, false))
    return failed('locked');

  const copy: ObjectVersion = {
    ...source,
    key: toKey,
    versionId: action.versionId,
    lastModifiedMs: nowMs,
    ownerId: null,
    acl: null,
    lock: null,
  };
  const references = referencesOf(copy.segments);
  const deduplicatedAway = addReferences(sql, n, copy.storageClass, references, []);
  const version = withDefaultLock(bucket, copy);
  const written = slots.write(version, (slotBody) =>
    putVersion(sql, n, versioning, version, replaced, { deduplicatedAway, slotBody }),
  );
  return done({ sizeBytes: source.sizeBytes, versionId: written.versionId, toKey });
}

/**
 * Removes a copy that is still the current version of its key. What it replaced in a
 * bucket with versions is current again.
 */
export function removeCopy(
  sql: Sql,
  { n, nowMs }: ActionContext,
  { key, copyId }: ActionOfKind<'uncopy'>,
): ActionResult {
  const copy = readCurrent(sql, n, key);
  if (copy?.versionId !== copyId) return failed('missing');
  if (isLocked(copy.lock, nowMs, false)) return failed('locked');
  removeCurrent(sql, n, key, copy, nowMs);
  promoteNewest(sql, n, key, nowMs);
  return done({ sizeBytes: copy.sizeBytes });
}
