// The SQL port: what src/index needs of a SQLite database, wherever that is.

export type SqlValue = string | number | null | Uint8Array;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * A synchronous SQLite database: `node:sqlite` or a Durable Object's storage.
 * Statements are cached by their text.
 */
export type Sql = {
  /**
   * All rows of one statement. Text compares as UTF-8 bytes; integers are exact to
   * 2^53.
   */
  all<Row extends SqlRow>(statement: string, ...values: readonly SqlValue[]): Row[];
  /**
   * Runs `work` atomically: all of it, or nothing when it throws. One inside
   * another undoes itself alone.
   */
  transaction<Result>(work: () => Result): Result;
  /**
   * The latest time, milliseconds, up to which usage may be counted; absent: there
   * is no bound.
   */
  readonly latestMs?: () => number;
  /** How far the database may grow; absent: as far as the disk does. */
  readonly room?: () => DatabaseRoom;
};

/** Bytes of a database in use, free pages left out, and what it may have at most. */
export type DatabaseRoom = { readonly usedBytes: number; readonly maxBytes: number };
