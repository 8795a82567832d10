// Every change of who may do what with a bucket goes through here, so that what everyone may read
// is worked out anew.
import type { BucketAccess } from '../../domain/bucket-access.ts';
import type { BucketRecord } from '../../domain/nouns.ts';
import { withPublicReads } from '../auth/public-reads.ts';
import type { BucketHandle } from './bucket-handle.ts';

/** What a caller may set; `publicReads` follows from it. */
export type AccessChange = Partial<Omit<BucketAccess, 'publicReads'>>;

/** Replaces those settings of who may do what that are given; the others stay. Cost: one commit. */
export function setBucketAccess(bucket: BucketHandle, change: AccessChange): Promise<BucketRecord> {
  return bucket.call('setBucketAccess', (record) => ({
    access: withPublicReads(record, { ...record.access, ...change }),
  }));
}

/**
 * Notes, before an ACL opens an object to everyone, that the bucket has such objects: from then on
 * strangers' reads look at objects. Costs a commit the first time in a bucket's life, nothing
 * after.
 */
export async function admitPublicObjects(bucket: BucketHandle): Promise<void> {
  if (!bucket.record().access.hasPublicObjects)
    await setBucketAccess(bucket, { hasPublicObjects: true });
}
