// Changes of a version that exists: its tags, grants, lock, and how its data key is
// wrapped. The version keeps its place and its bytes.
import { StorageError } from '../../domain/errors.ts';
import type { ObjectVersion } from '../../domain/nouns.ts';
import { isLocked, lockAfter, type VersionChange } from '../../domain/object-facts.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { requireBucket } from '../require-bucket.ts';
import { factsOf, recordEvent, taggingOf } from './object-events.ts';
import { JOIN_BODY, readCurrentVersion, readOtherVersion } from './read-versions.ts';
import { matchesName } from './stored-versions.ts';
import { rewriteDetail } from './version-details.ts';

type UpdateInput = Parameters<IndexApi['updateVersion']>[0];

/** Changes tags, grants or lock of a version. Contract: `IndexCommands.updateVersion`. */
export function updateVersion(sql: Sql, input: UpdateInput): ObjectVersion {
  const { bucket, change, bypassGovernance, nowMs } = input;
  const n = requireBucket(sql, bucket);
  const { object, table } = requireVersion(sql, n, input);
  const next = withChange(object, change, nowMs, bypassGovernance);
  const [stored] = sql.all<{ body_id: number | null }>(
    `SELECT x.id AS body_id FROM ${table} AS o ${JOIN_BODY}
     WHERE o.bucket = ? AND o.key = ? AND o.version_id = ?`,
    n,
    object.key,
    object.versionId,
  );
  rewriteDetail(sql, n, table, next, stored?.body_id ?? null);

  const facts = { ...factsOf(next), nowMs, version: next };
  if (change.tags !== undefined) recordEvent(sql, bucket, { ...facts, name: taggingOf(bucket) });
  if (change.acl !== undefined) recordEvent(sql, bucket, { ...facts, name: 'ObjectAcl:Put' });
  return next;
}

/**
 * The version to change and its table. MethodNotAllowed, NoSuchKey, NoSuchVersion.
 */
function requireVersion(
  sql: Sql,
  n: number,
  { key, versionId }: Pick<UpdateInput, 'key' | 'versionId'>,
): { readonly object: ObjectVersion; readonly table: 'objects' | 'versions' } {
  const current = readCurrentVersion(sql, n, key);
  if (current !== null && matchesName(current, versionId))
    return { object: current, table: 'objects' };
  const other = readOtherVersion(sql, n, key, versionId, current !== null);
  if (other?.kind === 'object') return { object: other.object, table: 'versions' };
  if (other !== null) {
    throw new StorageError('MethodNotAllowed', {
      fields: { ResourceType: 'DeleteMarker', Allow: 'DELETE' },
    });
  }
  throw new StorageError(versionId === null ? 'NoSuchKey' : 'NoSuchVersion', {
    fields: { Key: key },
  });
}

function protectedByLock(): StorageError {
  return new StorageError('AccessDenied', {
    detail: 'Access Denied because object protected by object lock.',
  });
}

/** The version as changed. AccessDenied when its lock forbids the change. */
function withChange(
  object: ObjectVersion,
  change: VersionChange,
  nowMs: number,
  bypass: boolean,
): ObjectVersion {
  const { tags = object.tags, acl = object.acl } = change;
  const lock = lockAfter(object.lock, change, nowMs, bypass);
  if (lock === 'refused') throw protectedByLock();
  if (change.encryption !== undefined && isLocked(object.lock, nowMs, false))
    throw protectedByLock();
  return { ...object, tags, acl, lock, encryption: change.encryption ?? object.encryption };
}
