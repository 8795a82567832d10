// Every change of access to a bucket goes through here, so that the prefixes which
// everyone may read are computed anew.
import type { BucketAccess } from '../../domain/bucket-access.ts';
import type { BucketRecord } from '../../domain/nouns.ts';
import { withPublicReads } from '../auth/public-reads.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';

/**
 * The access settings that a caller may change; `publicReads` is computed from
 * them.
 */
export type AccessChange = Partial<Omit<BucketAccess, 'publicReads'>>;

/**
 * Replaces the access settings that the change names; the others stay. Cost: one
 * commit.
 */
export function setBucketAccess(bucket: BucketHandle, change: AccessChange): Promise<BucketRecord> {
  return bucket.call('setBucketAccess', (record) => ({
    access: withPublicReads(record, { ...record.access, ...change }),
  }));
}

/**
 * Notes that the bucket has objects which an ACL opens to everyone, before the
 * first one is written. From then on anonymous reads check the object. Cost: a
 * commit the first time, nothing after.
 */
export async function admitPublicObjects(bucket: BucketHandle): Promise<void> {
  if (!bucket.record().access.hasPublicObjects)
    await setBucketAccess(bucket, { hasPublicObjects: true });
}
