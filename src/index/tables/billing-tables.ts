// The tables of billing.ts and billing-progress.ts, as migrations of the directory:
// directory-schema.ts has their order.
/** One migration. docs/storage-schema.md explains the tables. */
export const BILLING_TABLES: readonly string[] = [
  'CREATE TABLE rate_cards (id TEXT NOT NULL PRIMARY KEY, json TEXT NOT NULL) ' +
    'STRICT, WITHOUT ROWID',
  'CREATE TABLE account_cards (account_id TEXT NOT NULL PRIMARY KEY, card_id TEXT NOT NULL) ' +
    'STRICT, WITHOUT ROWID',
  `CREATE TABLE credits (
    account_id TEXT NOT NULL,
    id TEXT NOT NULL,
    label TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount_micro TEXT NOT NULL,
    granted_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER,
    PRIMARY KEY (account_id, id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE invoices (
    account_id TEXT NOT NULL,
    period TEXT NOT NULL,
    number TEXT NOT NULL,
    currency TEXT NOT NULL,
    total_micro TEXT NOT NULL,
    closed_at_ms INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (account_id, period)
  ) STRICT`,
  `CREATE TABLE credit_uses (
    account_id TEXT NOT NULL,
    period TEXT NOT NULL,
    credit_id TEXT NOT NULL,
    amount_micro TEXT NOT NULL,
    PRIMARY KEY (account_id, period, credit_id)
  ) STRICT, WITHOUT ROWID`,
  'CREATE TABLE closing (id INTEGER PRIMARY KEY CHECK (id = 0), period TEXT NOT NULL, ' +
    'after TEXT NOT NULL) STRICT',
];

/** Usage that is reported to a payment service; a migration of its own. */
export const PUSH_TABLES: readonly string[] = [
  `CREATE TABLE push_targets (
    account_id TEXT NOT NULL PRIMARY KEY,
    customer_id TEXT NOT NULL,
    day_ms INTEGER NOT NULL,
    told TEXT NOT NULL DEFAULT '',
    tried TEXT NOT NULL DEFAULT '',
    tried_at_ms INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID`,
];

/**
 * Cards, and who has which, became versions with a beginning; what there was counts
 * from the beginning of time.
 */
export const PRICE_VERSION_TABLES: readonly string[] = [
  `CREATE TABLE rate_card_versions (
    id TEXT NOT NULL,
    valid_from TEXT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (id, valid_from)
  ) STRICT, WITHOUT ROWID`,
  `INSERT INTO rate_card_versions (id, valid_from, json) SELECT id, '', json FROM rate_cards`,
  'DROP TABLE rate_cards',
  `CREATE TABLE account_card_choices (
    account_id TEXT NOT NULL,
    valid_from TEXT NOT NULL,
    card_id TEXT,
    PRIMARY KEY (account_id, valid_from)
  ) STRICT, WITHOUT ROWID`,
  `INSERT INTO account_card_choices (account_id, valid_from, card_id)
   SELECT account_id, '', card_id FROM account_cards`,
  'DROP TABLE account_cards',
  `CREATE TABLE noted_prices (
    name TEXT NOT NULL,
    valid_from TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (name, valid_from)
  ) STRICT, WITHOUT ROWID`,
];

/**
 * Bills came to have issues and numbers of a series, credit notes and parties.
 * `number_series`: the last number that was given of each.
 */
export const DOCUMENT_TABLES: readonly string[] = [
  `CREATE TABLE numbered_invoices (
    account_id TEXT NOT NULL,
    period TEXT NOT NULL,
    issue INTEGER NOT NULL,
    number TEXT NOT NULL,
    currency TEXT NOT NULL,
    total_micro TEXT NOT NULL,
    closed_at_ms INTEGER NOT NULL,
    is_void INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (account_id, period, issue)
  ) STRICT`,
  `INSERT INTO numbered_invoices
   SELECT account_id, period, 0, number, currency, total_micro, closed_at_ms, 0, json
   FROM invoices`,
  'DROP TABLE invoices',
  'ALTER TABLE numbered_invoices RENAME TO invoices',
  `CREATE TABLE credit_notes (
    position INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    id TEXT NOT NULL UNIQUE,
    number TEXT NOT NULL UNIQUE,
    period TEXT NOT NULL,
    issue INTEGER NOT NULL,
    is_void INTEGER NOT NULL,
    currency TEXT NOT NULL,
    net_micro TEXT NOT NULL,
    tax_micro TEXT NOT NULL,
    issued_at_ms INTEGER NOT NULL,
    json TEXT NOT NULL
  ) STRICT`,
  'CREATE INDEX credit_notes_by_account ON credit_notes (account_id, position)',
  'CREATE INDEX credit_notes_by_invoice ON credit_notes (account_id, period, issue)',
  'CREATE TABLE number_series (prefix TEXT NOT NULL PRIMARY KEY, last INTEGER NOT NULL) ' +
    'STRICT, WITHOUT ROWID',
  'CREATE TABLE billing_parties (id TEXT NOT NULL PRIMARY KEY, json TEXT NOT NULL) ' +
    'STRICT, WITHOUT ROWID',
];

/** The last time of the clock that was believed. */
export const SEEN_TIME_TABLES: readonly string[] = [
  `CREATE TABLE seen_time (
    id INTEGER PRIMARY KEY CHECK (id = 0),
    at_ms INTEGER NOT NULL,
    epoch TEXT,
    steady_ms REAL
  ) STRICT`,
];

export const USAGE_TOLD_TABLES: readonly string[] = [
  'CREATE TABLE usage_told (id INTEGER PRIMARY KEY CHECK (id = 0), day_ms INTEGER NOT NULL, ' +
    'after TEXT NOT NULL) STRICT',
];

/** How far the bills of each account have come where its ledger makes them by itself. */
export const ACCOUNT_PROGRESS_TABLES: readonly string[] = [
  `CREATE TABLE billing_progress (
    account_id TEXT NOT NULL PRIMARY KEY,
    closed_before TEXT NOT NULL,
    reported_before_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
];
