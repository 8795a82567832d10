// Aborts stale multipart uploads, so that nobody pays for ever for parts which
// nobody sees. A step of the sweep of every bucket. A bucket's own
// AbortIncompleteMultipartUpload rule has precedence: keys under such a rule's
// prefix are left to core/lifecycle, however long the rule waits.
import type { BucketName, BucketRecord } from '../../domain/nouns.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { UploadCursor } from '../../ports/index-calls/upload-calls.ts';
import type { Core } from '../core.ts';
import type { PageBudget } from '../lifecycle/run-lifecycle.ts';
import { openUnchanging, whileUnchanged } from '../opened-bucket/unchanging.ts';

/**
 * Aborts uploads whose last activity is too long ago: their beginning or their last
 * part, whichever is later. An upload that takes days but goes on loses nothing;
 * S3's rules count from the beginning. `idleUploadMs`: a lower bound of the last
 * activity of all the bucket's uploads. Cost: nothing where that is young enough;
 * else an index read, and a commit for each 100 uploads.
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

    let after: UploadCursor | null = null;
    while (budget.pages > 0 && budget.stopping?.aborted !== true) {
      budget.pages -= 1;
      const page: { aborted: number; freedBytes: number; next: UploadCursor | null } =
        await bucket.call('abortStaleUploads', {
          idleSinceMs,
          exceptPrefixes,
          after,
          nowMs: clock.nowMs(),
        });
      aborted += page.aborted;
      freedBytes += page.freedBytes;
      after = page.next;
      if (after === null) return;
    }
  });
  if (aborted > 0) log.info('stale-uploads-aborted', { bucket: name, aborted, freedBytes });
}

/**
 * Lists the prefixes whose uploads a lifecycle rule aborts. Such rules have no tags
 * or sizes.
 */
function ruledPrefixes({ settings }: BucketRecord): readonly string[] {
  const rules = settings.lifecycle?.rules ?? [];
  return rules
    .filter((rule) => rule.isEnabled && rule.abortUploadsAfterDays !== null)
    .map((rule) => rule.filter.prefix ?? '');
}
