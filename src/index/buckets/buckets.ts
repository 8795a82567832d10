// The buckets family of the index: the bucket records. A deleted bucket stays as a deleted
// incarnation (incarnations.ts) until the sweeper has removed its last blob.
import { PRIVATE_ACCESS } from '../../domain/bucket-access.ts';
import { type BucketSettings, NO_SETTINGS } from '../../domain/bucket-settings.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BucketName, BucketRecord } from '../../domain/nouns.ts';
import { addWatermarks } from '../../domain/purge.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { isCrowded } from '../index-room.ts';
import { dropLevelsUnusedSince } from '../keys/key-levels.ts';
import { bucketChanged, requireBucket } from '../require-bucket.ts';
import { endTotals } from '../usage/storage-totals.ts';
import {
  BUCKET_COLUMNS,
  type BucketRow,
  decodeBucket,
  encodeAccess,
  encodeSettings,
} from './bucket-rows.ts';
import { requireEmpty } from './require-empty.ts';

type BucketCalls = Pick<
  IndexApi,
  | 'getBucket'
  | 'createBucket'
  | 'setBucketAccess'
  | 'setBucketSettings'
  | 'purgeBucket'
  | 'deleteBucket'
>;

/** Moves the revision of the record on, and that of the row. */
const NEXT_REVISION = 'revision = revision + 1, record_revision = record_revision + 1';

/**
 * InvalidBucketState where object lock would meet versions that go. Only here are
 * both known at the same time.
 */
function requireLockable(
  merged: BucketSettings,
  change: Partial<BucketSettings>,
  name: BucketName,
): void {
  if (merged.objectLock === null || merged.versioning === 'enabled') return;
  const detail =
    change.versioning === undefined
      ? "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration"
      : 'An Object Lock configuration is present on this bucket, ' +
        'so the versioning state cannot be changed.';
  throw new StorageError('InvalidBucketState', { detail, fields: { BucketName: name } });
}

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createBucketCalls(sql: Sql): BucketCalls {
  function findLive(name: BucketName): BucketRecord | null {
    const [row] = sql.all<BucketRow>(
      `SELECT ${BUCKET_COLUMNS} FROM buckets WHERE name = ? AND deleted_at_ms IS NULL`,
      name,
    );
    return row === undefined ? null : decodeBucket(row);
  }

  function putSettings(n: number, name: BucketName, settings: BucketSettings): BucketRecord {
    const [row] = sql.all<BucketRow>(
      `UPDATE buckets SET settings = ?, ${NEXT_REVISION} WHERE n = ?
       RETURNING ${BUCKET_COLUMNS}`,
      encodeSettings(settings),
      n,
    );
    if (row === undefined) throw bucketChanged(name);
    return decodeBucket(row);
  }

  return {
    getBucket({ name }) {
      const record = findLive(name);
      return record !== null && isCrowded(sql) ? { ...record, isIndexCrowded: true } : record;
    },

    createBucket({ bucket }) {
      const existing = findLive(bucket.name);
      if (existing !== null) {
        const isOwn = existing.ownerId === bucket.ownerId;
        throw new StorageError(isOwn ? 'BucketAlreadyOwnedByYou' : 'BucketAlreadyExists', {
          fields: { BucketName: bucket.name },
        });
      }
      sql.all(
        `INSERT INTO buckets (id, name, owner_id, created_at_ms, revision, access, settings)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        bucket.id,
        bucket.name,
        bucket.ownerId,
        bucket.createdAtMs,
        bucket.revision,
        encodeAccess(bucket.access),
        encodeSettings(bucket.settings),
      );
      return bucket;
    },

    setBucketAccess({ bucket, access }) {
      const n = requireBucket(sql, bucket);
      const known = findLive(bucket.name);
      const [row] = sql.all<BucketRow>(
        `UPDATE buckets SET access = ?, ${NEXT_REVISION} WHERE n = ?
         RETURNING ${BUCKET_COLUMNS}`,
        encodeAccess({ ...PRIVATE_ACCESS, ...known?.access, ...access }),
        n,
      );
      if (row === undefined) throw bucketChanged(bucket.name);
      return decodeBucket(row);
    },

    setBucketSettings({ bucket, settings }) {
      const n = requireBucket(sql, bucket);
      const merged = { ...NO_SETTINGS, ...findLive(bucket.name)?.settings, ...settings };
      requireLockable(merged, settings, bucket.name);
      return putSettings(n, bucket.name, merged);
    },

    purgeBucket({ bucket, scopes }) {
      const n = requireBucket(sql, bucket);
      const { settings = NO_SETTINGS, revision = bucket.revision } = findLive(bucket.name) ?? {};
      const purges = addWatermarks(settings.purges, scopes, revision + 1);
      return putSettings(n, bucket.name, { ...settings, purges });
    },

    deleteBucket({ bucket, nowMs }) {
      const n = requireBucket(sql, bucket);
      requireEmpty(sql, n, bucket.name);
      sql.all('DELETE FROM lifecycle_runs WHERE bucket = ?', n);
      sql.all('DELETE FROM packing_runs WHERE bucket = ?', n);
      sql.all('DELETE FROM name_jobs WHERE bucket = ?', n);
      dropLevelsUnusedSince(sql, n, Number.MAX_SAFE_INTEGER);
      sql.all('DELETE FROM name_aids WHERE bucket = ?', n);
      sql.all('DELETE FROM key_ranges WHERE bucket = ?', n);
      sql.all('DELETE FROM storage_grants WHERE bucket = ?', n);
      sql.all('DELETE FROM selections WHERE bucket = ?', n);
      sql.all('DELETE FROM url_uses WHERE bucket = ?', n);
      // Their labels, senders, files and counts may be millions: orphan-rows.ts.
      sql.all('DELETE FROM share_links WHERE bucket = ?', n);
      sql.all('DELETE FROM drop_links WHERE bucket = ?', n);
      endTotals(sql, n, nowMs);
      sql.all('UPDATE buckets SET deleted_at_ms = ? WHERE n = ?', nowMs, n);
    },
  };
}
