// The tables of shards as migrations: index-schema.ts puts them among the others.
// Released migrations never change.

/**
 * The state of buckets that are shards. `record_revision`: the revision of the bucket's
 * record, where the row's own is that of the shard; null: the bucket was never split.
 */
export const SHARD_TABLES: readonly string[] = [
  'ALTER TABLE buckets ADD COLUMN record_revision INTEGER',
  'CREATE TABLE shards (bucket INTEGER PRIMARY KEY, state TEXT NOT NULL) STRICT',
];
