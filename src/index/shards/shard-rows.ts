// The state of a shard in its row. What has come in and is not adopted stands in the
// tables of all rows, under the negative number of the bucket, where no other call
// looks. Called by the steps of a move (shards.ts).
import type { BucketAddress, BucketId, BucketName } from '../../domain/nouns.ts';
import type { ShardState } from '../../ports/index-calls/shard-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { bucketChanged } from '../require-bucket.ts';

/** What stands in the JSON text of a row. */
type StoredState = Omit<ShardState, 'bucket' | 'revision' | 'record'> & {
  /**
   * What deduplication saves by rows that came in and are not adopted, by storage class:
   * the totals hear of it with the rows.
   */
  readonly withheld: Readonly<Record<string, number>>;
};

/** A shard with its number in this database. */
export type Shard = { readonly n: number; readonly state: ShardState & StoredState };

/** The state of a shard that has just been made. */
export const NO_KEYS: StoredState = {
  range: null,
  frozen: null,
  incoming: null,
  gave: null,
  adopted: {},
  made: 0,
  withheld: {},
};

type ShardRow = {
  readonly n: number;
  readonly id: string;
  readonly name: string;
  readonly revision: number;
  readonly record_revision: number | null;
  readonly state: string;
};
const COLUMNS = 'n, id, name, revision, record_revision, state';

function decodeShard(row: ShardRow): Shard {
  const bucket = { id: row.id as BucketId, name: row.name as BucketName };
  const stored = JSON.parse(row.state) as StoredState;
  const record = row.record_revision ?? row.revision;
  return { n: row.n, state: { ...stored, bucket, revision: row.revision, record } };
}

/** The shard of a live bucket; null: that has no state. */
export function findShard(sql: Sql, name: BucketName): Shard | null {
  const [row] = sql.all<ShardRow>(
    `SELECT ${COLUMNS} FROM buckets JOIN shards ON shards.bucket = n
     WHERE name = ? AND deleted_at_ms IS NULL`,
    name,
  );
  return row === undefined ? null : decodeShard(row);
}

/** Shards beside the roots of a name, which may be deleted. */
export function countShards(sql: Sql, name: BucketName): number {
  const [row] = sql.all<{ made: number | null }>(
    `SELECT max(state ->> '$.made') AS made
     FROM buckets JOIN shards ON shards.bucket = n WHERE name = ?`,
    name,
  );
  return row?.made ?? 0;
}

/** The shard of that incarnation, which must live. BucketChanged. */
export function requireShard(sql: Sql, { id, name }: BucketAddress): Shard {
  const shard = findShard(sql, name);
  if (shard?.state.bucket.id !== id) throw bucketChanged(name);
  return shard;
}

/** The state as callers get it. */
export function publicState({ state }: Shard): ShardState {
  const { withheld: _withheld, ...known } = state;
  return known;
}

/** A change of the state; `record`: the revision of the bucket's record, as it came. */
type StateChange = Partial<StoredState & Pick<ShardState, 'record'>>;

/** Changes the state, which moves the revision on. */
export function changeState(sql: Sql, shard: Shard, change: StateChange): ShardState {
  const next = { ...shard.state, ...change, revision: shard.state.revision + 1 };
  const { bucket: _bucket, revision: _revision, record: _record, ...stored } = next;
  sql.all(
    'INSERT OR REPLACE INTO shards (bucket, state) VALUES (?, ?)',
    shard.n,
    JSON.stringify(stored satisfies StoredState),
  );
  sql.all('UPDATE buckets SET revision = revision + 1 WHERE n = ?', shard.n);
  if (change.record !== undefined)
    sql.all('UPDATE buckets SET record_revision = ? WHERE n = ?', change.record, shard.n);
  return publicState({ n: shard.n, state: next });
}

/** Notes with the shard whether a cap looks at its bucket. */
export function setCapped(sql: Sql, { n }: Shard, isCapped: boolean): void {
  sql.all(
    `UPDATE buckets SET settings = json_set(settings, '$.isCapped', json(?)) WHERE n = ?`,
    isCapped ? 'true' : 'null',
    n,
  );
}
