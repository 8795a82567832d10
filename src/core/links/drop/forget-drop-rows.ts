// Removes what strangers left behind at the drop links of a bucket. Called by the sweep.
import type { BucketAddress } from '../../../domain/nouns.ts';
import type { Core } from '../../core.ts';

/**
 * Removes unfinished files whose time is over, and senders who sent none for long.
 * `stopping`: ends it between two calls. Cost: a commit for some dozens of rows.
 */
export async function forgetDropRows(
  { ports: { clock, metadataIndex } }: Core,
  bucket: BucketAddress,
  stopping: AbortSignal | null,
): Promise<void> {
  for (let isDone = false; !isDone && stopping?.aborted !== true; ) {
    const input = { bucket, nowMs: clock.nowMs() };
    ({ isDone } = await metadataIndex.call(bucket.name, 'forgetDropRows', input));
  }
}
