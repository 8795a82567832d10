// The dry run of a lifecycle, in pages. What is due is foresee-page.ts's, as in the runs that carry
// rules out.
import { LIFECYCLE_PAGE_MAX, type LifecycleCursor } from '../../domain/lifecycle.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';
import { cursorOnWalk, type DueSubject, foreseePage, planWalk } from './foresee-page.ts';

/** Pages of the index that one answer may read. */
const MAX_PAGES = 20;
/** What one answer lists at most. */
const MAX_ITEMS = 1000;

/** `next` null: that was all. An answer may be short, or empty, and yet not the last. */
export type LifecyclePreview = {
  readonly due: readonly DueSubject[];
  readonly next: LifecycleCursor | null;
};

/**
 * The dry run: what would go, be hidden or change its class if the rules were carried out at `atMs`
 * on what there is now. Nothing is done. Cost: up to 20 pages of the index.
 */
export async function previewLifecycle(
  core: Core,
  bucket: BucketHandle,
  { atMs, from }: { readonly atMs: number; readonly from: LifecycleCursor | null },
): Promise<LifecyclePreview> {
  const walk = planWalk(core, bucket, atMs);
  if (walk === null) return { due: [], next: null };
  const due: DueSubject[] = [];
  let place = cursorOnWalk(walk, from);
  for (
    let pages = 0;
    place !== null && pages < MAX_PAGES && due.length <= MAX_ITEMS - LIFECYCLE_PAGE_MAX;
    pages++
  ) {
    const page = await foreseePage(bucket, walk, place);
    due.push(...page.due);
    place = page.next;
  }
  return { due, next: place };
}
