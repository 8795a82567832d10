// The objects family of the index: what a key stands for, its commit, and changes of a version that
// exists. A commit checks its condition, counts references and replaces the row in one atomic step:
// it is the write of an object. Where versions stand is version-rows.ts's, deleting them
// delete-objects.ts's.

import { StorageError } from '../../domain/errors.ts';
import { siteFileKeys } from '../../domain/hosting.ts';
import type {
  BucketRecord,
  BucketRef,
  ObjectKey,
  ObjectVersion,
  VersionId,
  VersionName,
  WriteCondition,
} from '../../domain/nouns.ts';
import { isLocked, mayReplaceRetention, type VersionChange } from '../../domain/object-facts.ts';
import type { FoundVersion, IndexApi } from '../../ports/metadata-index.ts';
import type { Sql, SqlRow } from '../../ports/sql.ts';
import { type BucketRow, bucketChanged, decodeBucket, requireBucket } from '../buckets/buckets.ts';
import { addReferences, referencesOf } from './blob-references.ts';
import { sharedBefore, shareEqual } from './deduplicate.ts';
import { deleteObjects } from './delete-objects.ts';
import { creationOf, factsOf, recordEvent, taggingOf } from './object-events.ts';
import { decodeMarker, decodeVersion, type MarkerRow, type VersionRow } from './object-rows.ts';
import {
  isNamed,
  named,
  readCurrent,
  readNewestOther,
  type StoredVersion,
} from './stored-versions.ts';
import {
  isPlaced,
  lockedByDefault,
  placeVersion,
  rewriteDetail,
  versioningOf,
} from './version-rows.ts';

/** A row of an outer join: the object's columns are null when there is none. */
type MaybeVersionRow = SqlRow & {
  readonly [Column in keyof VersionRow]: VersionRow[Column] | null;
};

const VERSION_COLUMNS = `o.key, o.owner_id AS object_owner_id, o.size_bytes, o.etag, o.last_modified_ms, o.storage_class,
  o.checksum_algorithm, o.checksum_type, o.version_id, o.is_null, coalesce(o.detail, x.detail) AS detail, x.inline_bytes`;
const JOIN_BODY = 'LEFT JOIN object_bodies AS x ON x.id = o.body_id';
const JOIN_OBJECT = `LEFT JOIN objects AS o ON o.bucket = b.n AND o.key = ? ${JOIN_BODY}`;

type ObjectCalls = Pick<
  IndexApi,
  | 'getVersion'
  | 'getObjects'
  | 'resolve'
  | 'resolveAll'
  | 'commitObject'
  | 'deleteObjects'
  | 'updateVersion'
>;

