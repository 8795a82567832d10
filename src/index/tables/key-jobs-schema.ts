// The tables of key-jobs.ts as migrations; index-schema.ts puts them among the
// others, directory-schema.ts those of an account. Released migrations never change.

/** Jobs, what they did, and where the keys stand that a delete marker hides. */
export const KEY_JOB_TABLES: readonly string[] = [
  `CREATE TABLE name_jobs (
    bucket INTEGER NOT NULL,
    id TEXT NOT NULL,
    is_running INTEGER NOT NULL,
    job TEXT NOT NULL,
    PRIMARY KEY (bucket, id)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX name_jobs_running ON name_jobs (bucket) WHERE is_running = 1',
  `CREATE TABLE name_job_items (
    bucket INTEGER NOT NULL,
    job_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    to_key TEXT,
    version_id TEXT NOT NULL,
    marker_id TEXT,
    PRIMARY KEY (bucket, job_id, at)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX versions_hiding ON versions (bucket, key) ' +
    'WHERE is_marker = 1 AND replaced_at_ms IS NULL',
];

/**
 * Sums of ranges of keys, and the search index; buckets have rows here from the
 * first call for them.
 */
export const KEY_AID_TABLES: readonly string[] = [
  `CREATE TABLE name_aids (
    bucket INTEGER PRIMARY KEY,
    counts INTEGER NOT NULL,
    search INTEGER NOT NULL,
    search_after TEXT NOT NULL,
    searched_at_ms INTEGER NOT NULL
  ) STRICT`,
  `CREATE TABLE key_ranges (
    bucket INTEGER NOT NULL,
    first_key TEXT NOT NULL,
    objects INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    other_bytes INTEGER NOT NULL,
    PRIMARY KEY (bucket, first_key)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE search_names (
    id INTEGER PRIMARY KEY,
    bucket INTEGER NOT NULL,
    key TEXT NOT NULL,
    UNIQUE (bucket, key)
  ) STRICT`,
  `CREATE TABLE search_changes (
    bucket INTEGER NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (bucket, key)
  ) STRICT, WITHOUT ROWID`,
  `CREATE VIRTUAL TABLE search_trigrams USING fts5 (
    name, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1'
  )`,
];

/**
 * Counts of the names of levels, which seeks by rank use; levels have rows here from
 * the first seek in them. `levels` says how many a bucket has.
 */
export const KEY_LEVEL_TABLES: readonly string[] = [
  'ALTER TABLE name_aids ADD COLUMN levels INTEGER NOT NULL DEFAULT 0',
  `CREATE TABLE key_levels (
    n INTEGER PRIMARY KEY,
    bucket INTEGER NOT NULL,
    prefix TEXT NOT NULL,
    delimiter TEXT NOT NULL,
    is_ready INTEGER NOT NULL,
    used_at_ms INTEGER NOT NULL,
    UNIQUE (bucket, prefix, delimiter)
  ) STRICT`,
  `CREATE TABLE level_ranges (
    level INTEGER NOT NULL,
    first_name TEXT NOT NULL,
    names INTEGER NOT NULL,
    PRIMARY KEY (level, first_name)
  ) STRICT, WITHOUT ROWID`,
];

/** Keys that a job lists, keys that it left, and what else an undo needs. */
export const KEY_LIST_TABLES: readonly string[] = [
  `CREATE TABLE name_job_keys (
    bucket INTEGER NOT NULL,
    job_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    keys TEXT NOT NULL,
    PRIMARY KEY (bucket, job_id, at)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE name_job_failures (
    bucket INTEGER NOT NULL,
    job_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    key TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (bucket, job_id, at)
  ) STRICT, WITHOUT ROWID`,
  'ALTER TABLE name_job_items ADD COLUMN detail TEXT',
];

/** The newest jobs of each account, in the directory. */
export const ACCOUNT_JOB_TABLES: readonly string[] = [
  `CREATE TABLE account_jobs (
    account_id TEXT NOT NULL,
    id TEXT NOT NULL,
    bucket TEXT NOT NULL,
    bucket_id TEXT NOT NULL,
    state TEXT NOT NULL,
    job TEXT NOT NULL,
    PRIMARY KEY (account_id, id)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX account_jobs_by_bucket ON account_jobs (account_id, bucket_id, id)',
];
