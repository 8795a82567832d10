// Counts rows written as the price list of Durable Objects does, over the SQLite of Node, which
// knows table rows only: an insert is a row and one for each index that takes it in, an update a
// row and one for each index of a column that it sets, a deletion a row. Measured in workerd
// (test/workerd/operation-costs.test.ts has the numbers of whole operations).
import type { Sql, SqlRow, SqlValue } from '../../../src/ports/sql.ts';

export type CountedSql = Sql & { rowsWritten(): number };

type Index = { readonly table: string; readonly columns: readonly string[] };

const WRITE =
  /^\s*(?:WITH\b[\s\S]*?\)\s*)?(INSERT(?:\s+OR\s+\w+)?\s+INTO|UPDATE|DELETE\s+FROM)\s+(\w+)/i;

export function createCountedSql(sql: Sql): CountedSql {
  let written = 0;
  let indexes: readonly Index[] | null = null;
  const factors = new Map<string, number>();

  /** Indexes with a row for every row of their table; partial ones take in few. */
  function readIndexes(): readonly Index[] {
    const tables = sql.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
    return tables.flatMap(({ name: table }) =>
      sql
        .all<{ name: string; origin: string; partial: number }>(
          'SELECT name, origin, partial FROM pragma_index_list(?)',
          table,
        )
        .filter(({ origin, partial }) => origin === 'c' && partial === 0)
        .map(({ name }) => ({
          table,
          columns: sql
            .all<{ name: string }>('SELECT name FROM pragma_index_info(?)', name)
            .map((column) => column.name),
        })),
    );
  }

  /** Rows for one change of a statement; 0: it writes nothing. */
  function factorOf(statement: string): number {
    const [, verb, table] = WRITE.exec(statement) ?? [];
    if (verb === undefined) return 0;
    if (/^DELETE/i.test(verb)) return 1;
    indexes ??= readIndexes();
    const own = indexes.filter((index) => index.table === table);
    if (/^INSERT/i.test(verb)) return 1 + own.length;
    const set = statement.slice(statement.search(/\bSET\b/i)).split(/\bWHERE\b/i)[0] ?? '';
    const isSet = (column: string) => new RegExp(`\\b${column}\\s*=`).test(set);
    return 1 + own.filter(({ columns }) => columns.some(isSet)).length;
  }

  const changes = () => sql.all<{ n: number }>('SELECT total_changes() AS n')[0]?.n ?? 0;

  return {
    ...sql,
    all<Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]): Row[] {
      const factor = factors.get(statement) ?? factorOf(statement);
      factors.set(statement, factor);
      if (factor === 0) return sql.all<Row>(statement, ...values);
      const before = changes();
      const rows = sql.all<Row>(statement, ...values);
      written += (changes() - before) * factor;
      return rows;
    },
    rowsWritten: () => written,
  };
}
