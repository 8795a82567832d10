// docs/storage-schema.md names every table of every database, and every column of objects and
// versions, which other programs may read.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '../../src/adapters/node/index/node-sqlite.ts';
import { DIRECTORY_SCHEMA } from '../../src/index/tables/directory-schema.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import { LEDGER_SCHEMA } from '../../src/index/tables/ledger-schema.ts';
import { migrate } from '../../src/index/tables/schema.ts';
import { WEBHOOK_SCHEMA } from '../../src/index/tables/webhook-schema.ts';

const text = readFileSync(new URL('../../docs/storage-schema.md', import.meta.url), 'utf8');
const sql = openSqlite(':memory:', { readOnly: false });
for (const schema of [INDEX_SCHEMA, DIRECTORY_SCHEMA, LEDGER_SCHEMA, WEBHOOK_SCHEMA]) {
  migrate(sql, schema);
}
// A virtual table makes others by itself, whose names begin with its own.
const tables = sql
  .all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
  .map(({ name }) => name)
  .filter((name) => !/^(?:search_trigrams_|sqlite_)/.test(name));

/** Names stand in code, alone or before the columns: `credits (account_id, …)`. */
const isNamed = (name: string) => new RegExp(`\`${name}[\`\\s]`).test(text);

it('the check of tables reads the tables that it judges', () => {
  expect(tables.length).toBeGreaterThan(40);
  expect(isNamed('no_such_table')).toBe(false);
});

it.each(tables)('%s is named', (name) => {
  expect(isNamed(name)).toBe(true);
});

describe.each(['objects', 'versions'])('%s', (table) => {
  const columns = sql
    .all<{ name: string }>('SELECT name FROM pragma_table_info(?)', table)
    .map(({ name }) => name);
  const [, section = ''] = /\n\*\*`objects`\*\*([\s\S]*?)\n\*\*`object_bodies/.exec(text) ?? [];

  it.each(columns)('%s is explained', (column) => {
    expect(section).toMatch(new RegExp(`\\b${column}\\b`));
  });
});
