import type { BucketAccess, BucketRecord } from '../../ports/domain.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from './bucket-handle.ts';

/** Replaces who may read the bucket without a signature. */
export function setBucketAccess(_core: Core, bucket: BucketHandle, access: BucketAccess): Promise<BucketRecord> {
  return bucket.call('setBucketAccess', { access });
}
