// The tables of the outbox, a family of their own because two kinds of databases
// have them: those of buckets and that of the directory. On Node both are one file,
// and so is the outbox. docs/storage-schema.md explains them.
import type { Schema } from './schema.ts';

export const OUTBOX_SCHEMA: Schema = {
  name: 'outbox',
  migrations: [
    [
      `CREATE TABLE outbox (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        place TEXT NOT NULL,
        account_id TEXT NOT NULL,
        endpoint_id TEXT NOT NULL,
        lane TEXT NOT NULL,
        message_id TEXT,
        kind TEXT NOT NULL,
        type TEXT NOT NULL,
        payload TEXT,
        state TEXT NOT NULL,
        due_ms INTEGER,
        attempts INTEGER NOT NULL DEFAULT 0,
        created_at_ms INTEGER NOT NULL,
        finished_at_ms INTEGER,
        last_status INTEGER,
        last_error TEXT
      ) STRICT`,
      'CREATE INDEX outbox_due ON outbox (endpoint_id, due_ms, id) WHERE due_ms IS NOT NULL',
      `CREATE INDEX outbox_lanes ON outbox (place, endpoint_id, lane, id) WHERE state = 'waiting'`,
      'CREATE INDEX outbox_states ON outbox (place, state, id)',
      `CREATE TABLE outbox_places (
        place TEXT NOT NULL PRIMARY KEY,
        last_sequence INTEGER NOT NULL DEFAULT 0,
        waiting INTEGER NOT NULL DEFAULT 0,
        delivered INTEGER NOT NULL DEFAULT 0,
        dead INTEGER NOT NULL DEFAULT 0,
        dropped INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID`,
    ],
  ],
};
