// Writes src/index/tables/fresh-schema.ts: the tables that all migrations make in a bucket's empty
// database. To be run with `node scripts/fresh-schema.ts` after a new migration;
// test/index/schema.test.ts fails when it was forgotten.
import { DatabaseSync } from 'node:sqlite';
import { sqliteOver } from '../src/adapters/node/index/node-sqlite.ts';
import { INDEX_SCHEMA } from '../src/index/tables/index-schema.ts';
import { migrate, type Schema } from '../src/index/tables/schema.ts';

/** Statements of the tables and indexes that the migrations make, in an order that can run. */
export function statementsOf({ name, migrations }: Schema): readonly string[] {
  const db = new DatabaseSync(':memory:');
  const sql = sqliteOver(db, { readOnly: false });
  migrate(sql, { name, migrations });
  // A virtual table makes others by itself, whose names begin with its own.
  const rows = sql.all<{ sql: string }>(
    `SELECT sql FROM sqlite_schema AS s
     WHERE sql IS NOT NULL AND name <> 'schema_versions' AND NOT EXISTS (
       SELECT 1 FROM sqlite_schema AS v
       WHERE v.sql LIKE 'CREATE VIRTUAL%' AND s.name LIKE v.name || '!_%' ESCAPE '!')
     ORDER BY rowid`,
  );
  sql.close();
  return rows.map((row) => readable(row.sql.replace(/\s+/g, ' ').replaceAll(' ,', ',')));
}

/** Longest line of columns. */
const LINE_MAX_LENGTH = 96;

/** Formats a statement: columns of a table on lines of their own, other statements on one. */
function readable(statement: string): string {
  const [, head, body, tail] = /^(CREATE TABLE .+? \()(.*)\)([^)]*)$/.exec(statement) ?? [];
  if (head === undefined || body === undefined)
    return statement.replace('( ', '(').replace(' )', ')');
  const lines: string[] = [];
  for (const column of body.trim().split(/, (?![^(]*\))/)) {
    const longer = `${lines.at(-1)}, ${column}`;
    if (lines.length > 0 && longer.length < LINE_MAX_LENGTH - 4) lines[lines.length - 1] = longer;
    else lines.push(column);
  }
  return `${head}\n    ${lines.join(',\n    ')}\n  )${tail}`;
}

/** The file's text. */
export function freshSchemaFile(): string {
  const statements = statementsOf(INDEX_SCHEMA).map((text) => `  \`${text}\`,\n`);
  const header = [
    "// The tables of a bucket's database as they are now, for one that is empty: a quarter of ",
    'the time\n// that its migrations take, which all others have had (index-schema.ts). Made by\n',
    '// scripts/fresh-schema.ts, never by hand. docs/storage-schema.md explains every table.',
  ].join('');
  return `${header}

export const FRESH_INDEX: readonly string[] = [
${statements.join('')}];
`;
}

if (import.meta.main) {
  const { writeFileSync } = await import('node:fs');
  writeFileSync(new URL('../src/index/tables/fresh-schema.ts', import.meta.url), freshSchemaFile());
}
