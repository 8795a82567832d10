// Deleting in the index: current versions, which go or are hidden by a marker as
// the bucket's versioning has it, and versions by their name, which go for good
// unless they are locked. One commit for all targets of a request.
import type { Versioning } from '../../domain/nouns.ts';
import { isLocked } from '../../domain/object-facts.ts';
import type { DeletedObject, DeleteTarget, IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { requireBucket } from '../require-bucket.ts';
import { type ObjectChange, recordEvent } from './object-events.ts';
import { matchesName, readCurrent, readOther, type StoredVersion } from './stored-versions.ts';
import {
  promoteNewest,
  putMarker,
  removeCurrent,
  removeOther,
  versioningOf,
} from './version-rows.ts';

type DeleteInput = Parameters<IndexApi['deleteObjects']>[0];
type Context = Pick<DeleteInput, 'bypassGovernance' | 'ownerId' | 'nowMs'> & {
  readonly n: number;
  readonly versioning: Versioning;
};

/**
 * Deletes current or named versions, each by itself. Contract:
 * `IndexCommands.deleteObjects`. Cost: some statements per target.
 */
export function deleteObjects(sql: Sql, input: DeleteInput): readonly DeletedObject[] {
  const { bucket, targets, bypassGovernance, ownerId, nowMs } = input;
  const n = requireBucket(sql, bucket);
  const context: Context = {
    n,
    versioning: versioningOf(bucket),
    bypassGovernance,
    ownerId,
    nowMs,
  };
  return targets.map((target) => {
    const deleted =
      target.versionId === null ? hide(sql, context, target) : remove(sql, context, target);
    recordEvent(sql, bucket, eventOf(target, deleted, nowMs));
    return deleted;
  });
}

const done = (
  target: DeleteTarget,
  existed: boolean,
  marker: DeletedObject['marker'] = null,
): DeletedObject => ({
  key: target.key,
  existed,
  marker,
  refusal: null,
});
const refused = (
  target: DeleteTarget,
  stored: StoredVersion | null,
  refusal: DeletedObject['refusal'],
): DeletedObject => ({
  key: target.key,
  existed: stored !== null,
  marker: null,
  refusal,
});

/** The event of a deletion; null where nothing was there, or it was refused. */
function eventOf(
  { versionId }: DeleteTarget,
  deleted: DeletedObject,
  nowMs: number,
): ObjectChange | null {
  const { key, existed, marker, refusal } = deleted;
  if (refusal !== null) return null;
  if (versionId === null && marker !== null) {
    return { name: 'ObjectRemoved:DeleteMarkerCreated', key, nowMs, version: marker };
  }
  const version = versionId === null ? null : { versionId, isNull: versionId === 'null' };
  return existed ? { name: 'ObjectRemoved:Delete', key, nowMs, version } : null;
}

/** A deletion without a version id. */
function hide(
  sql: Sql,
  { n, versioning, ownerId, nowMs }: Context,
  target: DeleteTarget,
): DeletedObject {
  const { key, markerId } = target;
  const current = readCurrent(sql, n, key);
  const refusal = refusalOf(target, current);
  if (refusal !== null) return refused(target, current, refusal);
  if (versioning !== 'off') {
    const marker = putMarker(
      sql,
      n,
      versioning,
      { key, versionId: markerId, ownerId, nowMs },
      current,
    );
    return done(target, current !== null, marker);
  }
  if (current !== null) removeCurrent(sql, n, key, current, nowMs);
  return done(target, current !== null);
}

/** A deletion of one version, for good. */
function remove(sql: Sql, context: Context, target: DeleteTarget): DeletedObject {
  const { n, nowMs, bypassGovernance } = context;
  const { key, versionId } = target;
  if (versionId === null) return done(target, false);
  const current = readCurrent(sql, n, key);
  const isCurrent = current !== null && matchesName(current, versionId);
  const other = isCurrent ? null : readOther(sql, n, key, versionId);
  const stored = isCurrent ? current : other;
  const isMarker = other?.isMarker === true;
  const refusal = isMarker && target.condition !== null ? 'NoSuchKey' : refusalOf(target, stored);
  if (refusal !== null) return refused(target, stored, refusal);
  if (stored === null) return done(target, false);
  if (isLocked(stored.lock, nowMs, bypassGovernance))
    return refused(target, stored, 'AccessDenied');
  if (isCurrent) removeCurrent(sql, n, key, current, nowMs);
  else removeOther(sql, n, key, stored.versionId, nowMs);
  if (isCurrent || current === null) promoteNewest(sql, n, key, nowMs);
  return done(
    target,
    true,
    isMarker ? { versionId: stored.versionId, isNull: stored.isNull } : null,
  );
}

/**
 * The failure of a condition. None holds for what is not there, nor for a delete
 * marker: who deletes only what it knows must not believe that it did. Without a
 * condition deleting what is not there is no error.
 */
function refusalOf(
  { condition, versionId }: Pick<DeleteTarget, 'condition' | 'versionId'>,
  stored: StoredVersion | null,
): DeletedObject['refusal'] {
  if (condition === null) return null;
  const { ifMatch, ifLastModifiedSeconds, ifSizeBytes } = condition;
  if (stored === null) return versionId === null ? 'NoSuchKey' : 'NoSuchVersion';
  const isMet =
    (ifMatch === null || ifMatch === '*' || ifMatch === stored.etag) &&
    (ifLastModifiedSeconds === null ||
      ifLastModifiedSeconds === Math.floor(stored.lastModifiedMs / 1000)) &&
    (ifSizeBytes === null || ifSizeBytes === stored.sizeBytes);
  return isMet ? null : 'PreconditionFailed';
}
