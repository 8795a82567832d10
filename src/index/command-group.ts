// Changes of a row that many would write for themselves, and that is written once at
// the end instead: each row costs on Cloudflare. Within one command that changes many
// objects it is `once`. Commands that come at once to a Durable Object are run
// together: each is atomic by itself, and all become durable at once.
import type { SharedChange, Sql } from '../ports/sql.ts';

export type CommandGroups = {
  /** The database for the commands. Outside of a group nothing differs. */
  readonly sql: Sql;
  /**
   * Runs commands in one transaction, in order. One that fails undoes itself and gives
   * a result that is not ok; what a command throws undoes all.
   */
  run<Result extends { readonly isOk: boolean }>(commands: readonly (() => Result)[]): Result[];
  /**
   * Runs one command, which is in a transaction already, and does not read what it
   * shares. What it throws passes, and nothing that it shared is written.
   */
  once<Result>(command: () => Result): Result;
};

/** Groups over a database, which may have groups of its own around these. */
export function createCommandGroups(base: Sql): CommandGroups {
  /** The changes of the command that runs in a group. */
  let ownChanges: SharedChange[] | null = null;

  const share = (change: SharedChange): boolean => {
    if (ownChanges === null) return base.share?.(change) ?? false;
    ownChanges.push(change);
    return true;
  };

  /** Gives the result, and the changes that are to be written. */
  function collect<Result>(command: () => Result): { result: Result; changes: SharedChange[] } {
    const changes: SharedChange[] = [];
    ownChanges = changes;
    try {
      return { result: command(), changes };
    } finally {
      ownChanges = null;
    }
  }

  return {
    sql: { ...base, share },
    run(commands) {
      return base.transaction(() => {
        const merged = new Map<string, SharedChange>();
        const results = commands.map((command) => {
          const { result, changes } = collect(command);
          if (result.isOk) for (const change of changes) merge(merged, change);
          return result;
        });
        for (const { write, values } of merged.values()) write(values);
        return results;
      });
    },
    once(command) {
      const { result, changes } = collect(command);
      const merged = new Map<string, SharedChange>();
      for (const change of changes) merge(merged, change);
      for (const { write, values } of merged.values()) write(values);
      return result;
    },
  };
}

function merge(changes: Map<string, SharedChange>, change: SharedChange): void {
  const former = changes.get(change.row);
  const values = former === undefined ? change.values : [...former.values, ...change.values];
  changes.set(change.row, { ...change, values });
}
