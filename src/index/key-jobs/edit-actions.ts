// Changes of headers, metadata, tags and storage class of an object, as an action of a
// job. No byte moves: the new version has the segments of the old one. Called by
// key-actions.ts.

import type { EditedAttributes, EditedItem } from '../../domain/keys/key-jobs.ts';
import type { ObjectVersion } from '../../domain/nouns.ts';
import { isLocked } from '../../domain/object-facts.ts';
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
  { key, onlyVersionId, onlyTags, versionId, attributes }: ActionOfKind<'edit'>,
): ActionResult {
  const { n } = context;
  const stored = readCurrent(sql, n, key);
  if (stored?.versionId !== onlyVersionId) return failed('missing');
  const object = readCurrentVersion(sql, n, key);
  if (object === null) return failed('missing');
  if (onlyTags !== null && !isSame(object.tags, onlyTags)) return failed('missing');

  const { headers, userMetadata, storageClass, tags } = object;
  const before: EditedAttributes = { headers, userMetadata, storageClass, tags };
  if (isSame(before, attributes)) return done({ sizeBytes: object.sizeBytes });

  const detail = JSON.stringify({ before, tags: attributes.tags } satisfies EditedItem);
  const isOnlyTags = isSame({ ...before, tags: attributes.tags }, attributes);
  if (isOnlyTags) {
    rewriteDetail(sql, n, 'objects', { ...object, tags: attributes.tags }, stored.bodyId);
    return done({ sizeBytes: object.sizeBytes, versionId: object.versionId, detail });
  }
  return putEdited(sql, context, { ...object, ...attributes, versionId }, stored, detail);
}

/** Makes a version of the stored bytes the current one. A lock stays with the old. */
function putEdited(
  sql: Sql,
  { n, bucket, nowMs }: ActionContext,
  edited: ObjectVersion,
  stored: StoredVersion,
  detail: string,
): ActionResult {
  const versioning = versioningOf(bucket);
  if (versioning === 'off' && isLocked(stored.lock, nowMs, false)) return failed('locked');

  const references = referencesOf(edited.segments);
  const deduplicatedAway = addReferences(sql, n, edited.storageClass, references, []);
  const version = withDefaultLock(bucket, { ...edited, lastModifiedMs: nowMs, lock: null });
  const written = putVersion(sql, n, versioning, version, stored, { deduplicatedAway });
  return done({ sizeBytes: edited.sizeBytes, versionId: written.versionId, detail });
}

/** Whether two plain values say the same, whatever the order of their fields. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, sorted(each)] as const);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
}
