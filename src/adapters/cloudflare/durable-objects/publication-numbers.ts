// The numbers of published records: they only grow, whatever becomes of the object
// of the bucket, since each start draws its own. hot-publisher.ts gives one to each
// state of a name.
import type { Schema } from '../../../index/tables/schema.ts';
import type { Sql } from '../../../ports/sql.ts';

/** Numbers that one start of the object may give out before it draws more. */
const SEQUENCES = 2 ** 30;

/** The table of this file, in the database of the bucket's index. */
export const PUBLICATION_SCHEMA: Schema = {
  name: 'publication',
  migrations: [
    [
      'CREATE TABLE publication (id INTEGER PRIMARY KEY CHECK (id = 1), ' +
        'last_sequence INTEGER NOT NULL) STRICT',
      'INSERT INTO publication (id, last_sequence) VALUES (1, 0)',
    ],
  ],
};

export type PublicationNumbers = {
  /** Whether an earlier start of the object gave any out. */
  readonly hasPublishedBefore: boolean;
  /**
   * Greater than any before. Cost: one row written by the first of a start, none by
   * the others.
   */
  next(): number;
};

/** Its table must exist. */
export function createPublicationNumbers(sql: Sql): PublicationNumbers {
  const [drawn] = sql.all<{ last_sequence: number }>(
    'SELECT last_sequence FROM publication WHERE id = 1',
  );
  let last = 0;
  let end = 0;
  return {
    hasPublishedBefore: drawn !== undefined && drawn.last_sequence > 0,
    next() {
      if (last === end) {
        const [row] = sql.all<{ last_sequence: number }>(
          'UPDATE publication SET last_sequence = last_sequence + ? WHERE id = 1 ' +
            'RETURNING last_sequence',
          SEQUENCES,
        );
        if (row === undefined) throw new Error('The publication table has lost its row.');
        end = row.last_sequence;
        last = end - SEQUENCES;
      }
      last += 1;
      return last;
    },
  };
}
