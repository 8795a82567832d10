// The dry run of a lifecycle, in pages: what is due comes from foresee-page.ts, as
// in real runs. Called by the JSON API.
import { LIFECYCLE_PAGE_MAX, type LifecycleCursor } from '../../domain/lifecycle.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { cursorOnWalk, type DueSubject, foreseePage, planWalk } from './foresee-page.ts';

/** Pages of the index that one response may read. */
const MAX_PAGES = 20;
/** Items of one response. */
const MAX_ITEMS = 1000;

/**
 * One response. `next` null: it is the last. It may be short, or empty, and yet not
 * the last.
 */
export type LifecyclePreview = {
  readonly due: readonly DueSubject[];
  readonly next: LifecycleCursor | null;
};

/**
 * Lists what the rules would delete, hide or move to another class at `atMs`, of
 * the objects that exist now. Nothing is changed. Cost: up to 20 pages of the
 * index.
 */
export async function previewLifecycle(
  core: Core,
  bucket: BucketHandle,
  { atMs, from }: { readonly atMs: number; readonly from: LifecycleCursor | null },
): Promise<LifecyclePreview> {
  const walk = planWalk(core, bucket, atMs);
  if (walk === null) return { due: [], next: null };

  const due: DueSubject[] = [];
  const hasRoom = () => due.length <= MAX_ITEMS - LIFECYCLE_PAGE_MAX;
  let cursor = cursorOnWalk(walk, from);
  for (let pages = 0; cursor !== null && pages < MAX_PAGES && hasRoom(); pages++) {
    const page = await foreseePage(bucket, walk, cursor);
    due.push(...page.due);
    cursor = page.next;
  }
  return { due, next: cursor };
}
