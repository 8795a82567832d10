// Commands that are run together: each is atomic by itself, all become durable at
// once, and a row that each of them would write for itself is written once, at the
// end. A Durable Object runs commits so that come at once: each row costs.
import type { SharedChange, Sql } from '../ports/sql.ts';

export type CommandGroups = {
  /** The database for the commands. Outside of a group nothing differs. */
  readonly sql: Sql;
  /**
   * Runs commands in one transaction, in order. One that fails undoes itself and gives
   * a result that is not ok; what a command throws undoes all.
   */
  run<Result extends { readonly isOk: boolean }>(commands: readonly (() => Result)[]): Result[];
};

export function createCommandGroups(base: Sql): CommandGroups {
  /** The changes of the command that runs in a group. */
  let ownChanges: SharedChange[] | null = null;

  const share = (change: SharedChange): boolean => {
    ownChanges?.push(change);
    return ownChanges !== null;
  };

  return {
    sql: { ...base, share },
    run(commands) {
      return base.transaction(() => {
        const changes = new Map<string, SharedChange>();
        const results = commands.map((command) => {
          ownChanges = [];
          try {
            const result = command();
            if (result.isOk) for (const change of ownChanges) merge(changes, change);
            return result;
          } finally {
            ownChanges = null;
          }
        });
        for (const { write, values } of changes.values()) write(values);
        return results;
      });
    },
  };
}

function merge(changes: Map<string, SharedChange>, change: SharedChange): void {
  const former = changes.get(change.row);
  const values = former === undefined ? change.values : [...former.values, ...change.values];
  changes.set(change.row, { ...change, values });
}
