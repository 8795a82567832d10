// The objects family of the index: the current version of a key, its commit and its deletion. A commit checks its
// condition, counts references and replaces the row in one atomic step: it is the write of an object.
import type { BlobId, ObjectKey, ObjectVersion, VersionId, WriteCondition } from '../ports/domain.ts';
import { StorageError } from '../ports/errors.ts';
import type { IndexApi } from '../ports/metadata-index.ts';
import type { Sql, SqlRow } from '../ports/sql.ts';
import { addReferences, blobIdsOf, dropReferences } from './blob-references.ts';
import { type BucketRow, bucketChanged, decodeBucket, requireBucket } from './buckets.ts';
import { decodeVersion, encodeDetail, segmentsOfDetail, type VersionRow } from './object-rows.ts';

/** What a commit needs to know of the version that it replaces. */
export type CurrentVersion = {
  readonly versionId: VersionId;
  readonly etag: string;
  readonly bodyId: number | null;
  readonly blobIds: ReadonlySet<BlobId>;
};

/** A row of an outer join: the object's columns are null when there is none. */
type MaybeVersionRow = SqlRow & { readonly [Column in keyof VersionRow]: VersionRow[Column] | null };

/**
 * Longest detail that stands in the object's own row, in UTF-16 units; a longer one stands beside it, with the
 * inline bytes. Listings then read dense pages, and no row spills: SQLite loads a spilled row of such a table whole
 * whenever a search passes it. A row of up to 1,002 bytes never spills (page of 4,096 bytes).
 * Source: https://sqlite.org/fileformat2.html section 1.6; inline bytes in the row made listing 3 to 5 times slower
 * at 2 to 10 KiB (measured 2026-11, 200,000 keys).
 */
const DETAIL_IN_ROW_MAX_LENGTH = 512;

const VERSION_COLUMNS = `o.key, o.size_bytes, o.etag, o.last_modified_ms, o.storage_class, o.checksum_algorithm,
  o.checksum_type, o.version_id, coalesce(o.detail, x.detail) AS detail, x.inline_bytes`;
const JOIN_OBJECT = `LEFT JOIN objects AS o ON o.bucket = b.n AND o.key = ?
  LEFT JOIN object_bodies AS x ON x.id = o.body_id`;

type ObjectCalls = Pick<IndexApi, 'getObject' | 'resolve' | 'commitObject' | 'deleteObjects'>;

export function createObjectCalls(sql: Sql): ObjectCalls {
  return {
    getObject({ bucket, key }) {
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
    },

    resolve({ name, key }) {
      const [row] = sql.all<MaybeVersionRow & BucketRow>(
        `SELECT b.id, b.name, b.owner_id, b.created_at_ms, b.revision, b.access, b.settings, ${VERSION_COLUMNS}
         FROM buckets AS b ${JOIN_OBJECT} WHERE b.name = ? AND b.deleted_at_ms IS NULL`,
        key,
        name,
      );
      if (row === undefined) return { bucket: null, object: null };
      return { bucket: decodeBucket(row), object: isVersionRow(row) ? decodeVersion(row) : null };
    },

    commitObject({ bucket, object, condition, arrivals }) {
      const n = requireBucket(sql, bucket);
      const current = readCurrent(sql, n, object.key);
      if (current?.versionId === object.versionId) return { replacedVersionId: null };
      checkCondition(condition, object.key, current);
      addReferences(sql, n, blobIdsOf(object.segments), arrivals);
      replaceCurrent(sql, n, object, current);
      return { replacedVersionId: current?.versionId ?? null };
    },

    deleteObjects({ bucket, keys, condition, nowMs }) {
      const n = requireBucket(sql, bucket);
      return keys.map((key) => {
        const current = readCurrent(sql, n, key);
        if (current === null) return { key, existed: false };
        checkCondition(condition, key, current);
        dropReferences(sql, n, current.blobIds, nowMs);
        if (current.bodyId !== null) sql.all('DELETE FROM object_bodies WHERE id = ?', current.bodyId);
        sql.all('DELETE FROM objects WHERE bucket = ? AND key = ?', n, key);
        return { key, existed: true };
      });
    },
  };
}

function isVersionRow(row: MaybeVersionRow): row is MaybeVersionRow & VersionRow {
  return row.key !== null;
}

/** The version that a commit on this key would replace, or null. */
export function readCurrent(sql: Sql, bucket: number, key: ObjectKey): CurrentVersion | null {
  const [row] = sql.all<{ version_id: string; etag: string; body_id: number | null; detail: string }>(
    `SELECT o.version_id, o.etag, o.body_id, coalesce(o.detail, x.detail) AS detail
     FROM objects AS o LEFT JOIN object_bodies AS x ON x.id = o.body_id WHERE o.bucket = ? AND o.key = ?`,
    bucket,
    key,
  );
  if (row === undefined) return null;
  return {
    versionId: row.version_id as VersionId,
    etag: row.etag,
    bodyId: row.body_id,
    blobIds: blobIdsOf(segmentsOfDetail(row.detail)),
  };
}

/** PreconditionFailed; NoSuchKey for an If-Match on a missing key. */
export function checkCondition(condition: WriteCondition | null, key: ObjectKey, current: CurrentVersion | null): void {
  if (condition === null) return;
  const { ifMatch, ifNoneMatch } = condition;
  if (ifMatch !== null) {
    if (current === null) throw new StorageError('NoSuchKey', { fields: { Key: key } });
    if (ifMatch !== '*' && ifMatch !== current.etag) throw preconditionFailed('If-Match');
  }
  if (ifNoneMatch !== null && current !== null) {
    if (ifNoneMatch === '*' || ifNoneMatch === current.etag) throw preconditionFailed('If-None-Match');
  }
}

function preconditionFailed(header: 'If-Match' | 'If-None-Match'): StorageError {
  return new StorageError('PreconditionFailed', { fields: { Condition: header } });
}

/** Puts `version`, whose references are counted already, in the place of `current`, and takes that one's away. */
export function replaceCurrent(sql: Sql, bucket: number, version: ObjectVersion, current: CurrentVersion | null): void {
  if (current !== null) dropReferences(sql, bucket, current.blobIds, version.lastModifiedMs);
  const detail = encodeDetail(version);
  const isBeside = version.inlineBytes !== null || detail.length > DETAIL_IN_ROW_MAX_LENGTH;
  const oldBodyId = current?.bodyId ?? null;
  if (!isBeside && oldBodyId !== null) sql.all('DELETE FROM object_bodies WHERE id = ?', oldBodyId);
  sql.all(
    `INSERT OR REPLACE INTO objects (bucket, key, size_bytes, etag, last_modified_ms, storage_class,
       checksum_algorithm, checksum_type, version_id, body_id, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    bucket,
    version.key,
    version.sizeBytes,
    version.etag,
    version.lastModifiedMs,
    version.storageClass,
    version.checksum?.algorithm ?? null,
    version.checksum?.type ?? null,
    version.versionId,
    isBeside ? putBody(sql, oldBodyId, detail, version.inlineBytes) : null,
    isBeside ? null : detail,
  );
}

/** Writes the row beside an object's, in the place of the old version's when it had one. Gives its id. */
function putBody(sql: Sql, oldId: number | null, detail: string, inlineBytes: Uint8Array | null): number {
  const [row] = sql.all<{ id: number }>(
    'INSERT OR REPLACE INTO object_bodies (id, detail, inline_bytes) VALUES (?, ?, ?) RETURNING id',
    oldId,
    detail,
    inlineBytes,
  );
  if (row === undefined) throw new StorageError('InternalError', { cause: 'object_bodies gave no id' });
  return row.id;
}
