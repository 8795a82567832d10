// Counts the rows that a Durable Object writes, as workerd counts them and Cloudflare bills them.
import { runInDurableObject } from 'cloudflare:test';

/** Counts from now on, with what indexes take; gives the number up to the call. */
export async function watchRows(stub: DurableObjectStub): Promise<() => number> {
  let written = 0;
  await runInDurableObject(stub, (_object, { storage }) => {
    const { sql } = storage;
    const exec = sql.exec.bind(sql);
    sql.exec = ((statement: string, ...values: SqlStorageValue[]) => {
      const cursor = exec(statement, ...values);
      const toArray = cursor.toArray.bind(cursor);
      cursor.toArray = () => {
        const rows = toArray();
        written += cursor.rowsWritten;
        return rows;
      };
      return cursor;
    }) as typeof sql.exec;
  });
  return () => written;
}
