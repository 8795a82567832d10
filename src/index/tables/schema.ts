// What a family of tables is, and how a database gets it: ordered migrations. A
// database knows how many of them it has had; a newer program applies the rest. An
// older one works on it as long as migrations have only added things that it need not
// know, so that a release can be rolled back; else it refuses to touch it. A migration
// that was released is never edited: a change is a new one at the end. The families are
// index-schema.ts and those beside it. Tables and columns keep the names that they were
// released with; docs/storage-schema.md explains each and lists the code's words.
import type { Sql } from '../../ports/sql.ts';

/**
 * The migrations of one family of tables; its version is how many there are.
 * Families can share a database.
 */
export type Schema = {
  readonly name: string;
  readonly migrations: readonly (readonly string[])[];
  /**
   * The oldest version whose program may work on these tables; absent: only this one.
   * All migrations behind it may only add: tables, indexes, columns with a default.
   * What commits must keep in step with other rows is no addition, for the older
   * program does not. A change that takes something away is made in two releases: the
   * first stops using it, the next removes it and raises this number.
   * test/index/last-release holds them to it. A database in which something is used that
   * an older program must not touch says a greater number by itself, which stays.
   */
  readonly readableBy?: number;
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
 * transaction. A newer database stays as it is; throws an Error when its program says
 * that this one can't work on it.
 * Cost on a current database: one read for each family; of an empty one 2 ms for a
 * bucket's tables, 7 by its migrations (measured 2026-11). Not for a read-only
 * connection.
 */
export function migrate(sql: Sql, schema: Schema): void {
  sql.transaction(() => {
    for (const companion of schema.companions ?? []) migrate(sql, companion);
    sql.all(
      'CREATE TABLE IF NOT EXISTS schema_versions ' +
        '(name TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL, readable_by INTEGER) STRICT',
    );
    addReadableBy(sql);
    const [row] = sql.all<{ version: number; readable_by: number | null }>(
      'SELECT version, readable_by FROM schema_versions WHERE name = ?',
      schema.name,
    );
    const have = row?.version ?? 0;
    const want = schema.migrations.length;
    if (have > want && readableBy(sql, schema) <= want) return;
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
      'INSERT OR REPLACE INTO schema_versions (name, version, readable_by) VALUES (?, ?, ?)',
      schema.name,
      want,
      Math.max(schema.readableBy ?? want, row?.readable_by ?? 0),
    );
  });
}

/** The oldest version whose program may work on tables that a newer one has migrated. */
function readableBy(sql: Sql, { name }: Schema): number {
  const [row] = sql.all<{ readable_by: number | null }>(
    'SELECT readable_by FROM schema_versions WHERE name = ?',
    name,
  );
  return row?.readable_by ?? Number.POSITIVE_INFINITY;
}

/** Gives a database of the first releases the column, in which it has nothing yet. */
function addReadableBy(sql: Sql): void {
  const columns = sql.all(
    "SELECT 1 FROM pragma_table_info('schema_versions') WHERE name = ?",
    'readable_by',
  );
  if (columns.length === 0) sql.all('ALTER TABLE schema_versions ADD COLUMN readable_by INTEGER');
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
