// Makes the calls of a database atomic: each runs in a transaction of its own. Used
// by the bucket index, the directory and the ledger.
import type { Sql } from '../ports/sql.ts';

/** Wraps each call in a transaction, but for those named in `bare`. */
export function inTransactions<Api extends Readonly<Record<keyof Api, (input: never) => unknown>>>(
  sql: Sql,
  api: Api,
  bare: ReadonlySet<string>,
): Api {
  const entries = Object.entries<(input: never) => unknown>(api).map(([name, call]) => [
    name,
    bare.has(name) ? call : (input: never) => sql.transaction(() => call(input)),
  ]);
  return Object.fromEntries(entries) as Api;
}
