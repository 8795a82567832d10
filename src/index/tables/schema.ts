// What a family of tables is, and how a database gets it: ordered migrations. A
// database knows how many of them it has had; a newer program applies the rest, an
// older one refuses to touch it. A migration that was released is never edited: a
// change is a new one at the end. The families are index-schema.ts and those beside
// it. Tables and columns keep the names that they were released with;
// docs/storage-schema.md explains each and lists the code's words for them.
import type { Sql } from '../../ports/sql.ts';

/**
 * The migrations of one family of tables; its version is how many there are.
 * Families can share a database.
 */
export type Schema = {
  readonly name: string;
  readonly migrations: readonly (readonly string[])[];
  /**
   * What all migrations together make of a database without these tables. Absent:
   * that takes no time worth it.
   */
  readonly fresh?: readonly string[];
  /** Families that every database of this one has too. */
  readonly companions?: readonly Schema[];
};

/**
 * Brings the tables of `schema` to the version of this program, all steps in one
 * transaction. Throws an Error, and changes nothing, when the database is newer.
 * Cost on a current database: one read for each family; of an empty one 2 ms for a
 * bucket's tables, 7 by its migrations (measured 2026-11). Not for a read-only
 * connection.
 */
export function migrate(sql: Sql, schema: Schema): void {
  sql.transaction(() => {
    for (const companion of schema.companions ?? []) migrate(sql, companion);
    sql.all(
      'CREATE TABLE IF NOT EXISTS schema_versions ' +
        '(name TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL) STRICT',
    );
    const [row] = sql.all<{ version: number }>(
      'SELECT version FROM schema_versions WHERE name = ?',
      schema.name,
    );
    const have = row?.version ?? 0;
    const want = schema.migrations.length;
    if (have > want) {
      throw new Error(
        'This database was written by a newer Quayside: ' +
          `its ${schema.name} tables have version ${have}, ` +
          `this program knows versions up to ${want}. Start the newer program instead.`,
      );
    }
    if (have === want) return;
    const isFresh = have === 0 && schema.fresh !== undefined;
    for (const statement of isFresh ? schema.fresh : schema.migrations.slice(have).flat())
      sql.all(statement);
    sql.all(
      'INSERT OR REPLACE INTO schema_versions (name, version) VALUES (?, ?)',
      schema.name,
      want,
    );
  });
}

/**
 * How old the tables of these families, and of their companions, are against this
 * program. `newer` if any is; a family that the database lacks counts as older.
 */
export function compareSchemas(sql: Sql, schemas: readonly Schema[]): 'older' | 'same' | 'newer' {
  const families = schemas.flatMap((schema) => [schema, ...(schema.companions ?? [])]);
  const have = new Map(
    sql
      .all<{ name: string; version: number }>('SELECT name, version FROM schema_versions')
      .map((row) => [row.name, row.version]),
  );
  const differences = families.map(
    ({ name, migrations }) => (have.get(name) ?? 0) - migrations.length,
  );
  if (differences.some((difference) => difference > 0)) return 'newer';
  return differences.some((difference) => difference < 0) ? 'older' : 'same';
}
