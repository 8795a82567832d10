// Changes of headers, metadata, tags, storage class and lock of an object, as an action
// of a job. No byte moves: the new version has the segments of the old one. Called by
// key-actions.ts.

import type { EditedAttributes, EditedItem } from '../../domain/keys/key-jobs.ts';
import type { ObjectVersion } from '../../domain/nouns.ts';
import { isLocked, lockAfter } from '../../domain/object-facts.ts';
import type { Sql } from '../../ports/sql.ts';
import { addReferences, referencesOf } from '../objects/blob-references.ts';
import { readCurrentVersion } from '../objects/read-versions.ts';
import { readCurrent, type StoredVersion } from '../objects/stored-versions.ts';
import { rewriteDetail } from '../objects/version-details.ts';
import { putVersion, versioningOf, withDefaultLock } from '../objects/version-rows.ts';
import {
  type ActionContext,
  type ActionOfKind,
  type ActionResult,
  done,
  failed,
} from './action-results.ts';

/**
 * Gives the current object other attributes. What changes nothing is done at once,
 * and leaves nothing to take back. Cost: a commit's statements.
 */
export function editObject(
  sql: Sql,
  context: ActionContext,
  action: ActionOfKind<'edit'>,
): ActionResult {
  const { key, onlyVersionId, onlyTags, onlyLock, versionId, attributes } = action;
  const { n, nowMs } = context;
  const stored = readCurrent(sql, n, key);
  if (stored?.versionId !== onlyVersionId) return failed('missing');
  const object = readCurrentVersion(sql, n, key);
  if (object === null) return failed('missing');
  if (onlyTags !== null && !isSame(object.tags, onlyTags)) return failed('missing');
  if (onlyLock !== undefined && !isSame(object.lock, onlyLock)) return failed('missing');

  const { headers, userMetadata, storageClass, tags } = object;
  const before: EditedAttributes = { headers, userMetadata, storageClass, tags };
  const isInPlace = isSame({ ...before, tags: attributes.tags }, attributes);
  const { bypassGovernance = false, ...lockChange } = action.lock ?? {};
  // A new version begins without a lock: nothing of it is overridden.
  const lock = lockAfter(isInPlace ? object.lock : null, lockChange, nowMs, bypassGovernance);
  if (lock === 'refused') return failed('locked');

  const edited: ObjectVersion = { ...object, ...attributes, lock };
  if (isInPlace && isSame([attributes.tags, lock], [tags, object.lock]))
    return done({ sizeBytes: object.sizeBytes });

  const version = isInPlace
    ? edited
    : withDefaultLock(context.bucket, { ...edited, versionId, lastModifiedMs: nowMs });
  const item: EditedItem = {
    before,
    tags: attributes.tags,
    ...(action.lock === undefined ? {} : { lock: { before: object.lock, after: version.lock } }),
  };
  const detail = JSON.stringify(item);
  if (!isInPlace) return putEdited(sql, context, version, stored, detail);

  rewriteDetail(sql, n, 'objects', version, stored.bodyId);
  return done({ sizeBytes: object.sizeBytes, versionId: object.versionId, detail });
}

/** Makes a version of the stored bytes the current one. A lock stays with the old. */
function putEdited(
  sql: Sql,
  { n, bucket, nowMs, slots }: ActionContext,
  version: ObjectVersion,
  stored: StoredVersion,
  detail: string,
): ActionResult {
  const versioning = versioningOf(bucket);
  if (versioning === 'off' && isLocked(stored.lock, nowMs, false)) return failed('locked');

  const references = referencesOf(version.segments);
  const deduplicatedAway = addReferences(sql, n, version.storageClass, references, []);
  const written = slots.write(version, (slotBody) =>
    putVersion(sql, n, versioning, version, stored, { deduplicatedAway, slotBody }),
  );
  return done({ sizeBytes: version.sizeBytes, versionId: written.versionId, detail });
}

/** Whether two plain values say the same, whatever the order of their fields. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, sorted(each)] as const);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
}
