// The objects family of the index: what a key stands for, its commit, and changes
// of a version that exists. Here are the calls and the reads of delivery; each
// command has a file of its own beside this one.

import { siteFileKeys } from '../../domain/hosting.ts';
import type {
  BucketName,
  BucketRecord,
  BucketRef,
  ObjectKey,
  ObjectVersion,
  VersionId,
} from '../../domain/nouns.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql, SqlRow } from '../../ports/sql.ts';
import { BUCKET_COLUMNS, type BucketRow, decodeBucket } from '../buckets/bucket-rows.ts';
import { bucketChanged, requireBucket } from '../require-bucket.ts';
import { commitObject } from './commit-object.ts';
import { deleteObjects } from './delete-objects.ts';
import { aclOfDetail, decodeVersion, type VersionRow } from './object-rows.ts';
import type { OpenPacks } from './open-packs.ts';
import { JOIN_BODY, readOtherVersion, VERSION_COLUMNS } from './read-versions.ts';
import { matchesName } from './stored-versions.ts';
import { updateVersion } from './update-version.ts';
import { versioningOf } from './version-rows.ts';

/** A row of an outer join: the object's columns are null when there is none. */
type MaybeVersionRow = SqlRow & {
  readonly [Column in keyof VersionRow]: VersionRow[Column] | null;
};

const JOIN_OBJECT = `LEFT JOIN objects AS o ON o.bucket = b.n AND o.key = ? ${JOIN_BODY}`;

type ObjectCalls = Pick<
  IndexApi,
  | 'getVersion'
  | 'getObjects'
  | 'listAcls'
  | 'resolve'
  | 'resolveAll'
  | 'commitObject'
  | 'deleteObjects'
  | 'updateVersion'
>;

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createObjectCalls(sql: Sql, packs: OpenPacks): ObjectCalls {
  return {
    getVersion({ bucket, key, versionId }) {
      const current = readOfBucket(sql, bucket, key);
      if (current !== null && matchesName(current, versionId))
        return { kind: 'object', object: current, isLatest: true };
      if (versionId === null && versioningOf(bucket) === 'off') return null;
      return readOtherVersion(sql, requireBucket(sql, bucket), key, versionId, current !== null);
    },

    getObjects: ({ bucket, keys }) => keys.map((key) => readOfBucket(sql, bucket, key)),

    listAcls: (input) => listAcls(sql, input),

    resolve: (input) => resolve(sql, input),

    resolveAll({ name, keys }) {
      const resolved = keys.map((key) => resolve(sql, { name, key }));
      return { bucket: resolved[0]?.bucket ?? null, objects: resolved.map(({ object }) => object) };
    },

    commitObject: (input) => commitObject(sql, packs, input),
    deleteObjects: (input) => deleteObjects(sql, input),
    updateVersion: (input) => updateVersion(sql, input),
  };
}

/**
 * The current version, for which the bucket need not be read by itself.
 * BucketChanged.
 */
function readOfBucket(sql: Sql, bucket: BucketRef, key: ObjectKey): ObjectVersion | null {
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

/** BucketChanged. Details without a list are left out before they are parsed. */
function listAcls(
  sql: Sql,
  { bucket, keys }: Parameters<IndexApi['listAcls']>[0],
): ReturnType<IndexApi['listAcls']> {
  const rows = sql.all<{ key: string; detail: string | null }>(
    `SELECT o.key, coalesce(o.detail, x.detail) AS detail
     FROM objects AS o LEFT JOIN object_bodies AS x ON x.id = o.body_id
     WHERE o.bucket = ? AND o.key IN (SELECT value FROM json_each(?))
       AND instr(coalesce(o.detail, x.detail), '"acl":') > 0`,
    requireBucket(sql, bucket),
    JSON.stringify(keys),
  );
  return rows.flatMap(({ key, detail }) => {
    const acl = aclOfDetail(detail ?? '');
    return acl === null ? [] : [{ key: key as ObjectKey, acl }];
  });
}

/** Finds bucket and current version in one call. Contract: `IndexQueries.resolve`. */
function resolve(
  sql: Sql,
  { name, key }: Parameters<IndexApi['resolve']>[0],
): ReturnType<IndexApi['resolve']> {
  const [row] = sql.all<MaybeVersionRow & BucketRow>(
    `SELECT b.id, b.name, b.owner_id, b.created_at_ms, b.access, b.settings,
       coalesce(b.record_revision, b.revision) AS revision, ${VERSION_COLUMNS}
     FROM buckets AS b ${JOIN_OBJECT} WHERE b.name = ? AND b.deleted_at_ms IS NULL`,
    key,
    name,
  );
  if (row === undefined) return { bucket: null, object: null };
  const bucket = withSiteFiles(sql, decodeBucket(row));
  return { bucket, object: isVersionRow(row) ? decodeVersion(row) : null };
}

/** The live bucket of a name as `resolve` gives it; null: there is none. */
export function readBucketOfReaders(sql: Sql, name: BucketName): BucketRecord | null {
  const [row] = sql.all<BucketRow>(
    `SELECT ${BUCKET_COLUMNS} FROM buckets WHERE name = ? AND deleted_at_ms IS NULL`,
    name,
  );
  return row === undefined ? null : withSiteFiles(sql, decodeBucket(row));
}

/**
 * The record with the files of rules that its site has, if it has any and its owner
 * wants them read.
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
