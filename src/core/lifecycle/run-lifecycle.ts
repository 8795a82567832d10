// Carries out the rules of one bucket, in the scheduled sweep: page by page, each a short read and,
// where something is due, one commit that also remembers the place. A run that is cut short, or
// dies, goes on from there in the next sweep. A bucket is gone through once a day, after the
// midnight that makes things due, and anew when its rules changed.

import type { LifecycleAction, LifecycleCounts, LifecycleRun } from '../../domain/lifecycle.ts';
import type { BucketName } from '../../domain/nouns.ts';
import { DAY_MS, startOfDay } from '../../domain/time.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import { openUnchanging, whileUnchanged } from '../buckets/unchanging.ts';
import type { Core } from '../core.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import {
  cursorOnWalk,
  type DueSubject,
  foreseePage,
  type LifecycleWalk,
  planWalk,
} from './foresee-page.ts';

/** Pages without anything due after which the place is remembered all the same. */
const PAGES_BETWEEN_NOTES = 50;

/** How many pages may still be read, none once it is to stop; shared by all buckets of a sweep. */
export type PageBudget = { pages: number; readonly stopping: AbortSignal | null };

/** Nothing took place. */
export const NO_COUNTS: LifecycleCounts = { expire: 0, remove: 0, transition: 0, abort: 0 };

/** Adds up what took place. */
export function addCounts(a: LifecycleCounts, b: LifecycleCounts): LifecycleCounts {
  return {
    expire: a.expire + b.expire,
    remove: a.remove + b.remove,
    transition: a.transition + b.transition,
    abort: a.abort + b.abort,
  };
}

/**
 * Begins, goes on with or leaves out a run; gives what took place. Cost: nothing where no rule can
 * be due; one index read where the day's run is over; else one for each page, and a commit for each
 * with something due.
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
    const run = runToGoOn(await bucket.call('getLifecycleRun', {}), walk);
    if (run !== null) await goOn(core, bucket, { walk, run, budget, total });
  });
  return total.counts;
}

type Going = {
  readonly walk: LifecycleWalk;
  readonly run: LifecycleRun;
  readonly budget: PageBudget;
  readonly total: { counts: LifecycleCounts };
};

async function goOn(
  core: Core,
  bucket: BucketHandle,
  { walk, run, budget, total }: Going,
): Promise<void> {
  let place = cursorOnWalk(walk, run.place);
  for (let unnoted = 1; place !== null && budget.pages > 0; unnoted++) {
    budget.pages = budget.stopping?.aborted === true ? 0 : budget.pages - 1;
    const { due, next } = await foreseePage(bucket, walk, place);
    place = next;
    if (due.length > 0 || place === null || budget.pages === 0 || unnoted >= PAGES_BETWEEN_NOTES) {
      const actions = due.map((one) => toAction(core, one));
      const nowMs = core.ports.clock.nowMs();
      const done = await bucket.call('applyLifecycle', { actions, run: { ...run, place }, nowMs });
      total.counts = addCounts(total.counts, done);
      unnoted = 0;
    }
    await yieldToEventLoop();
  }
}

/** The run to go on with, a new one, or null when today's is over. */
function runToGoOn(
  known: LifecycleRun | null,
  { lifecycle, moment }: LifecycleWalk,
): LifecycleRun | null {
  const { setAtMs } = lifecycle;
  const { nowMs, dayMs } = moment;
  const fresh = { setAtMs, startedAtMs: nowMs, place: null };
  if (known === null || known.setAtMs !== setAtMs) return fresh;
  if (known.place !== null) return known;
  // A day that was made short has no midnight: then each sweep looks anew.
  const isOver = dayMs === DAY_MS && startOfDay(known.startedAtMs) === startOfDay(nowMs);
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
