// The table of packs as a migration: index-schema.ts puts it among the others.
// Released migrations never change.

/** Packs that wait to be written: blobs that small bodies of a bucket move into. */
export const PACK_TABLES: readonly string[] = [
  `CREATE TABLE packs (
    n INTEGER PRIMARY KEY,
    bucket INTEGER NOT NULL,
    blob_id TEXT NOT NULL UNIQUE,
    is_closed INTEGER NOT NULL DEFAULT 0,
    due_at_ms INTEGER NOT NULL,
    end_bytes INTEGER NOT NULL DEFAULT 0,
    size_bytes INTEGER NOT NULL DEFAULT 0
  ) STRICT`,
  'CREATE INDEX packs_open ON packs (bucket) WHERE is_closed = 0',
  'CREATE INDEX packs_by_due ON packs (bucket, due_at_ms)',
];
