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

/** What visitors did, as columns. */
const COUNTS = `opened INTEGER NOT NULL,
    started INTEGER NOT NULL,
    completed INTEGER NOT NULL,
    aborted INTEGER NOT NULL,
    bytes INTEGER NOT NULL`;

/**
 * Share links of a bucket: the links with sums of their use, labels, downloads under
 * way, permits of their responses, counts by day, history. `label_id` '': none.
 */
export const SHARE_LINK_TABLES: readonly string[] = [
  `CREATE TABLE share_links (
    bucket INTEGER NOT NULL,
    id TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    link TEXT NOT NULL,
    completed INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    aborted_ppb INTEGER NOT NULL DEFAULT 0,
    last_used_ms INTEGER,
    UNIQUE (bucket, id)
  ) STRICT`,
  'CREATE INDEX share_links_by_time ON share_links (bucket, created_at_ms, id)',
  `CREATE TABLE share_labels (
    bucket INTEGER NOT NULL,
    link_id TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    revoked_at_ms INTEGER,
    PRIMARY KEY (bucket, link_id, id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE share_downloads (
    n INTEGER PRIMARY KEY,
    bucket INTEGER NOT NULL,
    link_id TEXT NOT NULL,
    download_id TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    sent_bytes INTEGER NOT NULL,
    sent TEXT NOT NULL,
    permits INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL
  ) STRICT`,
  'CREATE INDEX share_downloads_by_link ON share_downloads (bucket, link_id, download_id)',
  'CREATE INDEX share_downloads_idle ON share_downloads (bucket, link_id, updated_at_ms) ' +
    'WHERE permits = 0',
  'CREATE INDEX share_downloads_running ON share_downloads (bucket, link_id) WHERE permits > 0',
  `CREATE TABLE share_permits (
    bucket INTEGER NOT NULL,
    link_id TEXT NOT NULL,
    id TEXT NOT NULL,
    download INTEGER NOT NULL,
    offset_bytes INTEGER NOT NULL,
    length_bytes INTEGER NOT NULL,
    sent_bytes INTEGER NOT NULL,
    until_ms INTEGER NOT NULL,
    PRIMARY KEY (bucket, link_id, id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE share_days (
    bucket INTEGER NOT NULL,
    link_id TEXT NOT NULL,
    day_ms INTEGER NOT NULL,
    label_id TEXT NOT NULL,
    ${COUNTS},
    tops TEXT NOT NULL,
    PRIMARY KEY (bucket, link_id, day_ms, label_id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE share_history (
    bucket INTEGER NOT NULL,
    link_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (bucket, link_id, at)
  ) STRICT, WITHOUT ROWID`,
];

/** Counts of visitors since a link was made, by label; what was counted before is added up. */
export const SHARE_SUM_TABLES: readonly string[] = [
  `CREATE TABLE share_sums (
    bucket INTEGER NOT NULL,
    link_id TEXT NOT NULL,
    label_id TEXT NOT NULL,
    ${COUNTS},
    PRIMARY KEY (bucket, link_id, label_id)
  ) STRICT, WITHOUT ROWID`,
  `INSERT INTO share_sums
   SELECT bucket, link_id, label_id, sum(opened), sum(started), sum(completed), sum(aborted),
     sum(bytes)
   FROM share_days GROUP BY bucket, link_id, label_id`,
];
