// Gives up multipart uploads that nobody goes on with, so that parts which nobody sees are not paid
// for for ever. Part of the sweep of every bucket. A bucket's own AbortIncompleteMultipartUpload
// rule goes before it: keys under such a rule's prefix are left to core/lifecycle, however long the
// rule waits.
import type { BucketName, BucketRecord } from '../../domain/nouns.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { UploadCursor } from '../../ports/index-calls/upload-calls.ts';
import { openUnchanging, whileUnchanged } from '../buckets/unchanging.ts';
import type { Core } from '../core.ts';
import type { PageBudget } from '../lifecycle/run-lifecycle.ts';

/**
 * Gives up what is stale, counted from an upload's last sign of life: its beginning or its last
 * part, whichever is later. So one that takes days, or is gone on with within the time, loses
 * nothing; S3's rules count from the beginning. `idleUploadMs`: since when the bucket's longest
 * resting one may rest. Cost: nothing where that is not long enough; else an index read, and a
 * commit for each 100 uploads.
 */
export async function abortStaleUploads(
  core: Core,
  name: BucketName,
  { idleUploadMs, budget }: { readonly idleUploadMs: number; readonly budget: PageBudget },
): Promise<void> {
  const { clock, log } = core.ports;
  const { staleUploadHours } = core.settings;
  const idleSinceMs = clock.nowMs() - staleUploadHours * HOUR_MS;
  if (staleUploadHours === 0 || idleUploadMs > idleSinceMs) return;
  let aborted = 0;
  let freedBytes = 0;
  await whileUnchanged(async () => {
    const bucket = await openUnchanging(core, name);
    const exceptPrefixes = ruledPrefixes(bucket.record());
    if (exceptPrefixes.includes('')) return;
    for (
      let after: UploadCursor | null = null;
      budget.pages > 0 && budget.stopping?.aborted !== true;
    ) {
      budget.pages -= 1;
      const done: { aborted: number; freedBytes: number; next: UploadCursor | null } =
        await bucket.call('abortStaleUploads', {
          idleSinceMs,
          exceptPrefixes,
          after,
          nowMs: clock.nowMs(),
        });
      aborted += done.aborted;
      freedBytes += done.freedBytes;
      after = done.next;
      if (after === null) return;
    }
  });
  if (aborted > 0) log.info('stale-uploads-aborted', { bucket: name, aborted, freedBytes });
}

/** Prefixes whose uploads a rule of the bucket gives up. Such rules know no tags and no sizes. */
function ruledPrefixes({ settings }: BucketRecord): readonly string[] {
  const rules = settings.lifecycle?.rules ?? [];
  return rules
    .filter((rule) => rule.isEnabled && rule.abortUploadsAfterDays !== null)
    .map((rule) => rule.filter.prefix ?? '');
}
