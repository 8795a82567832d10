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
  /**
   * Takes a change of a row that other commands of a group change, too, and writes it
   * with theirs at the end of the group. False: there is no group, the caller writes.
   */
  readonly share?: (change: SharedChange) => boolean;
};

/**
 * A change of the row of that name. `write` is called once with the values of all
 * changes of it, in their order; which change brings it does not matter.
 */
export type SharedChange = {
  readonly row: string;
  readonly values: readonly unknown[];
  readonly write: (values: readonly unknown[]) => void;
};

/** Bytes of a database in use, free pages left out, and what it may have at most. */
export type DatabaseRoom = { readonly usedBytes: number; readonly maxBytes: number };
