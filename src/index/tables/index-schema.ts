// The tables of a bucket's index. On Node all buckets share a database; on
// Cloudflare each bucket name has them in a Durable Object of its own.
// docs/storage-schema.md explains them.
import {
  DROP_FILE_OBJECTS,
  DROP_LINK_TABLES,
  DROP_NEAR_LIMITS,
  EMPTY_DROP_SENDERS,
} from './drop-link-tables.ts';
import { FRESH_INDEX } from './fresh-schema.ts';
import {
  KEY_AID_TABLES,
  KEY_JOB_TABLES,
  KEY_LEVEL_TABLES,
  KEY_LIST_TABLES,
} from './key-jobs-schema.ts';
import { SHARE_LINK_TABLES, SHARE_SUM_TABLES } from './link-tables.ts';
import { OUTBOX_SCHEMA } from './outbox-schema.ts';
import { PACK_TABLES, SPARSE_PACKS } from './pack-tables.ts';
import type { Schema } from './schema.ts';
import { SHARD_TABLES } from './shard-tables.ts';
import { JOINED_PARTS, URL_USE_TABLES } from './upload-tables.ts';
import { COMMIT_USAGE_TABLES, LATE_OBJECTS, STORAGE_GRANT_TABLES } from './usage-tables.ts';

/**
 * What sharing and compression spare of what is stored: bytes now, and over time in
 * the hour that runs.
 */
const SAVING_COLUMNS = ['deduplicated', 'compressed'].flatMap((name) => [
  `ALTER TABLE storage_totals ADD COLUMN ${name}_bytes INTEGER NOT NULL DEFAULT 0`,
  ...['storage_totals', 'storage_hours'].flatMap((table) => [
    `ALTER TABLE ${table} ADD COLUMN ${name}_gib_ms INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE ${table} ADD COLUMN ${name}_rest_ms INTEGER NOT NULL DEFAULT 0`,
  ]),
]);

/**
 * Blobs that were written to be shared: their digest and class, and the bytes that
 * rows of each class refer to.
 */
const SHARED_BLOBS = [
  'ALTER TABLE blobs ADD COLUMN sha256 TEXT',
  'ALTER TABLE blobs ADD COLUMN storage_class TEXT',
  'ALTER TABLE blobs ADD COLUMN shares TEXT',
  'CREATE INDEX blobs_by_sha256 ON blobs (bucket, sha256, size_bytes, storage_class) ' +
    'WHERE sha256 IS NOT NULL',
];

/**
 * The oldest version whose program can read what this release writes: it knows joined rows
 * of parts (ADR 56), and counts what PUTs left uncounted (ADR 57).
 */
const READABLE_BY = 28;
/**
 * Changes no table: programs from here on find the shards of a bucket on both platforms
 * (ADR 53).
 */
export const SHARDS_EVERYWHERE: readonly string[] = [];

