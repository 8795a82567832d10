// The tables of links as migrations: directory-schema.ts and index-schema.ts put
// them among the others. Released migrations never change.

/** Which bucket has the link of an id, in the directory. */
export const LINK_ID_TABLES: readonly string[] = [
  `CREATE TABLE link_ids (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    bucket TEXT NOT NULL,
    bucket_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX link_ids_by_account ON link_ids (account_id, created_at_ms, id)',
  'CREATE INDEX link_ids_by_bucket ON link_ids (bucket_id)',
];
