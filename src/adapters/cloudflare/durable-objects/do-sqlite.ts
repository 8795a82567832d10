// The SQLite of a Durable Object behind the SQL port. Writes are durable when the
// object answers: the runtime holds the response back until then. Knows no table.
import { StorageError } from '../../../domain/errors.ts';
import type { DatabaseRoom, Sql, SqlRow, SqlValue } from '../../../ports/sql.ts';

/**
 * What an object's SQLite may have. Source:
 * https://developers.cloudflare.com/durable-objects/platform/limits/
 */
const DATABASE_MAX_BYTES = 10_000_000_000;

/** How far the SQLite of an object has grown, and may. */
export function roomOf({ sql }: DurableObjectStorage): DatabaseRoom {
  return { usedBytes: sql.databaseSize, maxBytes: DATABASE_MAX_BYTES };
}

/**
 * SQL over the storage of one Durable Object; statements throw StorageFull when it
 * has reached its size limit.
 */
export function createDoSql(storage: DurableObjectStorage): Sql {
  return {
    // A command's time is of the machine that sent it; usage counts by the earlier
    // of the two.
    latestMs: () => Date.now(),
    room: () => roomOf(storage),
    all<Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]): Row[] {
      try {
        return storage.sql
          .exec(statement, ...values)
          .toArray()
          .map(withBytes) as unknown as Row[];
      } catch (error) {
        throw translateError(error);
      }
    },
    transaction: (work) => storage.transactionSync(work),
  };
}

/**
 * The runtime gives blobs as ArrayBuffers, the port as Uint8Arrays. Changes the row
 * in place: it is ours alone.
 */
function withBytes(
  row: Record<string, SqlStorageValue | Uint8Array>,
): Record<string, SqlStorageValue | Uint8Array> {
  for (const column in row) {
    const value = row[column];
    if (value instanceof ArrayBuffer) row[column] = new Uint8Array(value);
  }
  return row;
}

/**
 * The runtime's errors differ by their text only: it ends in the name of SQLite's
 * result code.
 */
function translateError(error: unknown): unknown {
  if (error instanceof Error && error.message.includes('SQLITE_FULL')) {
    return new StorageError('StorageFull', { cause: error });
  }
  return error;
}
