// The tables of the ledger. On Node they share the database of the index; on
// Cloudflare each account has them in a Durable Object of its own.
// docs/storage-schema.md explains them.
import type { Schema } from './schema.ts';
import { QUOTA_TABLES } from './usage-tables.ts';

/**
 * A quantity is `high` × 2^32 + `low`: byte-milliseconds pass 2^63, and so both
 * halves can be added up by SQLite.
 */
const USAGE_COLUMNS = `bucket_id TEXT NOT NULL,
        access_key_id TEXT NOT NULL,
        meter TEXT NOT NULL,
        high INTEGER NOT NULL,
        low INTEGER NOT NULL`;

export const LEDGER_SCHEMA: Schema = {
  name: 'ledger',
  readableBy: 6,
  migrations: [
    [
      `CREATE TABLE ledger_sources (
        account_id TEXT NOT NULL,
        source TEXT NOT NULL,
        last_sequence INTEGER NOT NULL,
        seen_at_ms INTEGER NOT NULL,
        PRIMARY KEY (account_id, source)
      ) STRICT, WITHOUT ROWID`,
      'CREATE INDEX ledger_sources_by_time ON ledger_sources (account_id, seen_at_ms)',
      `CREATE TABLE ledger_hours (
        account_id TEXT NOT NULL,
        hour_ms INTEGER NOT NULL,
        ${USAGE_COLUMNS},
        PRIMARY KEY (account_id, hour_ms, bucket_id, access_key_id, meter)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE ledger_months (
        account_id TEXT NOT NULL,
        month_ms INTEGER NOT NULL,
        ${USAGE_COLUMNS},
        PRIMARY KEY (account_id, month_ms, bucket_id, access_key_id, meter)
      ) STRICT, WITHOUT ROWID`,
    ],
    [
      `CREATE TABLE caps (
        account_id TEXT NOT NULL,
        id TEXT NOT NULL,
        cap TEXT NOT NULL,
        PRIMARY KEY (account_id, id)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE cap_leases (
        account_id TEXT NOT NULL,
        cap_id TEXT NOT NULL,
        holder TEXT NOT NULL,
        units REAL NOT NULL,
        until_ms INTEGER NOT NULL,
        PRIMARY KEY (account_id, cap_id, holder)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE cap_crossings (
        account_id TEXT NOT NULL,
        cap_id TEXT NOT NULL,
        period_ms INTEGER NOT NULL,
        percent INTEGER NOT NULL,
        PRIMARY KEY (account_id, cap_id, period_ms, percent)
      ) STRICT, WITHOUT ROWID`,
      'CREATE TABLE cap_revisions ' +
        '(account_id TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL) ' +
        'STRICT, WITHOUT ROWID',
    ],
    [
      'ALTER TABLE ledger_sources ADD COLUMN receipt TEXT',
      `CREATE TABLE month_meters (
        account_id TEXT NOT NULL,
        month_ms INTEGER NOT NULL,
        meter TEXT NOT NULL,
        high INTEGER NOT NULL,
        low INTEGER NOT NULL,
        PRIMARY KEY (account_id, month_ms, meter)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE receipt_cards (
        account_id TEXT NOT NULL,
        month_ms INTEGER NOT NULL,
        card_id TEXT NOT NULL,
        version TEXT NOT NULL,
        receipts INTEGER NOT NULL,
        PRIMARY KEY (account_id, month_ms, card_id, version)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE receipt_sums (
        account_id TEXT NOT NULL,
        month_ms INTEGER NOT NULL,
        card_id TEXT NOT NULL,
        version TEXT NOT NULL,
        meter TEXT NOT NULL,
        high INTEGER NOT NULL,
        low INTEGER NOT NULL,
        micro_high INTEGER NOT NULL,
        micro_low INTEGER NOT NULL,
        PRIMARY KEY (account_id, month_ms, card_id, version, meter)
      ) STRICT, WITHOUT ROWID`,
    ],
    QUOTA_TABLES,
    [
      `CREATE TABLE cap_lease_sums (
        account_id TEXT NOT NULL,
        cap_id TEXT NOT NULL,
        until_ms INTEGER NOT NULL,
        units REAL NOT NULL,
        PRIMARY KEY (account_id, cap_id, until_ms)
      ) STRICT, WITHOUT ROWID`,
      `INSERT INTO cap_lease_sums (account_id, cap_id, until_ms, units)
       SELECT account_id, cap_id, until_ms, sum(units) FROM cap_leases
       GROUP BY account_id, cap_id, until_ms`,
      'DROP TABLE cap_revisions',
    ],
    [
      `CREATE TABLE ledger_pages (
        account_id TEXT NOT NULL,
        page INTEGER NOT NULL,
        opened_at_ms INTEGER NOT NULL,
        first_hour_ms INTEGER NOT NULL,
        last_hour_ms INTEGER NOT NULL,
        claims TEXT NOT NULL,
        usage TEXT NOT NULL,
        PRIMARY KEY (account_id, page)
      ) STRICT, WITHOUT ROWID`,
      'CREATE INDEX ledger_pages_by_hour ON ledger_pages (account_id, last_hour_ms)',
      `CREATE TABLE ledger_progress (
        account_id TEXT NOT NULL PRIMARY KEY,
        summed_page INTEGER NOT NULL,
        unclaimed_page INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID`,
      'DROP INDEX ledger_sources_by_time',
    ],
  ],
};
