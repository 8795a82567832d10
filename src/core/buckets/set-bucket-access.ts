import type { BucketAccess, BucketRecord } from '../../ports/domain.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from './bucket-handle.ts';

/** Replaces those settings of who may read without a signature that are given; the others stay. */
export function setBucketAccess(
  _core: Core,
  bucket: BucketHandle,
  access: Partial<BucketAccess>,
): Promise<BucketRecord> {
  return bucket.call('setBucketAccess', { access });
}
