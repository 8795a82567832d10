// The tables of drop links as migrations: index-schema.ts puts them among the
// others. Released migrations never change.

export const DROP_LINK_TABLES: readonly string[] = [
  `CREATE TABLE drop_links (
    bucket INTEGER NOT NULL,
    id TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    settings TEXT NOT NULL,
    files INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    senders INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (bucket, id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE drop_senders (
    bucket INTEGER NOT NULL,
    link_id TEXT NOT NULL,
    id TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    source TEXT NOT NULL,
    fields TEXT NOT NULL,
    files INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (bucket, link_id, id)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX drop_senders_by_source ON drop_senders (bucket, link_id, source, created_at_ms)',
  `CREATE TABLE drop_files (
    bucket INTEGER NOT NULL,
    link_id TEXT NOT NULL,
    id TEXT NOT NULL,
    sender_id TEXT NOT NULL,
    path TEXT NOT NULL,
    key TEXT NOT NULL,
    upload_id TEXT NOT NULL,
    content_type TEXT NOT NULL,
    length_bytes INTEGER NOT NULL,
    offset_bytes INTEGER NOT NULL DEFAULT 0,
    pieces INTEGER NOT NULL DEFAULT 0,
    progress TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    finished_at_ms INTEGER,
    sha256 TEXT,
    PRIMARY KEY (bucket, link_id, id)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX drop_files_by_sender ON drop_files (bucket, link_id, sender_id, id)',
  'CREATE INDEX drop_files_unfinished ON drop_files (bucket, link_id, expires_at_ms) ' +
    'WHERE finished_at_ms IS NULL',
];

/** Senders without a file, whom the sweep looks for. */
export const EMPTY_DROP_SENDERS: readonly string[] = [
  'CREATE INDEX drop_senders_empty ON drop_senders (bucket, link_id, created_at_ms) ' +
    'WHERE files = 0',
];

/**
 * `etag`: what the finished object is known by when it has another key, or is
 * replaced; null in rows that finished before this migration.
 */
export const DROP_FILE_OBJECTS: readonly string[] = [
  'ALTER TABLE drop_files ADD COLUMN etag TEXT',
  'CREATE INDEX drop_files_by_key ON drop_files (bucket, key) WHERE finished_at_ms IS NOT NULL',
];

/** `near_limits`: the limits of which webhooks heard that they are near; null: of none. */
export const DROP_NEAR_LIMITS: readonly string[] = [
  'ALTER TABLE drop_links ADD COLUMN near_limits TEXT',
];
