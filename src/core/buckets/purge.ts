// Purges: they invalidate the pointers that tiers have cached, by key, prefix, tag,
// or of the whole bucket. Bodies never change and need no purge. Called by the S3
// surface and the JSON API; no list of what is cached exists anywhere.
import type { PurgeScope } from '../../domain/purge.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { tiersFreshByMs } from './fresh-by.ts';

/** The confirmation of a purge. */
export type PurgeReceipt = {
  /** An id for the owner's own records. */
  readonly id: string;
  /**
   * The invalidation watermark: the revision of the bucket below which cached
   * pointers of those keys are no longer used.
   */
  readonly floor: number;
  /**
   * The time from which no tier anywhere serves a purged pointer, unless it can't
   * reach the index; milliseconds since 1970.
   */
  readonly freshByMs: number;
};

/**
 * Raises the invalidation watermarks of scopes, of which there is at least one.
 * Cost: one commit.
 */
export async function purge(
  core: Core,
  bucket: BucketHandle,
  scopes: readonly PurgeScope[],
): Promise<PurgeReceipt> {
  const { revision } = await bucket.call('purgeBucket', { scopes });
  return {
    id: core.ports.ids.requestId(),
    floor: revision,
    freshByMs: tiersFreshByMs(core, bucket.record()),
  };
}
