// Every change of a bucket's settings, but for access, which set-bucket-access.ts
// changes.
import type { BucketSettings } from '../../domain/bucket-settings.ts';
import type { BucketRecord } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from './bucket-handle.ts';

/**
 * Replaces the settings that are named, null for none; the others stay.
 * InvalidBucketState. Cost: one commit.
 */
export function setBucketSettings(
  _core: Core,
  bucket: BucketHandle,
  settings: Partial<BucketSettings>,
): Promise<BucketRecord> {
  return bucket.call('setBucketSettings', { settings });
}
