// Applies the lifecycle rules of one bucket, in the scheduled sweep. Each page is a
// short read and, where something is due, one commit that stores the cursor too. A
// run that is interrupted goes on from its cursor in the next sweep. Each bucket
// has one run a day, after the midnight that makes things due, and a new one when
// its rules changed.

import type { LifecycleAction, LifecycleCounts, LifecycleRun } from '../../domain/lifecycle.ts';
import type { BucketName } from '../../domain/nouns.ts';
import { DAY_MS, startOfDay } from '../../domain/time.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { openUnchanging, whileUnchanged } from '../opened-bucket/unchanging.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import {
  cursorOnWalk,
  type DueSubject,
  foreseePage,
  type LifecycleWalk,
  planWalk,
} from './foresee-page.ts';

/**
 * Pages without anything due after which the cursor is stored all the same. Our own
 * limit.
 */
const PAGES_BETWEEN_COMMITS = 50;

/**
 * The pages that a sweep may still read, for all its buckets together; 0 once it is
 * to stop.
 */
export type PageBudget = { pages: number; readonly stopping: AbortSignal | null };

/** The counts of a run that did nothing. */
export const NO_COUNTS: LifecycleCounts = { expire: 0, remove: 0, transition: 0, abort: 0 };

/** Adds counts of runs. */
export function addCounts(a: LifecycleCounts, b: LifecycleCounts): LifecycleCounts {
  return {
    expire: a.expire + b.expire,
    remove: a.remove + b.remove,
    transition: a.transition + b.transition,
    abort: a.abort + b.abort,
  };
}

/**
 * Starts, resumes or skips the run of a bucket; returns what it did. Cost: nothing
 * where no rule can be due; one index read where the day's run is over. Else one
 * read for each page, and a commit for each page with something due.
 */
export async function runLifecycle(
  core: Core,
  name: BucketName,
  budget: PageBudget,
): Promise<LifecycleCounts> {
  const total = { counts: NO_COUNTS };
  await whileUnchanged(async () => {
    const bucket = await openUnchanging(core, name);
    const walk = planWalk(core, bucket, core.ports.clock.nowMs());
    if (walk === null) return;
    const run = nextRun(await bucket.call('getLifecycleRun', {}), walk);
    if (run !== null) await advance(core, bucket, { walk, run, budget, total });
  });
  return total.counts;
}

type RunInProgress = {
  readonly walk: LifecycleWalk;
  readonly run: LifecycleRun;
  readonly budget: PageBudget;
  readonly total: { counts: LifecycleCounts };
};

/** Advances a run page by page until it or the budget ends. */
async function advance(
  core: Core,
  bucket: BucketHandle,
  { walk, run, budget, total }: RunInProgress,
): Promise<void> {
  let cursor = cursorOnWalk(walk, run.place);
  for (let uncommitted = 1; cursor !== null && budget.pages > 0; uncommitted++) {
    budget.pages = budget.stopping?.aborted === true ? 0 : budget.pages - 1;
    const { due, next } = await foreseePage(bucket, walk, cursor);
    cursor = next;

    const isEnd = cursor === null || budget.pages === 0;
    if (due.length > 0 || isEnd || uncommitted >= PAGES_BETWEEN_COMMITS) {
      const counts = await bucket.call('applyLifecycle', {
        actions: due.map((one) => toAction(core, one)),
        run: { ...run, place: cursor },
        nowMs: core.ports.clock.nowMs(),
      });
      total.counts = addCounts(total.counts, counts);
      uncommitted = 0;
    }
    await yieldToEventLoop();
  }
}

/** Finds the run to resume, or makes a new one; null when today's is over. */
function nextRun(
  latest: LifecycleRun | null,
  { lifecycle, moment }: LifecycleWalk,
): LifecycleRun | null {
  const { setAtMs } = lifecycle;
  const { nowMs, dayMs } = moment;
  const fresh = { setAtMs, startedAtMs: nowMs, place: null };
  if (latest === null || latest.setAtMs !== setAtMs) return fresh;
  if (latest.place !== null) return latest;
  // A day that tests make short has no midnight: then each sweep starts a run.
  const isOver = dayMs === DAY_MS && startOfDay(latest.startedAtMs) === startOfDay(nowMs);
  return isOver ? null : fresh;
}

function toAction(core: Core, { subject, decision }: DueSubject): LifecycleAction {
  const { key } = subject;
  if (subject.kind === 'upload') return { kind: 'abort', key, uploadId: subject.uploadId };
  const { versionId } = subject;
  switch (decision.kind) {
    case 'transition':
      return { kind: 'transition', key, versionId, storageClass: decision.storageClass };
    case 'expire':
      return { kind: 'expire', key, versionId, markerId: core.ports.ids.versionId() };
    default:
      return { kind: 'remove', key, versionId };
  }
}
