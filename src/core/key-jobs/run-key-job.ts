// The driver of a job over many keys. It reads the next keys, plans an action for
// each, and commits the actions together with the cursor behind them. A driver can
// die at any moment: the next one reads the job and goes on. Two drivers plan the
// same step; the faster one commits it; the slower one would do it again. Guard:
// each step names the job's revision, and the index refuses an old one.

import { type ErrorCode, StorageError } from '../../domain/errors.ts';
import {
  KEY_STEP_MAX,
  type KeyAction,
  type KeyJob,
  type KeyJobId,
  type KeyJobItem,
  type KeyJobTask,
} from '../../domain/key-jobs.ts';
import type { BucketName, ObjectKey } from '../../domain/nouns.ts';
import { type BucketHandle, openBucket } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';
import { newKeys, stayingPrefix } from './key-tasks.ts';
import { type CopiedAcross, type MoveAcross, moveAcross } from './move-across.ts';
import { noteEndBehind } from './note-key-job.ts';

/**
 * Keys of one step between buckets: as many as the index returns whole objects at
 * once.
 */
const ACROSS_STEP = 100;
/**
 * Transient failures: the job waits for its next driver. Every other failure ends
 * it.
 */
const TRANSIENT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'ConditionalRequestConflict',
  'InternalError',
  'ServiceUnavailable',
  'SlowDown',
  'StorageFull',
]);

/**
 * One step: its actions, and the cursor behind it. `elsewhere`: counts of the other
 * bucket.
 */
type Step = {
  readonly actions: readonly KeyAction[];
  readonly next: Pick<KeyJob, 'after' | 'at'>;
  readonly elsewhere: Partial<KeyJob['counts']>;
  readonly isLast: boolean;
};

/** Drives the job behind the response. */
export function driveBehind(core: Core, name: BucketName, id: KeyJobId): void {
  core.ports.background.run('name-job', () => runKeyJob(core, name, id));
}

/**
 * Drives a job to its end, or until another driver takes over. Returns its last
 * state, null when it is gone. Transient failures are thrown and leave it to its
 * next driver; any other one ends the job. On Cloudflare the runtime ends the
 * driver 30 s after the response: the next call for the job, or the sweep, drives
 * it on.
 */
export async function runKeyJob(
  core: Core,
  name: BucketName,
  id: KeyJobId,
): Promise<KeyJob | null> {
  const { clock } = core.ports;
  const bucket = await openBucket(core, name, () => undefined);
  let job = await bucket.call('getKeyJob', { id });
  try {
    while (job?.state === 'running') {
      const { revision } = job;
      const step = await planStep(core, bucket, job);
      const stepped = await bucket.call('stepKeyJob', {
        id,
        revision,
        ...step,
        nowMs: clock.nowMs(),
      });
      if (stepped === null) return await bucket.call('getKeyJob', { id });
      job = stepped.job;
      if (job.state !== 'running') await noteEndBehind(core, bucket, job);
    }
    return job;
  } catch (error) {
    if (!(error instanceof StorageError) || TRANSIENT.has(error.code)) throw error;
    const failed = await bucket.call('endKeyJob', {
      id,
      failure: error.message,
      nowMs: clock.nowMs(),
    });
    if (failed !== null) await noteEndBehind(core, bucket, failed);
    return failed;
  }
}

async function planStep(core: Core, bucket: BucketHandle, job: KeyJob): Promise<Step> {
  const { task } = job;
  switch (task.kind) {
    case 'move':
      return task.toBucket === null
        ? planMove(core, bucket, job, task)
        : planAcross(core, bucket, job, task);
    case 'delete':
      return planEach(await nextKeys(bucket, job, task, KEY_STEP_MAX), (key) => ({
        kind: 'hide',
        key,
        markerId: core.ports.ids.versionId(),
        onlyVersionId: null,
        movedTo: null,
      }));
    case 'restore':
      return planEach(await nextKeys(bucket, job, task, KEY_STEP_MAX), (key) => ({
        kind: 'unhide',
        key,
        onlyMarkerId: null,
      }));
    case 'purge':
      return planEach(await nextKeys(bucket, job, task, KEY_STEP_MAX), (key) => ({
        kind: 'purge',
        key,
      }));
    case 'undo':
      return planUndo(core, bucket, job, task);
  }
}