/** The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic. */
export function createObjectCalls(sql: Sql): ObjectCalls {
  /** The current version, for which the bucket need not be read by itself. BucketChanged. */
  function readIn(bucket: BucketRef, key: ObjectKey): ObjectVersion | null {
    const [row] = sql.all<MaybeVersionRow>(
      `SELECT ${VERSION_COLUMNS} FROM buckets AS b ${JOIN_OBJECT}
       WHERE b.id = ? AND b.name = ? AND b.revision = ? AND b.deleted_at_ms IS NULL`,
      key,
      bucket.id,
      bucket.name,
      bucket.revision,
    );
    if (row === undefined) throw bucketChanged(bucket.name);
    return isVersionRow(row) ? decodeVersion(row) : null;
  }

  function resolve({
    name,
    key,
  }: Parameters<IndexApi['resolve']>[0]): ReturnType<IndexApi['resolve']> {
    const [row] = sql.all<MaybeVersionRow & BucketRow>(
      `SELECT b.id, b.name, b.owner_id, b.created_at_ms, b.revision, b.access, b.settings, ${VERSION_COLUMNS}
       FROM buckets AS b ${JOIN_OBJECT} WHERE b.name = ? AND b.deleted_at_ms IS NULL`,
      key,
      name,
    );
    if (row === undefined) return { bucket: null, object: null };
    const bucket = withSiteFiles(sql, decodeBucket(row));
    return { bucket, object: isVersionRow(row) ? decodeVersion(row) : null };
  }

  return {
    getVersion({ bucket, key, versionId }) {
      const current = readIn(bucket, key);
      if (current !== null && isNamed(current, versionId))
        return { kind: 'object', object: current, isLatest: true };
      if (versionId === null && versioningOf(bucket) === 'off') return null;
      return readOtherVersion(sql, requireBucket(sql, bucket), key, versionId, current !== null);
    },

    getObjects: ({ bucket, keys }) => keys.map((key) => readIn(bucket, key)),

    resolve,

    resolveAll({ name, keys }) {
      const found = keys.map((key) => resolve({ name, key }));
      return { bucket: found[0]?.bucket ?? null, objects: found.map(({ object }) => object) };
    },

    commitObject({ bucket, object: given, condition, newReferences }) {
      const n = requireBucket(sql, bucket);
      const { key, storageClass } = given;
      const current = readCurrent(sql, n, key);
      if (isPlaced(given, current)) {
        const { versionId, isNull, mentions } = current;
        return { versionId, isNull, storedAs: sharedBefore(sql, n, mentions, newReferences) };
      }
      checkCondition(condition, key, current);
      const { storedAs, ...shared } = shareEqual(
        sql,
        n,
        storageClass,
        given.segments,
        newReferences,
      );
      const object =
        storedAs === null ? given : ({ ...given, segments: shared.segments } as ObjectVersion);
      const deduplicatedAway = addReferences(
        sql,
        n,
        storageClass,
        referencesOf(object.segments),
        shared.newReferences,
      );
      const version = lockedByDefault(bucket, object);
      const placed = placeVersion(sql, n, versioningOf(bucket), version, current, {
        deduplicatedAway,
      });
      recordEvent(sql, bucket, { ...factsOf(object), name: creationOf(bucket), version: placed });
      return { ...placed, storedAs };
    },

    deleteObjects: (input) => deleteObjects(sql, input),

    updateVersion({ bucket, key, versionId, change, bypassGovernance, nowMs }) {
      const n = requireBucket(sql, bucket);
      const current = readCurrentVersion(sql, n, key);
      const isCurrent = current !== null && isNamed(current.object, versionId);
      const found = isCurrent ? null : readOtherVersion(sql, n, key, versionId, current !== null);
      if (found?.kind === 'marker')
        throw new StorageError('MethodNotAllowed', {
          fields: { ResourceType: 'DeleteMarker', Allow: 'DELETE' },
        });
      const object = isCurrent ? current.object : found?.object;
      if (object === undefined) {
        throw new StorageError(versionId === null ? 'NoSuchKey' : 'NoSuchVersion', {
          fields: { Key: key },
        });
      }
      const next = changed(object, change, nowMs, bypassGovernance);
      const [stored] = sql.all<{ body_id: number | null }>(
        `SELECT body_id FROM ${isCurrent ? 'objects' : 'versions'} WHERE bucket = ? AND key = ? AND version_id = ?`,
        n,
        key,
        object.versionId,
      );
      rewriteDetail(sql, n, isCurrent ? 'objects' : 'versions', next, stored?.body_id ?? null);
      const facts = { ...factsOf(next), nowMs, version: next };
      if (change.tags !== undefined)
        recordEvent(sql, bucket, { ...facts, name: taggingOf(bucket) });
      if (change.acl !== undefined) recordEvent(sql, bucket, { ...facts, name: 'ObjectAcl:Put' });
      return next;
    },
  };
}

/**
 * The record with the files of rules that its site has, if it has any and its owner wants them
 * read.
 */
