// SQLite on Node behind the SQL port: one connection to one file, over node:sqlite.
// The writer thread opens one for writing and commits in batches; the main thread
// opens one for reading. Knows no table.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { StorageError } from '../../../domain/errors.ts';
import type { Sql, SqlRow, SqlValue } from '../../../ports/sql.ts';

export type NodeSqlite = Sql & {
  /**
   * Runs many transactions as one commit with one fsync; not nested. A
   * `transaction` inside that throws undoes itself alone. When `batch` throws a
   * StorageError, nothing of it is stored, whatever the transactions inside
   * returned; after any other error a failing disk may have it.
   */
  batch<Result>(work: () => Result): Result;
  /**
   * Closes the file; the last writer to close folds the write-ahead log into it.
   */
  close(): void;
};

/**
 * Bytes of a page of a new file: SQLite's default, and a Durable Object's.
 * schema.ts needs it.
 */
const PAGE_BYTES = 4096;
/**
 * Page cache of one connection, KiB. A memory map gained nothing (measured
 * 2026-11).
 */
const CACHE_KIB = 16 * 1024;
/**
 * How long a connection waits for another's lock, milliseconds: longer than any
 * batch.
 */
const BUSY_TIMEOUT_MS = 5000;
/** Pages of the write-ahead log that a commit folds into the file: 16 MiB. */
const CHECKPOINT_PAGES = 4000;
/**
 * Bytes of the log's file that stay when it begins anew. Under one long read
 * transaction (a backup, a check) the log only grows, and without this limit its
 * file would never shrink again.
 */
const LOG_KEPT_BYTES = 2 * CHECKPOINT_PAGES * PAGE_BYTES;

/** Result codes of SQLite, low byte. Source: https://sqlite.org/rescode.html */
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_FULL = 13;

type All = Sql['all'];

/**
 * Opens a database file, and makes it when it is not there and not `readOnly`;
 * ':memory:' is one of its own. A commit is durable when it returns (write-ahead
 * log, synchronous=FULL). Statements throw StorageFull on a full disk,
 * ServiceUnavailable after 5 s behind another's lock, otherwise node:sqlite's
 * error.
 */
export function openSqlite(path: string, options: { readOnly: boolean }): NodeSqlite {
  const db = new DatabaseSync(path, {
    readOnly: options.readOnly,
    enableForeignKeyConstraints: false,
  });
  db.exec(`
    PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};
    PRAGMA cache_size = -${CACHE_KIB};
    PRAGMA temp_store = MEMORY`);
  if (!options.readOnly) {
    db.exec(`
      PRAGMA page_size = ${PAGE_BYTES};
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      PRAGMA journal_size_limit = ${LOG_KEPT_BYTES}`);
  }
  return sqliteOver(db, options);
}

/** The port over a connection that is open already, set up as it is. */
export function sqliteOver(db: DatabaseSync, options: { readOnly: boolean }): NodeSqlite {
  const all = createAll(db);
  const begin = options.readOnly ? 'BEGIN' : 'BEGIN IMMEDIATE';
  return { all, ...createTransactions(db, all, begin), close: () => db.close() };
}

type Prepared = { readonly statement: StatementSync; names: readonly string[] };

/** Runs statements, each prepared once. */
function createAll(db: DatabaseSync): All {
  const statements = new Map<string, Prepared>();
  return <Row extends SqlRow>(text: string, ...values: readonly SqlValue[]): Row[] => {
    try {
      let prepared = statements.get(text);
      if (prepared === undefined) {
        prepared = { statement: db.prepare(text), names: [] };
        prepared.statement.setReturnArrays(true);
        statements.set(text, prepared);
      }
      return toRows<Row>(prepared, prepared.statement.all(...values) as unknown as SqlValue[][]);
    } catch (error) {
      throw translateError(error);
    }
  };
}

/**
 * Rows as objects of one shape. Those of node:sqlite are dictionaries, and reading
 * seven columns of each of 1,000 rows takes twice the time with them (measured
 * 2026-11).
 */
function toRows<Row extends SqlRow>(prepared: Prepared, tuples: readonly SqlValue[][]): Row[] {
  const width = tuples[0]?.length;
  if (width === undefined) return [];
  // Known after the first run; another width: a migration has changed the table
  // behind a `*`.
  if (width !== prepared.names.length)
    prepared.names = prepared.statement.columns().map((column) => column.name);
  const { names } = prepared;
  return tuples.map((values) => {
    const row: Record<string, SqlValue> = {};
    for (let at = 0; at < width; at++) row[names[at] ?? ''] = values[at] ?? null;
    return row as Row;
  });
}

function createTransactions(
  db: DatabaseSync,
  all: All,
  begin: string,
): Pick<NodeSqlite, 'transaction' | 'batch'> {
  let isBatch = false;
  /**
   * Why SQLite rolled back the whole batch with a failed transaction inside, as on
   * a full disk.
   */
  let loss: { readonly cause: unknown } | null = null;

  /**
   * Runs `work` between two statements; undoes it and rethrows when it or the end
   * throws.
   */
  function between<Result>(start: string, end: string, undo: string, work: () => Result): Result {
    all(start);
    try {
      const result = work();
      all(end);
      return result;
    } catch (error) {
      if (db.isTransaction) db.exec(undo);
      else if (isBatch) loss ??= { cause: error };
      throw error;
    }
  }

  return {
    transaction<Result>(work: () => Result): Result {
      // What ran after the loss of its batch would be committed on its own.
      if (loss !== null) throw loss.cause;
      return db.isTransaction
        ? between('SAVEPOINT one', 'RELEASE one', 'ROLLBACK TO one; RELEASE one', work)
        : between(begin, 'COMMIT', 'ROLLBACK', work);
    },

    batch<Result>(work: () => Result): Result {
      isBatch = true;
      try {
        return between(begin, 'COMMIT', 'ROLLBACK', () => {
          const result = work();
          // No result of a lost batch may get out as if it had been stored.
          if (loss !== null) throw loss.cause;
          return result;
        });
      } finally {
        isBatch = false;
        loss = null;
      }
    },
  };
}

function translateError(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return error;
  const code = error.errcode & 0xff;
  if (code === SQLITE_FULL) return new StorageError('StorageFull', { cause: error });
  if (code === SQLITE_BUSY || code === SQLITE_LOCKED)
    return new StorageError('ServiceUnavailable', { cause: error });
  return error;
}
