// The tables of the directory that the JSON API needs: migrations of
// directory-schema.ts, one after the other. Released migrations are never edited.

/** Tokens, sessions, failures to sign in, and idempotency records (`kept_answers`). */
export const SIGN_IN_TABLES: readonly string[] = [
  `CREATE TABLE tokens (
    digest TEXT NOT NULL PRIMARY KEY,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    scopes TEXT,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER,
    account_id TEXT NOT NULL,
    role TEXT NOT NULL,
    member_id TEXT,
    access_key_id TEXT
  ) STRICT, WITHOUT ROWID`,
  'CREATE UNIQUE INDEX tokens_by_account ON tokens (account_id, id)',
  `CREATE TABLE sessions (
    digest TEXT NOT NULL PRIMARY KEY,
    id TEXT NOT NULL,
    label TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    account_id TEXT NOT NULL,
    role TEXT NOT NULL,
    member_id TEXT,
    access_key_id TEXT
  ) STRICT, WITHOUT ROWID`,
  'CREATE UNIQUE INDEX sessions_by_account ON sessions (account_id, id)',
  'CREATE INDEX sessions_by_expiry ON sessions (expires_at_ms)',
  `CREATE TABLE sign_in_failures (
    subject TEXT NOT NULL PRIMARY KEY,
    failures INTEGER NOT NULL,
    last_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX sign_in_failures_by_time ON sign_in_failures (last_ms)',
  `CREATE TABLE kept_answers (
    caller TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    attempt_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    status INTEGER,
    headers TEXT,
    sealed TEXT,
    PRIMARY KEY (caller, key)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX kept_answers_by_time ON kept_answers (at_ms)',
  'CREATE INDEX kept_answers_by_caller ON kept_answers (caller, at_ms)',
];

/**
 * What accounts and access keys have gained, members, and the log of changes
 * (accounts.ts, members.ts).
 */
export const ACCOUNT_TABLES: readonly string[] = [
  'ALTER TABLE accounts ADD COLUMN created_at_ms INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE accounts ADD COLUMN is_enabled INTEGER NOT NULL DEFAULT 1',
  'ALTER TABLE accounts ADD COLUMN revision INTEGER NOT NULL DEFAULT 1',
  'ALTER TABLE access_keys ADD COLUMN is_sealed INTEGER NOT NULL DEFAULT 0',
  "ALTER TABLE access_keys ADD COLUMN name TEXT NOT NULL DEFAULT ''",
  'ALTER TABLE access_keys ADD COLUMN scope TEXT',
  'ALTER TABLE access_keys ADD COLUMN created_at_ms INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE access_keys ADD COLUMN expires_at_ms INTEGER',
  'ALTER TABLE access_keys ADD COLUMN is_enabled INTEGER NOT NULL DEFAULT 1',
  'ALTER TABLE access_keys ADD COLUMN last_used_ms INTEGER',
  'ALTER TABLE access_keys ADD COLUMN revision INTEGER NOT NULL DEFAULT 1',
  'DROP INDEX access_keys_by_account',
  'CREATE INDEX access_keys_by_account ON access_keys (account_id, id)',
  'CREATE INDEX tokens_by_access_key ON tokens (access_key_id) WHERE access_key_id IS NOT NULL',
  'CREATE INDEX sessions_by_access_key ON sessions (access_key_id) WHERE access_key_id IS NOT NULL',
  `CREATE TABLE members (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL,
    login TEXT NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    role TEXT NOT NULL,
    is_enabled INTEGER NOT NULL,
    password TEXT,
    created_at_ms INTEGER NOT NULL,
    revision INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX members_by_account ON members (account_id, id)',
  `CREATE TABLE audit (
    account_id TEXT NOT NULL,
    id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    detail TEXT NOT NULL,
    member_id TEXT,
    access_key_id TEXT,
    credential TEXT NOT NULL,
    source TEXT NOT NULL,
    request_id TEXT NOT NULL,
    status INTEGER,
    PRIMARY KEY (account_id, id)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX audit_by_time ON audit (at_ms)',
];

/** Passkeys and the challenges that one is shown with (passkeys.ts). */
export const PASSKEY_TABLES: readonly string[] = [
  `CREATE TABLE passkeys (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL,
    member_id TEXT NOT NULL,
    name TEXT NOT NULL,
    public_key TEXT NOT NULL,
    counter INTEGER NOT NULL,
    transports TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    last_used_ms INTEGER
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX passkeys_by_member ON passkeys (member_id, created_at_ms)',
  'CREATE INDEX passkeys_by_account ON passkeys (account_id)',
  `CREATE TABLE challenges (
    digest TEXT NOT NULL PRIMARY KEY,
    subject TEXT NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX challenges_by_expiry ON challenges (expires_at_ms)',
];

/**
 * The role of an access key in the JSON API. Keys from before this migration
 * have that of an owner; null: the key is for S3 alone.
 */
export const KEY_ROLE_TABLES: readonly string[] = [
  "ALTER TABLE access_keys ADD COLUMN role TEXT DEFAULT 'owner'",
];

/**
 * The keys that sessions and tokens are bound to, proofs of sessions, and who
 * failed to sign in.
 */
export const PROOF_TABLES: readonly string[] = [
  'ALTER TABLE sessions ADD COLUMN proven_at_ms INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE sessions ADD COLUMN credential_digest TEXT',
  'ALTER TABLE tokens ADD COLUMN credential_digest TEXT',
  `CREATE TABLE sign_in_sources (
    pair TEXT NOT NULL PRIMARY KEY,
    last_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX sign_in_sources_by_time ON sign_in_sources (last_ms)',
  `CREATE TABLE failed_sign_ins (
    account_id TEXT NOT NULL,
    id TEXT NOT NULL,
    day_ms INTEGER NOT NULL,
    credential TEXT NOT NULL,
    member_id TEXT,
    access_key_id TEXT,
    source TEXT NOT NULL,
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    PRIMARY KEY (account_id, id)
  ) STRICT, WITHOUT ROWID`,
  'CREATE UNIQUE INDEX failed_sign_ins_by_day ' +
    'ON failed_sign_ins (account_id, day_ms, credential, source)',
  'CREATE INDEX failed_sign_ins_by_time ON failed_sign_ins (day_ms)',
];

/** Sessions by who holds them, so that each holder has so many (sign-in.ts). */
export const SESSION_HOLDER_TABLES: readonly string[] = [
  'CREATE INDEX sessions_by_holder ' +
    "ON sessions (account_id, coalesce(access_key_id, member_id, ''), id)",
];

/** Invitations, and what holders prefer (invitations.ts, preferences.ts). */
export const INVITATION_TABLES: readonly string[] = [
  `CREATE TABLE invitations (
    digest TEXT NOT NULL PRIMARY KEY,
    id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    login TEXT,
    display_name TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    accepted_at_ms INTEGER,
    attempt_id TEXT
  ) STRICT, WITHOUT ROWID`,
  'CREATE UNIQUE INDEX invitations_by_account ON invitations (account_id, id)',
  'CREATE INDEX invitations_by_expiry ON invitations (expires_at_ms)',
  `CREATE TABLE preferences (
    account_id TEXT NOT NULL,
    holder TEXT NOT NULL,
    json TEXT NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (account_id, holder)
  ) STRICT, WITHOUT ROWID`,
];

/**
 * Who made an invitation, and with which role. Null: somebody without a record, such
 * as the root key, or the invitation is older than this migration.
 */
export const INVITATION_MAKER_TABLES: readonly string[] = [
  'ALTER TABLE invitations ADD COLUMN maker_member_id TEXT',
  'ALTER TABLE invitations ADD COLUMN maker_key_id TEXT',
  'ALTER TABLE invitations ADD COLUMN maker_role TEXT',
];

/**
 * The network that a session was begun from, and the hour in which it was used last;
 * 0: not since this migration.
 */
export const SESSION_USE_TABLES: readonly string[] = [
  "ALTER TABLE sessions ADD COLUMN source TEXT NOT NULL DEFAULT ''",
  'ALTER TABLE sessions ADD COLUMN last_used_ms INTEGER NOT NULL DEFAULT 0',
];

/**
 * How many entries of the audit log each account has, by who made the changes
 * (audit.ts); `maker` '': all of them.
 */
export const AUDIT_COUNT_TABLES: readonly string[] = [
  'CREATE INDEX audit_by_maker ' +
    "ON audit (account_id, coalesce(access_key_id, member_id, 'nobody'), id)",
  `CREATE TABLE audit_counts (
    account_id TEXT NOT NULL,
    maker TEXT NOT NULL,
    entries INTEGER NOT NULL,
    PRIMARY KEY (account_id, maker)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX audit_counts_by_entries ON audit_counts (account_id, entries)',
  `INSERT INTO audit_counts (account_id, maker, entries)
   SELECT account_id, coalesce(access_key_id, member_id, 'nobody') AS made_by, count(*)
   FROM audit GROUP BY account_id, made_by`,
  `INSERT INTO audit_counts (account_id, maker, entries)
   SELECT account_id, '', count(*) FROM audit GROUP BY account_id`,
];
