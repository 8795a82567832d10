// The tables of a bucket's database as they are now, for one that is empty: a quarter of the time
// that its migrations take, which all others have had (index-schema.ts). Made by
// scripts/fresh-schema.ts, never by hand. docs/storage-schema.md explains every table.

export const FRESH_INDEX: readonly string[] = [
  `CREATE TABLE buckets (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, owner_id TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL, revision INTEGER NOT NULL, access TEXT NOT NULL,
    deleted_at_ms INTEGER, swept_up_to TEXT NOT NULL DEFAULT '',
    settings TEXT NOT NULL DEFAULT '{}', record_revision INTEGER
  ) STRICT`,
  `CREATE UNIQUE INDEX buckets_live ON buckets (name) WHERE deleted_at_ms IS NULL`,
  `CREATE INDEX buckets_by_name ON buckets (name, n)`,
  `CREATE TABLE objects (
    bucket INTEGER NOT NULL, key TEXT NOT NULL, size_bytes INTEGER NOT NULL, etag TEXT NOT NULL,
    last_modified_ms INTEGER NOT NULL, storage_class TEXT NOT NULL, checksum_algorithm TEXT,
    checksum_type TEXT, version_id TEXT NOT NULL, body_id INTEGER, detail TEXT,
    is_null INTEGER NOT NULL DEFAULT 1, owner_id TEXT, class_since_ms INTEGER,
    PRIMARY KEY (bucket, key)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE object_bodies (
    id INTEGER PRIMARY KEY, detail TEXT NOT NULL, inline_bytes BLOB
  ) STRICT`,
  `CREATE TABLE uploads (
    bucket INTEGER NOT NULL, key TEXT NOT NULL, upload_id TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL, attributes TEXT NOT NULL,
    active_at_ms INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (bucket, key, upload_id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE parts (
    bucket INTEGER NOT NULL, upload_id TEXT NOT NULL, part_number INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL, md5 TEXT NOT NULL, last_modified_ms INTEGER NOT NULL,
    checksum_algorithm TEXT, checksum_value TEXT, segments TEXT NOT NULL,
    PRIMARY KEY (bucket, upload_id, part_number)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE finished_uploads (
    id INTEGER PRIMARY KEY, bucket INTEGER NOT NULL, upload_id TEXT NOT NULL, key TEXT NOT NULL,
    size_bytes INTEGER NOT NULL, etag TEXT NOT NULL, last_modified_ms INTEGER NOT NULL,
    storage_class TEXT NOT NULL, checksum_algorithm TEXT, checksum_type TEXT,
    version_id TEXT NOT NULL, list_sha256 TEXT NOT NULL, detail TEXT NOT NULL,
    is_null INTEGER NOT NULL DEFAULT 1, owner_id TEXT, UNIQUE (bucket, upload_id)
  ) STRICT`,
  `CREATE TABLE blobs (
    blob_id TEXT NOT NULL, bucket INTEGER NOT NULL, size_bytes INTEGER NOT NULL,
    refs INTEGER NOT NULL CHECK (refs >= 0), unreferenced_since_ms INTEGER, home_bucket_id TEXT,
    home_name TEXT, is_held INTEGER NOT NULL DEFAULT 0,
    holds_checked_ms INTEGER NOT NULL DEFAULT 0, is_condemned INTEGER NOT NULL DEFAULT 0,
    sha256 TEXT, storage_class TEXT, shares TEXT, pack_end_bytes INTEGER, sparse_refs INTEGER,
    part TEXT, late_at_ms INTEGER, late_bytes INTEGER, PRIMARY KEY (blob_id, bucket)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX blobs_unreferenced ON blobs (bucket, unreferenced_since_ms) WHERE unreferenced_since_ms IS NOT NULL AND is_held = 0`,
  `CREATE INDEX blobs_only_held ON blobs (bucket, holds_checked_ms) WHERE refs = 0 AND is_held = 1`,
  `CREATE TABLE blob_holds (
    bucket INTEGER NOT NULL, blob_id TEXT NOT NULL, holder_id TEXT NOT NULL,
    holder_name TEXT NOT NULL, held_at_ms INTEGER NOT NULL,
    PRIMARY KEY (bucket, blob_id, holder_id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE versions (
    bucket INTEGER NOT NULL, key TEXT NOT NULL, version_id TEXT NOT NULL,
    is_null INTEGER NOT NULL, is_marker INTEGER NOT NULL, replaced_at_ms INTEGER,
    size_bytes INTEGER NOT NULL, etag TEXT NOT NULL, last_modified_ms INTEGER NOT NULL,
    storage_class TEXT NOT NULL, checksum_algorithm TEXT, checksum_type TEXT, owner_id TEXT,
    body_id INTEGER, detail TEXT, class_since_ms INTEGER,
    PRIMARY KEY (bucket, key, version_id DESC)
  ) STRICT, WITHOUT ROWID`,
  `CREATE UNIQUE INDEX versions_null ON versions (bucket, key) WHERE is_null = 1`,
  `CREATE TABLE lifecycle_runs (
    bucket INTEGER PRIMARY KEY, run TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE storage_totals (
    bucket INTEGER NOT NULL, storage_class TEXT NOT NULL, hour_ms INTEGER NOT NULL,
    as_of_ms INTEGER NOT NULL, gib_ms INTEGER NOT NULL DEFAULT 0,
    rest_ms INTEGER NOT NULL DEFAULT 0, current_bytes INTEGER NOT NULL DEFAULT 0,
    current_count INTEGER NOT NULL DEFAULT 0, noncurrent_bytes INTEGER NOT NULL DEFAULT 0,
    noncurrent_count INTEGER NOT NULL DEFAULT 0, part_bytes INTEGER NOT NULL DEFAULT 0,
    part_count INTEGER NOT NULL DEFAULT 0, deduplicated_bytes INTEGER NOT NULL DEFAULT 0,
    deduplicated_gib_ms INTEGER NOT NULL DEFAULT 0,
    deduplicated_rest_ms INTEGER NOT NULL DEFAULT 0,
    compressed_bytes INTEGER NOT NULL DEFAULT 0, compressed_gib_ms INTEGER NOT NULL DEFAULT 0,
    compressed_rest_ms INTEGER NOT NULL DEFAULT 0, counted_to TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (bucket, storage_class)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE storage_hours (
    bucket_name TEXT NOT NULL, bucket_id TEXT NOT NULL, owner_id TEXT NOT NULL,
    storage_class TEXT NOT NULL, hour_ms INTEGER NOT NULL, hour_count INTEGER NOT NULL,
    gib_ms INTEGER NOT NULL, rest_ms INTEGER NOT NULL,
    deduplicated_gib_ms INTEGER NOT NULL DEFAULT 0,
    deduplicated_rest_ms INTEGER NOT NULL DEFAULT 0,
    compressed_gib_ms INTEGER NOT NULL DEFAULT 0, compressed_rest_ms INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (bucket_name, bucket_id, storage_class, hour_ms)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE name_jobs (
    bucket INTEGER NOT NULL, id TEXT NOT NULL, is_running INTEGER NOT NULL, job TEXT NOT NULL,
    PRIMARY KEY (bucket, id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX name_jobs_running ON name_jobs (bucket) WHERE is_running = 1`,
  `CREATE TABLE name_job_items (
    bucket INTEGER NOT NULL, job_id TEXT NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL,
    key TEXT NOT NULL, to_key TEXT, version_id TEXT NOT NULL, marker_id TEXT, detail TEXT,
    PRIMARY KEY (bucket, job_id, at)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX versions_hiding ON versions (bucket, key) WHERE is_marker = 1 AND replaced_at_ms IS NULL`,
  `CREATE TABLE name_aids (
    bucket INTEGER PRIMARY KEY, counts INTEGER NOT NULL, search INTEGER NOT NULL,
    search_after TEXT NOT NULL, searched_at_ms INTEGER NOT NULL,
    levels INTEGER NOT NULL DEFAULT 0
  ) STRICT`,
  `CREATE TABLE key_ranges (
    bucket INTEGER NOT NULL, first_key TEXT NOT NULL, objects INTEGER NOT NULL,
    bytes INTEGER NOT NULL, other_bytes INTEGER NOT NULL, PRIMARY KEY (bucket, first_key)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE search_names (
    id INTEGER PRIMARY KEY, bucket INTEGER NOT NULL, key TEXT NOT NULL, UNIQUE (bucket, key)
  ) STRICT`,
  `CREATE TABLE search_changes (
    bucket INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (bucket, key)
  ) STRICT, WITHOUT ROWID`,
  `CREATE VIRTUAL TABLE search_trigrams USING fts5 (name, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1')`,
  `CREATE INDEX uploads_by_activity ON uploads (bucket, active_at_ms, key, upload_id)`,
  `CREATE TABLE commit_usage (
    bucket_name TEXT NOT NULL, bucket_id TEXT NOT NULL, owner_id TEXT NOT NULL,
    meter TEXT NOT NULL, hour_ms INTEGER NOT NULL, high INTEGER NOT NULL, low INTEGER NOT NULL,
    PRIMARY KEY (bucket_name, bucket_id, meter, hour_ms)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX blobs_by_sha256 ON blobs (bucket, sha256, size_bytes, storage_class) WHERE sha256 IS NOT NULL`,
  `CREATE TABLE packing_runs (
    bucket INTEGER PRIMARY KEY, run TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE storage_grants (
    bucket INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, objects INTEGER NOT NULL,
    sequence INTEGER NOT NULL
  ) STRICT`,
  `CREATE TABLE key_levels (
    n INTEGER PRIMARY KEY, bucket INTEGER NOT NULL, prefix TEXT NOT NULL,
    delimiter TEXT NOT NULL, is_ready INTEGER NOT NULL, used_at_ms INTEGER NOT NULL,
    UNIQUE (bucket, prefix, delimiter)
  ) STRICT`,
  `CREATE TABLE level_ranges (
    level INTEGER NOT NULL, first_name TEXT NOT NULL, names INTEGER NOT NULL,
    PRIMARY KEY (level, first_name)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE name_job_keys (
    bucket INTEGER NOT NULL, job_id TEXT NOT NULL, at INTEGER NOT NULL, keys TEXT NOT NULL,
    PRIMARY KEY (bucket, job_id, at)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE name_job_failures (
    bucket INTEGER NOT NULL, job_id TEXT NOT NULL, at INTEGER NOT NULL, key TEXT NOT NULL,
    reason TEXT NOT NULL, PRIMARY KEY (bucket, job_id, at)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE selections (
    bucket INTEGER NOT NULL, id TEXT NOT NULL, expires_at_ms INTEGER NOT NULL,
    length INTEGER NOT NULL, selection TEXT NOT NULL, UNIQUE (bucket, id)
  ) STRICT`,
  `CREATE INDEX selections_by_expiry ON selections (bucket, expires_at_ms)`,
  `CREATE TABLE url_uses (
    bucket INTEGER NOT NULL, id TEXT NOT NULL, uses INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL, PRIMARY KEY (bucket, id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX url_uses_by_expiry ON url_uses (bucket, expires_at_ms)`,
  `CREATE TABLE share_links (
    bucket INTEGER NOT NULL, id TEXT NOT NULL, created_at_ms INTEGER NOT NULL,
    revision INTEGER NOT NULL, link TEXT NOT NULL, completed INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0, aborted_ppb INTEGER NOT NULL DEFAULT 0,
    last_used_ms INTEGER, UNIQUE (bucket, id)
  ) STRICT`,
  `CREATE INDEX share_links_by_time ON share_links (bucket, created_at_ms, id)`,
  `CREATE TABLE share_labels (
    bucket INTEGER NOT NULL, link_id TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL, revoked_at_ms INTEGER, PRIMARY KEY (bucket, link_id, id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE share_downloads (
    n INTEGER PRIMARY KEY, bucket INTEGER NOT NULL, link_id TEXT NOT NULL,
    download_id TEXT NOT NULL, size_bytes INTEGER NOT NULL, sent_bytes INTEGER NOT NULL,
    sent TEXT NOT NULL, permits INTEGER NOT NULL, updated_at_ms INTEGER NOT NULL
  ) STRICT`,
  `CREATE INDEX share_downloads_by_link ON share_downloads (bucket, link_id, download_id)`,
  `CREATE INDEX share_downloads_idle ON share_downloads (bucket, link_id, updated_at_ms) WHERE permits = 0`,
  `CREATE INDEX share_downloads_running ON share_downloads (bucket, link_id) WHERE permits > 0`,
  `CREATE TABLE share_permits (
    bucket INTEGER NOT NULL, link_id TEXT NOT NULL, id TEXT NOT NULL, download INTEGER NOT NULL,
    offset_bytes INTEGER NOT NULL, length_bytes INTEGER NOT NULL, sent_bytes INTEGER NOT NULL,
    until_ms INTEGER NOT NULL, PRIMARY KEY (bucket, link_id, id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE share_days (
    bucket INTEGER NOT NULL, link_id TEXT NOT NULL, day_ms INTEGER NOT NULL,
    label_id TEXT NOT NULL, opened INTEGER NOT NULL, started INTEGER NOT NULL,
    completed INTEGER NOT NULL, aborted INTEGER NOT NULL, bytes INTEGER NOT NULL,
    tops TEXT NOT NULL, PRIMARY KEY (bucket, link_id, day_ms, label_id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE share_history (
    bucket INTEGER NOT NULL, link_id TEXT NOT NULL, at INTEGER NOT NULL, entry TEXT NOT NULL,
    PRIMARY KEY (bucket, link_id, at)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE drop_links (
    bucket INTEGER NOT NULL, id TEXT NOT NULL, created_at_ms INTEGER NOT NULL,
    revision INTEGER NOT NULL, settings TEXT NOT NULL, files INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0, senders INTEGER NOT NULL DEFAULT 0, near_limits TEXT,
    PRIMARY KEY (bucket, id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE drop_senders (
    bucket INTEGER NOT NULL, link_id TEXT NOT NULL, id TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL, source TEXT NOT NULL, fields TEXT NOT NULL,
    files INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (bucket, link_id, id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX drop_senders_by_source ON drop_senders (bucket, link_id, source, created_at_ms)`,
  `CREATE TABLE drop_files (
    bucket INTEGER NOT NULL, link_id TEXT NOT NULL, id TEXT NOT NULL, sender_id TEXT NOT NULL,
    path TEXT NOT NULL, key TEXT NOT NULL, upload_id TEXT NOT NULL, content_type TEXT NOT NULL,
    length_bytes INTEGER NOT NULL, offset_bytes INTEGER NOT NULL DEFAULT 0,
    pieces INTEGER NOT NULL DEFAULT 0, progress TEXT NOT NULL, created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL, finished_at_ms INTEGER, sha256 TEXT, etag TEXT,
    PRIMARY KEY (bucket, link_id, id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX drop_files_by_sender ON drop_files (bucket, link_id, sender_id, id)`,
  `CREATE INDEX drop_files_unfinished ON drop_files (bucket, link_id, expires_at_ms) WHERE finished_at_ms IS NULL`,
  `CREATE INDEX drop_senders_empty ON drop_senders (bucket, link_id, created_at_ms) WHERE files = 0`,
  `CREATE INDEX drop_files_by_key ON drop_files (bucket, key) WHERE finished_at_ms IS NOT NULL`,
  `CREATE TABLE share_sums (
    bucket INTEGER NOT NULL, link_id TEXT NOT NULL, label_id TEXT NOT NULL,
    opened INTEGER NOT NULL, started INTEGER NOT NULL, completed INTEGER NOT NULL,
    aborted INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (bucket, link_id, label_id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE packs (
    n INTEGER PRIMARY KEY, bucket INTEGER NOT NULL, blob_id TEXT NOT NULL UNIQUE,
    is_closed INTEGER NOT NULL DEFAULT 0, due_at_ms INTEGER NOT NULL,
    end_bytes INTEGER NOT NULL DEFAULT 0, size_bytes INTEGER NOT NULL DEFAULT 0
  ) STRICT`,
  `CREATE INDEX packs_open ON packs (bucket) WHERE is_closed = 0`,
  `CREATE INDEX packs_by_due ON packs (bucket, due_at_ms)`,
  `CREATE INDEX blobs_sparse ON blobs (bucket) WHERE refs > 0 AND refs <= sparse_refs`,
  `CREATE TABLE shards (
    bucket INTEGER PRIMARY KEY, state TEXT NOT NULL
  ) STRICT`,
];
