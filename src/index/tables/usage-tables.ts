// The tables of what commits use and of quotas, as migrations: index-schema.ts and
// ledger-schema.ts put them among the others. Released migrations never change.

/**
 * What commits use, by the hour. A quantity is `high` × 2^32 + `low`, as in the
 * ledger.
 */
export const COMMIT_USAGE_TABLES: readonly string[] = [
  `CREATE TABLE commit_usage (
    bucket_name TEXT NOT NULL,
    bucket_id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    meter TEXT NOT NULL,
    hour_ms INTEGER NOT NULL,
    high INTEGER NOT NULL,
    low INTEGER NOT NULL,
    PRIMARY KEY (bucket_name, bucket_id, meter, hour_ms)
  ) STRICT, WITHOUT ROWID`,
];

/** What each bucket may store of its account's quota. */
export const STORAGE_GRANT_TABLES: readonly string[] = [
  `CREATE TABLE storage_grants (
    bucket INTEGER PRIMARY KEY,
    bytes INTEGER NOT NULL,
    objects INTEGER NOT NULL,
    sequence INTEGER NOT NULL
  ) STRICT`,
];

/** Quotas of accounts, and what each bucket is granted of them. */
export const QUOTA_TABLES: readonly string[] = [
  `CREATE TABLE quotas (
    account_id TEXT NOT NULL PRIMARY KEY,
    bytes INTEGER,
    objects INTEGER,
    last_sequence INTEGER NOT NULL DEFAULT 0
  ) STRICT`,
  `CREATE TABLE quota_grants (
    account_id TEXT NOT NULL,
    bucket_id TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    objects INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    settled_at_ms INTEGER NOT NULL,
    PRIMARY KEY (account_id, bucket_id)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX quota_grants_by_time ON quota_grants (account_id, settled_at_ms)',
];

/**
 * Objects that the totals count later than they come: of which time and how large, in
 * the rows of their blobs; and the blob up to whose id all are counted.
 */
export const LATE_OBJECTS: readonly string[] = [
  'ALTER TABLE blobs ADD COLUMN late_at_ms INTEGER',
  'ALTER TABLE blobs ADD COLUMN late_bytes INTEGER',
  "ALTER TABLE storage_totals ADD COLUMN counted_to TEXT NOT NULL DEFAULT ''",
];
