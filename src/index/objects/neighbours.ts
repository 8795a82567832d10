// Reads neighbouring keys with their current objects, for the pages of pointers that
// readers keep. The bucket is looked up by its name, as in `resolve`.
import type { BucketName, ObjectKey, ObjectVersion } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';
import { AFTER_ALL_TEXT } from '../keys/key-order.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { decodeVersion, type VersionRow } from './object-rows.ts';
import { JOIN_BODY, VERSION_COLUMNS } from './read-versions.ts';

/** Keys from `from` on and before `to` (null: to the end). */
export type KeyRange = {
  readonly name: BucketName;
  readonly from: string;
  readonly to: string | null;
};

const OF_LIVE_BUCKET = `o.bucket = (SELECT n FROM buckets WHERE name = ? AND deleted_at_ms IS NULL)
  AND o.key >= ? AND o.key < ?`;

/** The first keys of the range in byte order. Cost: a row of an index for each. */
export function readNeighbourKeys(
  sql: Sql,
  { name, from, to }: KeyRange,
  max: number,
): readonly ObjectKey[] {
  const rows = sql.all<{ key: string }>(
    `SELECT o.key FROM objects AS o WHERE ${OF_LIVE_BUCKET} ORDER BY o.key LIMIT ${PLAN_ONCE} ?`,
    name,
    from,
    to ?? AFTER_ALL_TEXT,
    max,
  );
  return rows.map(({ key }) => key as ObjectKey);
}

/** Whether the bucket has more objects than that. Cost: a row of an index for each of them. */
export function hasMoreObjects(sql: Sql, name: BucketName, count: number): boolean {
  const rows = sql.all(
    `SELECT 1 FROM objects AS o WHERE ${OF_LIVE_BUCKET} LIMIT 1 OFFSET ${PLAN_ONCE} ?`,
    name,
    '',
    AFTER_ALL_TEXT,
    count,
  );
  return rows.length > 0;
}

/** All current objects of the range in byte order. Cost: at most two rows for each. */
export function readNeighbours(sql: Sql, { name, from, to }: KeyRange): readonly ObjectVersion[] {
  return sql
    .all<VersionRow>(
      `SELECT ${VERSION_COLUMNS} FROM objects AS o ${JOIN_BODY} WHERE ${OF_LIVE_BUCKET}
       ORDER BY o.key`,
      name,
      from,
      to ?? AFTER_ALL_TEXT,
    )
    .map(decodeVersion);
}
