// Starts, finds, cancels and undoes jobs over many keys. The work itself is
// run-key-job.ts's, which goes on behind the response. Called by the JSON API and
// the sweep.

import { StorageError } from '../../domain/errors.ts';
import {
  isRelocation,
  type KeyJob,
  type KeyJobId,
  type KeyJobStarter,
  type KeyJobTask,
  type ListedKey,
  listedKeys,
  NO_KEY_COUNTS,
} from '../../domain/keys/key-jobs.ts';
import type { AccountId, BucketName } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { type CheckedTask, checkTask, collidingPrefix } from './key-tasks.ts';
import { measurePrefixes } from './measure-prefixes.ts';
import { noteKeyJob } from './note-key-job.ts';
import { checkEdit } from './plan-edit.ts';
import { checkPattern, inFreeingOrder, planRename } from './plan-rename.ts';
import { driveBehind } from './run-key-job.ts';

/** Time without a step after which a job has lost its driver, milliseconds. */
const SILENT_MS = 10_000;

/** Who starts a job: an account, and of it a member or key where that is known. */
type Starter = { readonly accountId: AccountId; readonly via?: KeyJobStarter };
export type StartKeyJobInput = Starter & { readonly task: KeyJobTask };

/**
 * Starts a job. The caller has authorised the account for all that the job does, in
 * the target bucket of a move too. Errors: InvalidRequest, InvalidURI,
 * KeyTooLongError, NoSuchBucket (the target), SlowDown (ten run already).
 */
export async function startKeyJob(
  core: Core,
  bucket: BucketHandle,
  input: StartKeyJobInput,
): Promise<KeyJob> {
  const { clock, ids } = core.ports;
  const checked = checkTask(await withTarget(core, bucket, input.task));
  const { task, keys } = await withListedKeys(bucket, checked);
  if (task.kind === 'edit') checkEdit(task.change);
  if (isRelocation(task)) await requireNoCollision(bucket, collidingPrefix(task));
  const total = await countKeys(core, bucket, task);
  const nowMs = clock.nowMs();
  const job: KeyJob = {
    id: ids.versionId(),
    task,
    state: 'running',
    revision: 1,
    after: '',
    at: 0,
    counts: NO_KEY_COUNTS,
    total: total.objects,
    totalBytes: total.bytes,
    startedBy: input.accountId,
    ...(input.via === undefined ? {} : { startedVia: input.via }),
    startedAtMs: nowMs,
    updatedAtMs: nowMs,
    canUndo: canBeUndone(bucket, task),
    failure: null,
  };
  await noteKeyJob(core, bucket, job);
  await bucket.call('createKeyJob', { job, keys });
  driveBehind(core, bucket.record().name, job.id);
  return job;
}

/** Whether what a task does can be taken back: nobody shortens COMPLIANCE retention. */
function canBeUndone(bucket: BucketHandle, task: KeyJobTask): boolean {
  if (task.kind === 'edit') return task.change.lock?.retention?.mode !== 'COMPLIANCE';
  if (task.kind === 'delete') return bucket.record().settings.versioning !== null;
  return isRelocation(task) || task.kind === 'rename';
}

/**
 * Fixes the target bucket of a task by its id, against a later one of that name.
 * NoSuchBucket.
 */
async function withTarget(core: Core, bucket: BucketHandle, task: KeyJobTask): Promise<KeyJobTask> {
  if (!isRelocation(task) || task.toBucket === null) return task;
  if (task.toBucket === bucket.record().name) return { ...task, toBucket: null };
  const target = await core.ports.metadataIndex.call(task.toBucket, 'getBucket', {
    name: task.toBucket,
  });
  if (target === null)
    throw new StorageError('NoSuchBucket', { fields: { BucketName: task.toBucket } });
  return { ...task, toBucketId: target.id };
}

/** Gives the keys that a job is to list with it: for a rename those that it changes. */
async function withListedKeys(
  bucket: BucketHandle,
  { task, keys }: CheckedTask,
): Promise<{ readonly task: KeyJobTask; readonly keys: readonly ListedKey[] }> {
  if (task.kind !== 'rename') return { task, keys: keys.map((key) => ({ key, toKey: null })) };

  checkPattern(task.pattern);
  const renamings = inFreeingOrder(await planRename(bucket, task, keys));
  if (renamings.length === 0)
    throw new StorageError('InvalidRequest', { detail: 'The names would stay the same.' });
  const { prefix } = task.selection;
  const selection = { prefix, keys: null, storedKeys: renamings.length };
  return { task: { ...task, selection }, keys: renamings };
}

/** Prefixes that one call of the index measures. */
const MEASURED_AT_ONCE = 100;
const NOT_COUNTED = { objects: null, bytes: null };