export const INDEX_SCHEMA: Schema = {
  name: 'index',
  readableBy: READABLE_BY,
  fresh: FRESH_INDEX,
  companions: [OUTBOX_SCHEMA],
  migrations: [
    [
      `CREATE TABLE buckets (
        n INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        owner_id TEXT NOT NULL,
        created_at_ms INTEGER NOT NULL,
        revision INTEGER NOT NULL,
        access TEXT NOT NULL,
        deleted_at_ms INTEGER,
        swept_up_to TEXT NOT NULL DEFAULT ''
      ) STRICT`,
      'CREATE UNIQUE INDEX buckets_live ON buckets (name) WHERE deleted_at_ms IS NULL',
      'CREATE INDEX buckets_by_name ON buckets (name, n)',
      `CREATE TABLE objects (
        bucket INTEGER NOT NULL,
        key TEXT NOT NULL,
        size_bytes INTEGER NOT NULL,
        etag TEXT NOT NULL,
        last_modified_ms INTEGER NOT NULL,
        storage_class TEXT NOT NULL,
        checksum_algorithm TEXT,
        checksum_type TEXT,
        version_id TEXT NOT NULL,
        body_id INTEGER,
        detail TEXT,
        PRIMARY KEY (bucket, key)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE object_bodies (
        id INTEGER PRIMARY KEY,
        detail TEXT NOT NULL,
        inline_bytes BLOB
      ) STRICT`,
      `CREATE TABLE uploads (
        bucket INTEGER NOT NULL,
        key TEXT NOT NULL,
        upload_id TEXT NOT NULL,
        created_at_ms INTEGER NOT NULL,
        attributes TEXT NOT NULL,
        PRIMARY KEY (bucket, key, upload_id)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE parts (
        bucket INTEGER NOT NULL,
        upload_id TEXT NOT NULL,
        part_number INTEGER NOT NULL,
        size_bytes INTEGER NOT NULL,
        md5 TEXT NOT NULL,
        last_modified_ms INTEGER NOT NULL,
        checksum_algorithm TEXT,
        checksum_value TEXT,
        segments TEXT NOT NULL,
        PRIMARY KEY (bucket, upload_id, part_number)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE finished_uploads (
        id INTEGER PRIMARY KEY,
        bucket INTEGER NOT NULL,
        upload_id TEXT NOT NULL,
        key TEXT NOT NULL,
        size_bytes INTEGER NOT NULL,
        etag TEXT NOT NULL,
        last_modified_ms INTEGER NOT NULL,
        storage_class TEXT NOT NULL,
        checksum_algorithm TEXT,
        checksum_type TEXT,
        version_id TEXT NOT NULL,
        list_sha256 TEXT NOT NULL,
        detail TEXT NOT NULL,
        UNIQUE (bucket, upload_id)
      ) STRICT`,
      `CREATE TABLE blobs (
        blob_id TEXT NOT NULL,
        bucket INTEGER NOT NULL,
        size_bytes INTEGER NOT NULL,
        refs INTEGER NOT NULL CHECK (refs >= 0),
        unreferenced_since_ms INTEGER,
        home_bucket_id TEXT,
        home_name TEXT,
        is_held INTEGER NOT NULL DEFAULT 0,
        holds_checked_ms INTEGER NOT NULL DEFAULT 0,
        is_condemned INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (blob_id, bucket)
      ) STRICT, WITHOUT ROWID`,
      `CREATE INDEX blobs_unreferenced ON blobs (bucket, unreferenced_since_ms)
        WHERE unreferenced_since_ms IS NOT NULL AND is_held = 0`,
      'CREATE INDEX blobs_only_held ON blobs (bucket, holds_checked_ms) ' +
        'WHERE refs = 0 AND is_held = 1',
      `CREATE TABLE blob_holds (
        bucket INTEGER NOT NULL,
        blob_id TEXT NOT NULL,
        holder_id TEXT NOT NULL,
        holder_name TEXT NOT NULL,
        held_at_ms INTEGER NOT NULL,
        PRIMARY KEY (bucket, blob_id, holder_id)
      ) STRICT, WITHOUT ROWID`,
    ],
    [`ALTER TABLE buckets ADD COLUMN settings TEXT NOT NULL DEFAULT '{}'`],
    [
      'ALTER TABLE objects ADD COLUMN is_null INTEGER NOT NULL DEFAULT 1',
      'ALTER TABLE objects ADD COLUMN owner_id TEXT',
      'ALTER TABLE finished_uploads ADD COLUMN is_null INTEGER NOT NULL DEFAULT 1',
      'ALTER TABLE finished_uploads ADD COLUMN owner_id TEXT',
      `CREATE TABLE versions (
        bucket INTEGER NOT NULL,
        key TEXT NOT NULL,
        version_id TEXT NOT NULL,
        is_null INTEGER NOT NULL,
        is_marker INTEGER NOT NULL,
        replaced_at_ms INTEGER,
        size_bytes INTEGER NOT NULL,
        etag TEXT NOT NULL,
        last_modified_ms INTEGER NOT NULL,
        storage_class TEXT NOT NULL,
        checksum_algorithm TEXT,
        checksum_type TEXT,
        owner_id TEXT,
        body_id INTEGER,
        detail TEXT,
        PRIMARY KEY (bucket, key, version_id DESC)
      ) STRICT, WITHOUT ROWID`,
      'CREATE UNIQUE INDEX versions_null ON versions (bucket, key) WHERE is_null = 1',
    ],
    ['CREATE TABLE lifecycle_runs (bucket INTEGER PRIMARY KEY, run TEXT NOT NULL) STRICT'],
    [
      `CREATE TABLE storage_totals (
        bucket INTEGER NOT NULL,
        storage_class TEXT NOT NULL,
        hour_ms INTEGER NOT NULL,
        as_of_ms INTEGER NOT NULL,
        gib_ms INTEGER NOT NULL DEFAULT 0,
        rest_ms INTEGER NOT NULL DEFAULT 0,
        current_bytes INTEGER NOT NULL DEFAULT 0,
        current_count INTEGER NOT NULL DEFAULT 0,
        noncurrent_bytes INTEGER NOT NULL DEFAULT 0,
        noncurrent_count INTEGER NOT NULL DEFAULT 0,
        part_bytes INTEGER NOT NULL DEFAULT 0,
        part_count INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (bucket, storage_class)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE storage_hours (
        bucket_name TEXT NOT NULL,
        bucket_id TEXT NOT NULL,
        owner_id TEXT NOT NULL,
        storage_class TEXT NOT NULL,
        hour_ms INTEGER NOT NULL,
        hour_count INTEGER NOT NULL,
        gib_ms INTEGER NOT NULL,
        rest_ms INTEGER NOT NULL,
        PRIMARY KEY (bucket_name, bucket_id, storage_class, hour_ms)
      ) STRICT, WITHOUT ROWID`,
      // What is there already is counted; its time begins with the next command
      // (hour 0), as no clock is known here.
      `INSERT INTO storage_totals (bucket, storage_class, hour_ms, as_of_ms, current_bytes,
         current_count, noncurrent_bytes, noncurrent_count, part_bytes, part_count)
       SELECT bucket, storage_class, 0, 0, sum(current_bytes), sum(current_count),
         sum(noncurrent_bytes), sum(noncurrent_count), sum(part_bytes), sum(part_count)
       FROM (
         SELECT bucket, storage_class, sum(size_bytes) AS current_bytes, count(*) AS current_count,
           0 AS noncurrent_bytes, 0 AS noncurrent_count, 0 AS part_bytes, 0 AS part_count
         FROM objects GROUP BY bucket, storage_class
         UNION ALL
         SELECT bucket, storage_class, 0, 0, sum(size_bytes), count(*), 0, 0
         FROM versions WHERE is_marker = 0 GROUP BY bucket, storage_class
         UNION ALL
         SELECT u.bucket, u.attributes ->> '$.storageClass' AS storage_class, 0, 0, 0, 0,
           sum(p.size_bytes), count(*)
         FROM uploads AS u JOIN parts AS p ON p.bucket = u.bucket AND p.upload_id = u.upload_id
         GROUP BY 1, 2
       ) GROUP BY bucket, storage_class`,
    ],
    KEY_JOB_TABLES,
    KEY_AID_TABLES,
    SAVING_COLUMNS,
    [
      'ALTER TABLE uploads ADD COLUMN active_at_ms INTEGER NOT NULL DEFAULT 0',
      'UPDATE uploads SET active_at_ms = created_at_ms',
      'CREATE INDEX uploads_by_activity ON uploads (bucket, active_at_ms, key, upload_id)',
      ...COMMIT_USAGE_TABLES,
    ],
    // Null: since it was last modified.
    ['objects', 'versions'].map(
      (table) => `ALTER TABLE ${table} ADD COLUMN class_since_ms INTEGER`,
    ),
    SHARED_BLOBS,
    // Segments of compressed blobs come with this migration: rows that an older
    // program would read wrongly.
    ['CREATE TABLE packing_runs (bucket INTEGER PRIMARY KEY, run TEXT NOT NULL) STRICT'],
    STORAGE_GRANT_TABLES,
    KEY_LEVEL_TABLES,
    KEY_LIST_TABLES,
    [
      `CREATE TABLE selections (
        bucket INTEGER NOT NULL,
        id TEXT NOT NULL,
        expires_at_ms INTEGER NOT NULL,
        length INTEGER NOT NULL,
        selection TEXT NOT NULL,
        UNIQUE (bucket, id)
      ) STRICT`,
      'CREATE INDEX selections_by_expiry ON selections (bucket, expires_at_ms)',
    ],
    URL_USE_TABLES,
    SHARE_LINK_TABLES,
    DROP_LINK_TABLES,
    EMPTY_DROP_SENDERS,
    DROP_FILE_OBJECTS,
    SHARE_SUM_TABLES,
    PACK_TABLES,
    SPARSE_PACKS,
    DROP_NEAR_LIMITS,
    JOINED_PARTS,
    SHARD_TABLES,
    LATE_OBJECTS,
    SHARDS_EVERYWHERE,
  ],
};
