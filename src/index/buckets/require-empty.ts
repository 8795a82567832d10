// What prevents the deletion of a bucket, counted for who tries. Called in the
// commit of the deletion.

import { StorageError } from '../../domain/errors.ts';
import type { BucketName } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';

/**
 * Rows that are counted of each kind: beyond, a count would hold up the writer of
 * all buckets.
 */
const COUNTED_MAX = 1000;

type Left = { objects: number; versions: number; markers: number; uploads: number };

const counted = (table: string, condition = '') =>
  `(SELECT count(*)
   FROM (SELECT 1 FROM ${table} WHERE bucket = ?1 ${condition} LIMIT ${COUNTED_MAX + 1}))`;
// `is_marker` has no index: of many versions only the first are looked at.
const VERSIONS = `(SELECT is_marker FROM versions WHERE bucket = ?1 LIMIT ${COUNTED_MAX + 1})`;
const LEFT = `SELECT ${counted('objects')} AS objects, ${counted('uploads')} AS uploads,
  (SELECT count(*) FROM ${VERSIONS} WHERE is_marker = 0) AS versions,
  (SELECT count(*) FROM ${VERSIONS} WHERE is_marker = 1) AS markers`;

/**
 * BucketNotEmpty where objects, older versions or delete markers are left; its
 * message counts them, and unfinished uploads, which alone prevent nothing. So does
 * what has come in from another shard, under the negative number. Cost: some index
 * look-ups, 1,000 rows of each kind at most when it is refused.
 */
export function requireEmpty(sql: Sql, n: number, name: BucketName): void {
  const [rows] = sql.all<{ has_any: number }>(
    `SELECT EXISTS (SELECT 1 FROM objects WHERE bucket = ?1)
         OR EXISTS (SELECT 1 FROM versions WHERE bucket = ?1)
         OR EXISTS (SELECT 1 FROM objects WHERE bucket = -?1)
         OR EXISTS (SELECT 1 FROM versions WHERE bucket = -?1)
         OR EXISTS (SELECT 1 FROM uploads WHERE bucket = -?1) AS has_any`,
    n,
  );
  if (rows?.has_any === 0) return;
  const [left] = sql.all<Left>(LEFT, n);
  const detail =
    left === undefined
      ? {}
      : { detail: `The bucket you tried to delete is not empty: ${listOf(left)}.` };
  throw new StorageError('BucketNotEmpty', { ...detail, fields: { BucketName: name } });
}

function listOf({ objects, versions, markers, uploads }: Left): string {
  // Versions and markers are counted together, so at the limit either may go on.
  const isCut = versions + markers > COUNTED_MAX;
  const parts = [
    part(objects, objects > COUNTED_MAX, 'object'),
    part(versions, isCut, 'older version'),
    part(markers, isCut, 'delete marker'),
    part(uploads, uploads > COUNTED_MAX, 'unfinished upload'),
  ];
  return parts.filter((text) => text !== null).join(', ');
}

/** Null: there is none. */
function part(count: number, isCut: boolean, noun: string): string | null {
  if (count === 0) return null;
  const shown = isCut ? `at least ${Math.min(count, COUNTED_MAX)}` : `${count}`;
  return `${shown} ${noun}${shown === '1' ? '' : 's'}`;
}
