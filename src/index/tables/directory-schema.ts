// The tables of the directory. On Node they share the database of the index; on
// Cloudflare they are one Durable Object's. docs/storage-schema.md explains them.

import {
  ACCOUNT_TABLES,
  AUDIT_COUNT_TABLES,
  INVITATION_MAKER_TABLES,
  INVITATION_TABLES,
  KEY_ROLE_TABLES,
  PASSKEY_TABLES,
  PROOF_TABLES,
  SESSION_HOLDER_TABLES,
  SESSION_USE_TABLES,
  SIGN_IN_TABLES,
} from './account-tables.ts';
import {
  ACCOUNT_PROGRESS_TABLES,
  BILLING_TABLES,
  DOCUMENT_TABLES,
  PRICE_VERSION_TABLES,
  PUSH_TABLES,
  SEEN_TIME_TABLES,
  USAGE_TOLD_TABLES,
} from './billing-tables.ts';
import { ACCOUNT_JOB_TABLES } from './key-jobs-schema.ts';
import { LINK_ID_TABLES } from './link-tables.ts';
import { OUTBOX_SCHEMA } from './outbox-schema.ts';
import type { Schema } from './schema.ts';
import { WEBHOOK_SCHEMA } from './webhook-schema.ts';

export const DIRECTORY_SCHEMA: Schema = {
  name: 'directory',
  readableBy: 22,
  companions: [OUTBOX_SCHEMA, WEBHOOK_SCHEMA],
  migrations: [
    [
      'CREATE TABLE accounts (id TEXT NOT NULL PRIMARY KEY, display_name TEXT NOT NULL) ' +
        'STRICT, WITHOUT ROWID',
      `CREATE TABLE access_keys (
        id TEXT NOT NULL PRIMARY KEY,
        secret TEXT NOT NULL,
        account_id TEXT NOT NULL
      ) STRICT, WITHOUT ROWID`,
      'CREATE INDEX access_keys_by_account ON access_keys (account_id)',
      `CREATE TABLE owned_buckets (
        owner_id TEXT NOT NULL,
        name TEXT NOT NULL,
        created_at_ms INTEGER NOT NULL,
        PRIMARY KEY (owner_id, name)
      ) STRICT, WITHOUT ROWID`,
      'CREATE INDEX owned_buckets_by_name ON owned_buckets (name)',
      'CREATE TABLE bucket_names (name TEXT NOT NULL PRIMARY KEY, added_at_ms INTEGER NOT NULL) ' +
        'STRICT, WITHOUT ROWID',
    ],
    [
      `CREATE TABLE hosts (
        host TEXT NOT NULL PRIMARY KEY,
        bucket TEXT NOT NULL,
        bucket_id TEXT NOT NULL,
        prefix TEXT NOT NULL
      ) STRICT, WITHOUT ROWID`,
      'CREATE INDEX hosts_by_bucket ON hosts (bucket_id)',
    ],
    [
      `CREATE TABLE named_keys (
        id TEXT NOT NULL PRIMARY KEY,
        wrapped_key TEXT NOT NULL,
        is_enabled INTEGER NOT NULL,
        created_at_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID`,
    ],
    SIGN_IN_TABLES,
    BILLING_TABLES,
    ACCOUNT_TABLES,
    PUSH_TABLES,
    PASSKEY_TABLES,
    KEY_ROLE_TABLES,
    USAGE_TOLD_TABLES,
    AUDIT_COUNT_TABLES,
    [
      `CREATE TABLE sweep_turn (
        id INTEGER PRIMARY KEY CHECK (id = 0),
        started_at_ms INTEGER NOT NULL,
        after TEXT
      ) STRICT`,
    ],
    // Keys that were there before are for every account, as they were.
    ['ALTER TABLE named_keys ADD COLUMN account_ids TEXT'],
    PROOF_TABLES,
    PRICE_VERSION_TABLES,
    SEEN_TIME_TABLES,
    DOCUMENT_TABLES,
    SESSION_HOLDER_TABLES,
    ACCOUNT_JOB_TABLES,
    INVITATION_TABLES,
    SESSION_USE_TABLES,
    INVITATION_MAKER_TABLES,
    LINK_ID_TABLES,
    ACCOUNT_PROGRESS_TABLES,
    // Apart from `bucket_names`: an older program forgets names of buckets that it can't find.
    [
      'CREATE TABLE bucket_locations (name TEXT NOT NULL PRIMARY KEY, location TEXT NOT NULL) ' +
        'STRICT, WITHOUT ROWID',
    ],
  ],
};
