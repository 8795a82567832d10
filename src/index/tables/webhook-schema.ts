// The tables of webhooks, a family of their own in the directory's database.
// docs/storage-schema.md explains them.
import type { Schema } from './schema.ts';

export const WEBHOOK_SCHEMA: Schema = {
  name: 'webhooks',
  migrations: [
    [
      `CREATE TABLE webhooks (
        id TEXT NOT NULL PRIMARY KEY,
        account_id TEXT NOT NULL,
        url TEXT NOT NULL,
        description TEXT NOT NULL,
        types TEXT NOT NULL,
        secrets TEXT NOT NULL,
        is_enabled INTEGER NOT NULL,
        created_at_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID`,
      'CREATE INDEX webhooks_by_account ON webhooks (account_id, id)',
    ],
  ],
};