function withSiteFiles(sql: Sql, bucket: BucketRecord): BucketRecord {
  const { hosting } = bucket.settings;
  if (hosting?.ruleFiles !== true) return bucket;
  const rows = sql.all<{ key: string; version_id: string }>(
    `SELECT o.key, o.version_id FROM buckets AS b JOIN objects AS o ON o.bucket = b.n
     WHERE b.id = ? AND o.key IN (SELECT value FROM json_each(?))`,
    bucket.id,
    JSON.stringify(siteFileKeys(hosting)),
  );
  if (rows.length === 0) return bucket;
  const siteFiles = rows.map((row) => ({
    key: row.key as ObjectKey,
    versionId: row.version_id as VersionId,
  }));
  return { ...bucket, siteFiles };
}

function isVersionRow(row: MaybeVersionRow): row is MaybeVersionRow & VersionRow {
  return row.key !== null;
}

/** The current object of a key with all that is known of it, or null. */
export function readCurrentVersion(
  sql: Sql,
  bucket: number,
  key: ObjectKey,
): { object: ObjectVersion } | null {
  const [row] = sql.all<VersionRow>(
    `SELECT ${VERSION_COLUMNS} FROM objects AS o ${JOIN_BODY} WHERE o.bucket = ? AND o.key = ?`,
    bucket,
    key,
  );
  return row === undefined ? null : { object: decodeVersion(row) };
}

/**
 * A version that is not the current object. Without a name: the delete marker that hides the key,
 * if there is one.
 */
export function readOtherVersion(
  sql: Sql,
  bucket: number,
  key: ObjectKey,
  name: VersionName | null,
  hasCurrent: boolean,
): FoundVersion | null {
  const newest = hasCurrent ? null : readNewestOther(sql, bucket, key);
  if (name === null && newest === null) return null;
  const [row] = sql.all<VersionRow & MarkerRow>(
    `SELECT ${VERSION_COLUMNS}, o.is_marker FROM versions AS o ${JOIN_BODY}
     WHERE o.bucket = ? AND o.key = ? AND ${named(name)}`,
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

function protectedByLock(): StorageError {
  return new StorageError('AccessDenied', {
    detail: 'Access Denied because object protected by object lock.',
  });
}

/** AccessDenied when the lock forbids it. */
function changed(
  object: ObjectVersion,
  change: VersionChange,
  nowMs: number,
  bypass: boolean,
): ObjectVersion {
  const old = object.lock ?? { retention: null, hasLegalHold: null };
  const {
    retention = old.retention,
    hasLegalHold = old.hasLegalHold,
    tags = object.tags,
    acl = object.acl,
  } = change;
  if (
    change.retention !== undefined &&
    !mayReplaceRetention(old.retention, retention, nowMs, bypass)
  ) {
    throw protectedByLock();
  }
  if (change.encryption !== undefined && isLocked(object.lock, nowMs, false))
    throw protectedByLock();
  const lock = retention === null && hasLegalHold === null ? null : { retention, hasLegalHold };
  return { ...object, tags, acl, lock, encryption: change.encryption ?? object.encryption };
}

/** PreconditionFailed; NoSuchKey for an If-Match on a missing key. */
export function checkCondition(
  condition: WriteCondition | null,
  key: ObjectKey,
  current: StoredVersion | null,
): void {
  if (condition === null) return;
  const { ifMatch, ifNoneMatch } = condition;
  if (ifMatch !== null) {
    if (current === null) throw new StorageError('NoSuchKey', { fields: { Key: key } });
    if (ifMatch !== '*' && ifMatch !== current.etag) throw preconditionFailed('If-Match');
  }
  if (ifNoneMatch !== null && current !== null) {
    if (ifNoneMatch === '*' || ifNoneMatch === current.etag)
      throw preconditionFailed('If-None-Match');
  }
}

function preconditionFailed(header: 'If-Match' | 'If-None-Match'): StorageError {
  return new StorageError('PreconditionFailed', { fields: { Condition: header } });
}
