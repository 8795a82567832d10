// Plans one step of taking back what another job did, the last first. What happened in
// another bucket is undone there before the step. Called by plan-step.ts.

import {
  type EditedItem,
  KEY_STEP_MAX,
  type KeyAction,
  type KeyJob,
  type KeyJobFailure,
  type KeyJobItem,
  type KeyJobTask,
} from '../../domain/keys/key-jobs.ts';
import type { ObjectKey, VersionId } from '../../domain/nouns.ts';
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
import type { Step } from './plan-step.ts';

type Undo = Extract<KeyJobTask, { kind: 'undo' }>;

/** Plans a step of an undo. `at` of the job is the last item that is undone. */
export async function planUndo(
  core: Core,
  bucket: BucketHandle,
  job: KeyJob,
  task: Undo,
): Promise<Step> {
  const limit = task.toBucket === null ? KEY_STEP_MAX : ACROSS_STEP;
  const before = job.at === 0 ? Number.MAX_SAFE_INTEGER : job.at;
  const items = await bucket.call('listKeyJobItems', { id: task.jobId, before, limit });
  const cursors = items.map(({ at }) => ({ after: '', at }));
  const next = cursors.at(-1) ?? { after: '', at: job.at };
  const isLast = items.length < limit;

  if (task.toBucket === null) {
    const actions = items.map((item) => undoOf(core, task, item));
    return { actions, next, cursors, elsewhere: {}, isLast };
  }
  const target = await openTarget(core, task);
  const copies = items.filter(({ kind }) => kind === 'copied');
  const moves = items.filter(({ kind }) => kind !== 'copied');
  const [removed, moved] = [
    await removeCopies(core, target, copies),
    await moveBack(core, bucket, target, moves, job),
  ];
  return {
    actions: [],
    next,
    isLast,
    elsewhere: { done: removed.done + moved.done, bytes: removed.bytes + moved.bytes },
    refused: [...removed.refused, ...moved.refused],
  };
}

/** The action that takes back one item. */
function undoOf(core: Core, task: Undo, item: KeyJobItem): KeyAction {
  const { kind, key, toKey, versionId, markerId } = item;
  if (kind === 'edited') {
    const { before, tags, lock } = JSON.parse(item.detail ?? '') as EditedItem;
    const edit = {
      onlyVersionId: versionId,
      onlyTags: tags,
      attributes: before,
      ...(lock === undefined ? {} : undoneLock(task, lock)),
    };
    return { kind: 'edit', key, ...edit, versionId: core.ports.ids.versionId() };
  }
  if (toKey === null) return { kind: 'unhide', key, onlyMarkerId: versionId };
  if (kind === 'copied') return { kind: 'uncopy', key: toKey, copyId: versionId };

  const { ids } = core.ports;
  const fresh = { versionId: ids.versionId(), markerId: ids.versionId() };
  return { kind: 'unmove', key, toKey, movedId: versionId, leftMarkerId: markerId, ...fresh };
}

/** Plans the return to an object's old lock, if it still has the one that the job set. */
function undoneLock(
  { bypassGovernance = false }: Undo,
  { before, after }: NonNullable<EditedItem['lock']>,
) {
  const { retention, hasLegalHold } = before ?? { retention: null, hasLegalHold: null };
  return { onlyLock: after, lock: { retention, hasLegalHold, bypassGovernance } };
}

/** What was undone in another bucket, and the keys that stay. */
type Undone = Required<Step['elsewhere']> & { readonly refused: NonNullable<Step['refused']> };

/** Moves objects back from another bucket: they are copied here, then deleted there. */
async function moveBack(
  core: Core,
  bucket: BucketHandle,
  from: BucketHandle,
  items: readonly KeyJobItem[],
  { startedAtMs }: KeyJob,
): Promise<Undone> {
  const moves = items.flatMap(({ key, toKey, versionId }): CopyAcross[] =>
    toKey === null
      ? []
      : [{ key: toKey, toKeys: [key], onlyVersionId: versionId, mayReplace: false }],
  );
  const outcomes = await copyAcross(core, from, bucket, moves, { isMove: true, startedAtMs });
  const done = doneOf(outcomes);
  const deleted = await from.call('deleteObjects', {
    targets: done.map(({ key, etag }) => ({
      key,
      versionId: null,
      condition: { ifMatch: etag, ifLastModifiedSeconds: null, ifSizeBytes: null },
      markerId: core.ports.ids.versionId(),
    })),
    bypassGovernance: false,
    ownerId: null,
    nowMs: core.ports.clock.nowMs(),
  });
  const undone = summarize(done, deleted);
  return { ...undone, refused: [...refusedOf(outcomes), ...undone.refused] };
}

/** Removes copies from another bucket, those that are still current there. */
async function removeCopies(
  core: Core,
  target: BucketHandle,
  items: readonly KeyJobItem[],
): Promise<Undone> {
  const keys = items.flatMap(({ toKey }) => (toKey === null ? [] : [toKey]));
  if (keys.length === 0) return { done: 0, bytes: 0, refused: [] };

  const current = await target.call('getObjects', { keys });
  const copies: { key: ObjectKey; versionId: VersionId; sizeBytes: number }[] = [];
  const missing: ObjectKey[] = [];
  for (const [i, { toKey, versionId }] of items.entries()) {
    const object = current[i] ?? null;
    if (toKey === null) continue;
    if (object?.versionId === versionId) {
      copies.push({ key: toKey, versionId, sizeBytes: object.sizeBytes });
    } else missing.push(toKey);
  }
  const deleted = await target.call('deleteObjects', {
    targets: copies.map(({ key, versionId }) => ({
      key,
      versionId,
      condition: null,
      markerId: core.ports.ids.versionId(),
    })),
    bypassGovernance: false,
    ownerId: null,
    nowMs: core.ports.clock.nowMs(),
  });
  const undone = summarize(copies, deleted);
  const gone = missing.map((key) => ({ key, reason: 'missing' as const }));
  return { ...undone, refused: [...gone, ...undone.refused] };
}

/** Sums up deletions in another bucket; what could not be deleted stays. */
function summarize(
  targets: readonly { readonly key: ObjectKey; readonly sizeBytes: number }[],
  deleted: readonly { readonly refusal: string | null }[],
): Undone {
  let [done, bytes] = [0, 0];
  const refused: KeyJobFailure[] = [];
  for (const [i, { key, sizeBytes }] of targets.entries()) {
    const refusal = deleted[i]?.refusal ?? null;
    if (refusal === null) {
      done++;
      bytes += sizeBytes;
    } else refused.push({ key, reason: refusal === 'AccessDenied' ? 'locked' : 'missing' });
  }
  return { done, bytes, refused };
}
