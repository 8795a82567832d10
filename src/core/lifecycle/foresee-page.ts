// One page of a lifecycle run: subjects are read from the index, decided on, and
// the cursor of the next page is found. Called by runs, which act on it, and by dry
// runs, which show it.
import type {
  LifecycleConfiguration,
  LifecycleCursor,
  LifecycleSubject,
} from '../../domain/lifecycle.ts';
import type { Core } from '../core.ts';
import { rulesWithTrash } from '../key-jobs/trash.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import {
  decideLifecycle,
  type LifecycleDecision,
  type LifecycleMoment,
} from './decide-lifecycle.ts';
import { cursorAfter, cursorIn, planScan, type ScanStep, stepOf } from './plan-scan.ts';

/** A subject with the decision that is due. */
export type DueSubject = {
  readonly subject: LifecycleSubject;
  readonly decision: LifecycleDecision;
};

/** The plan of a run over a bucket: its rules, its moment and its steps. */
export type LifecycleWalk = {
  readonly lifecycle: LifecycleConfiguration;
  readonly moment: LifecycleMoment;
  readonly steps: readonly ScanStep[];
};

/**
 * Plans the walk over a bucket; null where it has no rules, or none that can be
 * due.
 */
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

/** Finds the cursor at which the walk begins or goes on; null where it is over. */
export function cursorOnWalk(
  { steps }: LifecycleWalk,
  from: LifecycleCursor | null,
): LifecycleCursor | null {
  return cursorIn(steps, from);
}

/** Reads and decides the page at a cursor of the walk. Cost: one index read. */
export async function foreseePage(
  bucket: BucketHandle,
  { lifecycle, moment, steps }: LifecycleWalk,
  cursor: LifecycleCursor,
): Promise<{ readonly due: readonly DueSubject[]; readonly next: LifecycleCursor | null }> {
  const step = stepOf(steps, cursor);
  if (step === null) return { due: [], next: null };
  const page = await bucket.call('scanLifecycle', { cursor: cursor, bounds: step.bounds });

  const due = page.subjects.flatMap((subject) => {
    const decision = decideLifecycle(lifecycle, subject, moment);
    return decision === null ? [] : [{ subject, decision }];
  });
  return { due, next: page.next ?? cursorAfter(steps, step) };
}
