// The tables about uploads that came after the first ones, as migrations:
// index-schema.ts puts them among the others. Released migrations never change.

/** The part that is all of a blob, as text; null: it has a row of its own, or is none. */
export const JOINED_PARTS: readonly string[] = ['ALTER TABLE blobs ADD COLUMN part TEXT'];

/** Uses of presigned URLs whose uses are limited. */
export const URL_USE_TABLES: readonly string[] = [
  `CREATE TABLE url_uses (
    bucket INTEGER NOT NULL,
    id TEXT NOT NULL,
    uses INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    PRIMARY KEY (bucket, id)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX url_uses_by_expiry ON url_uses (bucket, expires_at_ms)',
];
