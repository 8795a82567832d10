// A migrated database without transactions that prepares each statement once and tells what SQLite
// counted of it since.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { migrate, type Schema } from '../../../src/index/tables/schema.ts';
import type { Sql } from '../../../src/ports/sql.ts';

/** Source: https://sqlite.org/c3ref/c_stmtstatus_counter.html */
export type Counter = 'vmStep' | 'reprepare';
/**
 * The types of Node 26.6 lack this method of Node 26.10. A counter goes on from one run of its
 * statement to the next.
 */
type Counted = { stat(counter: Counter): number };

/** `counted`: statements that ran since the migrations, and that counter of each. */
export function openCounting(schema: Schema) {
  const db = new DatabaseSync(':memory:');
  const statements = new Map<string, StatementSync>();
  const sql: Sql = {
    all(text, ...values) {
      const statement = statements.get(text) ?? db.prepare(text);
      statements.set(text, statement);
      return statement.all(...values) as never[];
    },
    transaction: (work) => work(),
  };
  migrate(sql, schema);
  statements.clear();
  const counted = (counter: Counter) =>
    [...statements].map(([text, statement]) => ({
      text,
      n: (statement as unknown as Counted).stat(counter),
    }));
  return { sql, counted };
}
