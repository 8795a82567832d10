// One page of what rules do: read from the index, decided, and where the next one begins. Runs act
// on it, dry runs show it.
import type {
  LifecycleConfiguration,
  LifecycleCursor,
  LifecycleSubject,
} from '../../domain/lifecycle.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';
import { rulesWithTrash } from '../key-jobs/trash.ts';
import {
  decideLifecycle,
  type LifecycleDecision,
  type LifecycleMoment,
} from './decide-lifecycle.ts';
import { cursorAfter, cursorIn, planScan, type ScanStep, stepOf } from './plan-scan.ts';

/** Something with what is due for it. */
export type DueSubject = {
  readonly subject: LifecycleSubject;
  readonly decision: LifecycleDecision;
};

/** What a walk over a bucket goes by. */
export type LifecycleWalk = {
  readonly lifecycle: LifecycleConfiguration;
  readonly moment: LifecycleMoment;
  readonly steps: readonly ScanStep[];
};

/** The walk over a bucket at a moment; null where it has no rules, or none that can be due. */
export function planWalk(
  { settings }: Core,
  bucket: BucketHandle,
  nowMs: number,
): LifecycleWalk | null {
  const { versioning } = bucket.record().settings;
  const lifecycle = rulesWithTrash(bucket.record().settings);
  if (lifecycle === null) return null;
  const moment = {
    nowMs,
    dayMs: settings.lifecycleDaySeconds * 1000,
    keepsVersions: versioning !== null,
    moveMinBytes: settings.transitionMinBytes,
  };
  const steps = planScan(lifecycle, moment);
  return steps.length === 0 ? null : { lifecycle, moment, steps };
}

/** Where the walk begins, or goes on; null where it is over. */
export function cursorOnWalk(
  { steps }: LifecycleWalk,
  from: LifecycleCursor | null,
): LifecycleCursor | null {
  return cursorIn(steps, from);
}

/** The page at a place of the walk. Cost: one index read. */
export async function foreseePage(
  bucket: BucketHandle,
  { lifecycle, moment, steps }: LifecycleWalk,
  place: LifecycleCursor,
): Promise<{ readonly due: readonly DueSubject[]; readonly next: LifecycleCursor | null }> {
  const step = stepOf(steps, place);
  if (step === null) return { due: [], next: null };
  const page = await bucket.call('scanLifecycle', { place, bounds: step.bounds });
  const due = page.subjects.flatMap((subject) => {
    const decision = decideLifecycle(lifecycle, subject, moment);
    return decision === null ? [] : [{ subject, decision }];
  });
  return { due, next: page.next ?? cursorAfter(steps, step) };
}
