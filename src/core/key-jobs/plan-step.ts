// Plans one step of a job: reads the next keys and says what is to be done with each.
// Copies into another bucket are made here, before the step; all else is done by the
// commit of the step. Called by run-key-job.ts.

import {
  isRelocation,
  KEY_STEP_MAX,
  type KeyAction,
  type KeyJob,
  type KeyJobFailure,
  type KeyJobTask,
  type RelocationTask,
} from '../../domain/keys/key-jobs.ts';
import type { ObjectKey } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import {
  ACROSS_STEP,
  type CopyAcross,
  copyAcross,
  doneOf,
  openTarget,
  refusedOf,
} from './copy-across.ts';
import { candidatesOf, newKeys, stayingPrefix } from './key-tasks.ts';
import { type KeyCursor, type NextKeys, nextKeys } from './next-keys.ts';
import { EDIT_STEP, planEdits } from './plan-edit.ts';
import { planUndo } from './plan-undo.ts';

type RenameTask = Extract<KeyJobTask, { kind: 'rename' }>;

/** One step: its actions, and the cursor behind it. */
export type Step = {
  readonly actions: readonly KeyAction[];
  readonly next: KeyCursor;
  /** The cursor behind each action, where one may have more to do. */
  readonly cursors?: readonly KeyCursor[];
  /** What was done in another bucket. */
  readonly elsewhere: { readonly done?: number; readonly bytes?: number };
  /** Keys that stay as they are. */
  readonly refused?: readonly KeyJobFailure[];
  readonly isLast: boolean;
};

/** Plans the next step of a job. Cost: some index reads; copies into other buckets. */
export async function planStep(core: Core, bucket: BucketHandle, job: KeyJob): Promise<Step> {
  const { task } = job;
  const { ids } = core.ports;
  if (task.kind === 'undo') return planUndo(core, bucket, job, task);
  if (isRelocation(task) && task.toBucket !== null) return planAcross(core, bucket, job, task);

  if (task.kind === 'edit') {
    const { keys, next, isLast } = await nextKeys(bucket, job, task, EDIT_STEP);
    const planned = await planEdits(core, bucket, keys, task.change);
    return { ...planned, next, elsewhere: {}, isLast };
  }

  const page = await nextKeys(bucket, job, task, KEY_STEP_MAX);
  switch (task.kind) {
    case 'move':
    case 'copy':
      return planWithin(core, page, task);
    case 'rename':
      return planRenamed(core, page, task);
    case 'delete':
      return planEach(page, (key) => ({
        kind: 'hide',
        key,
        markerId: ids.versionId(),
        onlyVersionId: null,
        movedTo: null,
      }));
    case 'restore':
      return planEach(page, (key) => ({ kind: 'unhide', key, onlyMarkerId: null }));
    case 'purge':
      return planEach(page, (key) => ({ kind: 'purge', key }));
    case 'erase':
      return planEach(page, (key) => ({ kind: 'erase', key }));
  }
}

function planEach(page: NextKeys, action: (key: ObjectKey) => KeyAction): Step {
  const { keys, next, cursors, isLast } = page;
  return { actions: keys.map(action), next, cursors, elsewhere: {}, isLast };
}

/** Plans a move or copy inside the bucket. */
function planWithin(core: Core, page: NextKeys, task: RelocationTask): Step {
  const { ids } = core.ports;
  const staying = stayingPrefix(task);
  const actions: KeyAction[] = [];
  const refused: KeyJobFailure[] = [];
  for (const [i, key] of page.keys.entries()) {
    const stays = staying !== null && key.startsWith(staying);
    // The cursor names no key where the job lists its keys.
    if (stays && page.cursors[i]?.after !== '') continue;
    const toKeys = stays ? [] : newKeys(task, key);
    const common = { key, toKeys, versionId: ids.versionId() };
    const mayReplace = task.conflict === 'replace';
    if (toKeys.length === 0) refused.push({ key, reason: 'conflict' });
    else if (task.kind === 'copy') actions.push({ kind: 'copy', ...common, mayReplace });
    else actions.push({ kind: 'move', ...common, markerId: ids.versionId(), mayReplace });
  }

  // The rest of the keys that stay is skipped as a whole: no key with their prefix
  // is greater.
  const isAtStaying = staying !== null && page.next.after.startsWith(staying);
  const next = isAtStaying ? { ...page.next, after: `${staying}\u{10ffff}` } : page.next;
  return { actions, next, elsewhere: {}, refused, isLast: page.isLast };
}

/** Plans a rename of keys that were listed with their new ones. */
function planRenamed(core: Core, page: NextKeys, { conflict }: RenameTask): Step {
  const { ids } = core.ports;
  const actions: KeyAction[] = [];
  const refused: KeyJobFailure[] = [];
  for (const [i, key] of page.keys.entries()) {
    const toKey = page.toKeys?.[i] ?? null;
    if (toKey === null) refused.push({ key, reason: 'conflict' });
    else {
      actions.push({
        kind: 'move',
        key,
        toKeys: candidatesOf(toKey, conflict),
        versionId: ids.versionId(),
        markerId: ids.versionId(),
        mayReplace: conflict === 'replace',
      });
    }
  }
  return { actions, next: page.next, elsewhere: {}, refused, isLast: page.isLast };
}

/**
 * Plans a move or copy into another bucket: the copies are made there by remote
 * references first; the commit of the step deletes here what moves.
 */
async function planAcross(
  core: Core,
  bucket: BucketHandle,
  job: KeyJob,
  task: RelocationTask,
): Promise<Step> {
  const target = await openTarget(core, task);
  const page = await nextKeys(bucket, job, task, ACROSS_STEP);
  const copies: CopyAcross[] = page.keys.map((key) => ({
    key,
    toKeys: newKeys(task, key),
    onlyVersionId: null,
    mayReplace: task.conflict === 'replace',
  }));

  const outcomes = await copyAcross(core, bucket, target, copies, {
    isMove: task.kind === 'move',
    startedAtMs: job.startedAtMs,
  });
  const actions = doneOf(outcomes).map((copy): KeyAction => {
    const { key, toKey, versionId, sizeBytes } = copy;
    if (task.kind === 'copy') return { kind: 'record', key, toKey, versionId, sizeBytes };
    return {
      kind: 'hide',
      key,
      markerId: core.ports.ids.versionId(),
      onlyVersionId: copy.sourceVersionId,
      movedTo: { key: toKey, versionId },
    };
  });
  const { next, isLast } = page;
  return { actions, next, elsewhere: {}, refused: refusedOf(outcomes), isLast };
}
