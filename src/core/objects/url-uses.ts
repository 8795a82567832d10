// Uses of a presigned URL that may be used a limited number of times. A use is taken
// before the body is read and given back when the write surely failed, so that of
// many requests at once never more succeed than the URL allows. Called by the S3
// surface.

import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { mayHaveLanded } from './commit-or-discard.ts';

/** A URL whose uses are counted. */
export type CountedUrl = {
  /** Digest of its signature, hex: nothing that would let anybody use it. */
  readonly id: string;
  readonly maxUses: number;
  /** Longest life of a URL of its kind; its count is forgotten afterwards. */
  readonly ttlSeconds: number;
};

/**
 * Runs a write as one use of a URL. AccessDenied when all uses are taken, and what
 * `write` throws. A process that ends meanwhile leaves the use taken. Cost: one
 * commit, and another when the write is refused.
 */
export async function withUrlUse<Result>(
  core: Core,
  bucket: BucketHandle,
  { id, maxUses, ttlSeconds }: CountedUrl,
  write: () => Promise<Result>,
): Promise<Result> {
  const nowMs = core.ports.clock.nowMs();
  const expiresAtMs = nowMs + ttlSeconds * 1000;
  await bucket.call('takeUrlUse', { id, maxUses, nowMs, expiresAtMs });
  try {
    return await write();
  } catch (error) {
    if (!mayHaveLanded(error)) {
      core.ports.background.run('release-url-use', async () => {
        await bucket.call('releaseUrlUse', { id });
      });
    }
    throw error;
  }
}
