// The bucket that a call is about, by the number of its incarnation. A caller decides on a record;
// the owner changes the bucket; the call would act on old rights. Guard: each call names the
// record's id and revision, and is refused where they are others now. Every family of the index
// begins here.
import { StorageError } from '../domain/errors.ts';
import type { BucketAddress, BucketName, BucketRef } from '../domain/nouns.ts';
import type { Sql } from '../ports/sql.ts';

/**
 * The failure of a caller who decided on another revision or incarnation of the
 * bucket: it opens the bucket again.
 */
export function bucketChanged(name: BucketName): StorageError {
  return new StorageError('BucketChanged', { fields: { BucketName: name } });
}

/**
 * The number of the live bucket that the caller decided on. BucketChanged when it
 * is another incarnation or revision now.
 */
export function requireBucket(sql: Sql, bucket: BucketRef): number {
  const [row] = sql.all<{ n: number }>(
    'SELECT n FROM buckets WHERE id = ? AND name = ? AND revision = ? AND deleted_at_ms IS NULL',
    bucket.id,
    bucket.name,
    bucket.revision,
  );
  if (row === undefined) throw bucketChanged(bucket.name);
  return row.n;
}

/**
 * The number of a bucket's incarnation, deleted or not; null when the database has
 * no such one.
 */
export function findIncarnation(sql: Sql, bucket: BucketAddress): number | null {
  const [row] = sql.all<{ n: number }>(
    'SELECT n FROM buckets WHERE id = ? AND name = ?',
    bucket.id,
    bucket.name,
  );
  return row?.n ?? null;
}