/**
 * Counts the keys of a task and their bytes, where that is known without listing
 * them; else null.
 */
async function countKeys(
  core: Core,
  bucket: BucketHandle,
  task: KeyJobTask,
): Promise<{ readonly objects: number | null; readonly bytes: number | null }> {
  if (task.kind === 'undo' || task.selection.dropLink !== undefined) return NOT_COUNTED;
  const listed = listedKeys(task.selection);
  const prefixes = task.selection.prefixes ?? (listed > 0 ? [] : [task.selection.prefix]);
  if (prefixes.length === 0) return { objects: listed, bytes: null };
  if (task.kind === 'restore' || task.kind === 'purge' || task.kind === 'erase') return NOT_COUNTED;

  let [objects, bytes] = [listed, 0];
  for (let at = 0; at < prefixes.length; at += MEASURED_AT_ONCE) {
    const page = prefixes.slice(at, at + MEASURED_AT_ONCE);
    const sizes = await measurePrefixes(core, bucket, page);
    if (sizes === null) return NOT_COUNTED;
    for (const size of sizes) {
      objects += size.objects;
      bytes += size.bytes;
    }
  }
  return { objects, bytes: listed > 0 ? null : bytes };
}

/** Refuses a move whose new keys would be below its old prefix. InvalidRequest. */
async function requireNoCollision(bucket: BucketHandle, prefix: string | null): Promise<void> {
  if (prefix === null) return;
  const page = await bucket.call('listObjects', { prefix, delimiter: '', after: '', maxKeys: 1 });
  if (page.objects.length === 0) return;
  throw new StorageError('InvalidRequest', {
    detail:
      'The names would mix with each other: ' +
      `there are keys that begin with ${prefix}. Move these first.`,
  });
}

/**
 * Starts a job that undoes another. `bypassGovernance`: the caller may, and wants to,
 * override retentions that it set. Errors: NoSuchResource (no such job),
 * InvalidRequest (it runs, or can't be undone any more), SlowDown.
 */
export async function undoKeyJob(
  core: Core,
  bucket: BucketHandle,
  input: Starter & { readonly id: KeyJobId; readonly bypassGovernance?: boolean },
): Promise<KeyJob> {
  const { id: _id, bypassGovernance = false, ...starter } = input;
  const job = await findKeyJob(core, bucket, input.id);
  if (job.state === 'running')
    throw new StorageError('InvalidRequest', { detail: 'The job runs. Cancel it first.' });
  if (!job.canUndo)
    throw new StorageError('InvalidRequest', { detail: 'This job can not be undone.' });
  const { toBucket, toBucketId } = isRelocation(job.task) ? job.task : { toBucket: null };
  const task = {
    kind: 'undo',
    jobId: job.id,
    toBucket,
    bypassGovernance,
    ...(toBucketId === undefined ? {} : { toBucketId }),
  } as const;
  return startKeyJob(core, bucket, { ...starter, task });
}

/**
 * Finds a job. One that runs but made no step for long gets a new driver.
 * NoSuchResource: there is none.
 */
export async function findKeyJob(core: Core, bucket: BucketHandle, id: KeyJobId): Promise<KeyJob> {
  const job = await bucket.call('getKeyJob', { id });
  if (job === null) throw new StorageError('NoSuchResource', { detail: 'There is no such job.' });
  driveIfSilent(core, bucket.record().name, job);
  return job;
}

/**
 * Cancels a job; what it has done stays, and can be undone. NoSuchResource: there
 * is none.
 */
export async function cancelKeyJob(
  core: Core,
  bucket: BucketHandle,
  id: KeyJobId,
): Promise<KeyJob> {
  const job = await bucket.call('endKeyJob', {
    id,
    failure: null,
    nowMs: core.ports.clock.nowMs(),
  });
  if (job === null) throw new StorageError('NoSuchResource', { detail: 'There is no such job.' });
  await noteKeyJob(core, bucket, job);
  return job;
}

/**
 * Resumes the running jobs of a bucket, after a crash or the end of an invocation.
 * A job that has a driver takes no harm.
 */
export async function resumeKeyJobs(core: Core, bucket: BucketHandle): Promise<void> {
  const jobs = await bucket.call('listKeyJobs', {});
  for (const job of jobs)
    if (job.state === 'running') driveBehind(core, bucket.record().name, job.id);
}

function driveIfSilent(core: Core, name: BucketName, { id, state, updatedAtMs }: KeyJob): void {
  if (state === 'running' && updatedAtMs <= core.ports.clock.nowMs() - SILENT_MS)
    driveBehind(core, name, id);
}
