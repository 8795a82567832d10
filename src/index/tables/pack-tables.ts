// The tables of packs as migrations: index-schema.ts puts them among the others.
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

/**
 * Where the directory of a blob that is a pack begins, and with how many references
 * it may be sparse; null: it is no pack. SQLite keeps the index in step, whichever
 * program counts the references.
 */
export const SPARSE_PACKS: readonly string[] = [
  'ALTER TABLE blobs ADD COLUMN pack_end_bytes INTEGER',
  'ALTER TABLE blobs ADD COLUMN sparse_refs INTEGER',
  'CREATE INDEX blobs_sparse ON blobs (bucket) WHERE refs > 0 AND refs <= sparse_refs',
];