type Keys = Pick<Step, 'next' | 'isLast'> & { readonly keys: readonly ObjectKey[] };

function planEach(page: Keys, action: (key: ObjectKey) => KeyAction): Step {
  return { actions: page.keys.map(action), next: page.next, elsewhere: {}, isLast: page.isLast };
}

type Selecting = Exclude<KeyJobTask, { kind: 'undo' }>;

/** Reads the keys behind the cursor of the job. Cost: one index read. */
async function nextKeys(
  bucket: BucketHandle,
  { after, at }: KeyJob,
  { kind, selection }: Selecting,
  limit: number,
): Promise<Keys> {
  const { prefix, keys } = selection;
  if (keys !== null) {
    const page = keys.slice(at, at + limit);
    return {
      keys: page,
      next: { after: '', at: at + page.length },
      isLast: at + page.length >= keys.length,
    };
  }
  if (kind === 'restore' || kind === 'purge') {
    const page = await bucket.call('listHidden', { prefix, after, limit });
    const hidden = page.map(({ key }) => key);
    return {
      keys: hidden,
      next: { after: hidden.at(-1) ?? after, at },
      isLast: hidden.length < limit,
    };
  }
  const page = await bucket.call('listObjects', { prefix, delimiter: '', after, maxKeys: limit });
  const listed = page.objects.map(({ key }) => key);
  return { keys: listed, next: { after: page.lastName ?? after, at }, isLast: !page.isTruncated };
}

type Move = Extract<KeyJobTask, { kind: 'move' }>;

/** Plans a move inside the bucket. */
async function planMove(core: Core, bucket: BucketHandle, job: KeyJob, task: Move): Promise<Step> {
  const { ids } = core.ports;
  const page = await nextKeys(bucket, job, task, KEY_STEP_MAX);
  const staying = stayingPrefix(task);
  const moving = staying === null ? page.keys : page.keys.filter((key) => !key.startsWith(staying));
  const renamed = moving.map((key) => ({ key, toKeys: newKeys(task, key) }));
  const actions = renamed
    .filter(({ toKeys }) => toKeys.length > 0)
    .map(({ key, toKeys }): KeyAction => {
      const fresh = { versionId: ids.versionId(), markerId: ids.versionId() };
      return { kind: 'move', key, toKeys, ...fresh, mayReplace: task.conflict === 'replace' };
    });

  // The rest of the keys that stay is skipped as a whole: no key with their prefix
  // is greater.
  const isAtStaying =
    staying !== null && task.selection.keys === null && page.next.after.startsWith(staying);
  const next = isAtStaying ? { ...page.next, after: `${staying}\u{10ffff}` } : page.next;
  return {
    actions,
    next,
    elsewhere: { conflicts: renamed.length - actions.length },
    isLast: page.isLast,
  };
}

/**
 * Plans a move into another bucket: the keys are copied there by remote references
 * first, and deleted here in the commit of the step.
 */
async function planAcross(
  core: Core,
  bucket: BucketHandle,
  job: KeyJob,
  task: Move,
): Promise<Step> {
  const target = await openTarget(core, task);
  const page = await nextKeys(bucket, job, task, ACROSS_STEP);
  const moves: MoveAcross[] = page.keys.map((key) => ({
    key,
    toKeys: newKeys(task, key),
    onlyVersionId: null,
    mayReplace: task.conflict === 'replace',
  }));

  const outcomes = await moveAcross(core, bucket, target, moves);
  const actions = doneOf(outcomes).map(
    (copy): KeyAction => ({
      kind: 'hide',
      key: copy.key,
      markerId: core.ports.ids.versionId(),
      onlyVersionId: copy.sourceVersionId,
      movedTo: { key: copy.toKey, versionId: copy.versionId },
    }),
  );
  return { actions, next: page.next, elsewhere: countRefused(outcomes), isLast: page.isLast };
}

type DoneAcross = Extract<CopiedAcross, { outcome: 'done' }>;

const doneOf = (outcomes: readonly CopiedAcross[]): readonly DoneAcross[] =>
  outcomes.flatMap((copy) => (copy.outcome === 'done' ? [copy] : []));

/** Counts the keys that were not copied, by reason. */
function countRefused(outcomes: readonly CopiedAcross[]) {
  const count = (outcome: string) => outcomes.filter((copy) => copy.outcome === outcome).length;
  return { missing: count('missing'), conflicts: count('conflict'), locked: count('locked') };
}

/**
 * Opens the other bucket of a task. NoSuchBucket also when the name belongs to
 * another bucket by now, since nobody was authorised to write to that one.
 */
async function openTarget(
  core: Core,
  { toBucket, toBucketId }: Move | Undo,
): Promise<BucketHandle> {
  if (toBucket === null)
    throw new StorageError('InternalError', { cause: 'a move between buckets without a target' });
  return openBucket(core, toBucket, ({ id }) => {
    if (id !== toBucketId)
      throw new StorageError('NoSuchBucket', { fields: { BucketName: toBucket } });
  });
}

type Undo = Extract<KeyJobTask, { kind: 'undo' }>;

/**
 * Plans the undoing of another job, its last item first. `at` counts the items that
 * are undone.
 */
async function planUndo(core: Core, bucket: BucketHandle, job: KeyJob, task: Undo): Promise<Step> {
  const { ids } = core.ports;
  const limit = task.toBucket === null ? KEY_STEP_MAX : ACROSS_STEP;
  const before = job.at === 0 ? Number.MAX_SAFE_INTEGER : job.at;
  const items = await bucket.call('listKeyJobItems', { id: task.jobId, before, limit });
  const next = { after: '', at: items.at(-1)?.at ?? job.at };
  const isLast = items.length < limit;

  if (task.toBucket !== null) return undoAcross(core, bucket, task, { items, next, isLast });
  const actions = items.map((item): KeyAction => {
    const { kind, key, toKey, versionId, markerId } = item;
    if (kind === 'hidden' || toKey === null)
      return { kind: 'unhide', key, onlyMarkerId: versionId };
    const fresh = { versionId: ids.versionId(), markerId: ids.versionId() };
    return { kind: 'unmove', key, toKey, movedId: versionId, leftMarkerId: markerId, ...fresh };
  });
  return { actions, next, elsewhere: {}, isLast };
}

type UndoPage = Pick<Step, 'next' | 'isLast'> & { readonly items: readonly KeyJobItem[] };

/**
 * Undoes a move into another bucket: the keys are copied here, then deleted there.
 */
async function undoAcross(
  core: Core,
  bucket: BucketHandle,
  task: Undo,
  page: UndoPage,
): Promise<Step> {
  const from = await openTarget(core, task);
  const moves = page.items.flatMap(({ key, toKey, versionId }): MoveAcross[] =>
    toKey === null
      ? []
      : [{ key: toKey, toKeys: [key], onlyVersionId: versionId, mayReplace: false }],
  );

  const outcomes = await moveAcross(core, from, bucket, moves);
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

  const refused = countRefused(outcomes);
  const deletedCount = deleted.filter(({ refusal }) => refusal === null).length;
  const elsewhere = {
    done: deletedCount,
    bytes: done.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    ...refused,
    missing: refused.missing + deleted.length - deletedCount,
  };
  return { actions: [], next: page.next, elsewhere, isLast: page.isLast };
}
