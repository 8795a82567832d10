// Starts a job, watches it, and says what it did: a toast with Undo, and fresh lists.
// A job goes on without the page; /jobs shows it then.

import type { Answer, RequestOptions } from 'quayside/client';
import { client } from '../../api/client.ts';
import { errorLine, PlainFailure } from '../../api/describe-error.ts';
import { invalidate } from '../../api/query.ts';
import { mayOverrideLocks } from '../../app/session.ts';
import { waitVisible } from '../../app/visible.ts';
import { t } from '../../i18n/i18n.ts';
import { showToast } from '../../ui/toast.tsx';
import { nameOf } from '../browse/selection.ts';
import { jobSentence } from '../jobs/job-words.ts';

export type Job = Answer<'POST /buckets/{bucket}/jobs'>;
export type JobTask = RequestOptions<'POST /buckets/{bucket}/jobs'>['body'];

/** First wait between two looks at a running job, milliseconds; it doubles. */
const LOOK_FIRST_MS = 150;
const LOOK_MAX_MS = 2000;

/** Resolves when the job runs no more. */
async function untilDone(bucket: string, started: Job): Promise<Job> {
  let job = started;
  let waitMs = LOOK_FIRST_MS;
  while (job.state === 'running') {
    await waitVisible(waitMs);
    waitMs = Math.min(LOOK_MAX_MS, waitMs * 2);
    job = await client.jobs.get(bucket, job.id);
  }
  return job;
}

/** What a finished job may have changed is read again where it is shown. */
function refresh(buckets: readonly string[]): void {
  for (const bucket of new Set(buckets)) {
    for (const kind of ['folder', 'object', 'bucket', 'trash', 'sizes'])
      invalidate(`${kind} ${bucket}`);
  }
  for (const kind of ['jobs', 'overview', 'links']) invalidate(kind);
}

/**
 * Runs a job to its end and says how it went. Rejects when it can't be started; what
 * fails later stands in the toast and in /jobs.
 */
export async function runJob(bucket: string, task: JobTask): Promise<void> {
  followFrom(bucket, await client.jobs.start(bucket, { body: task }));
}

/** Follows a job that something else has started, as `runJob` does. */
export async function followJob(bucket: string, jobId: string): Promise<void> {
  followFrom(bucket, await client.jobs.get(bucket, jobId));
}

function followFrom(bucket: string, started: Job): void {
  invalidate('jobs');
  void follow(bucket, started);
}

/** Runs a job, and waits for its end. Rejects when it can't be started or fails. */
export async function runJobToEnd(bucket: string, task: JobTask): Promise<Job> {
  const job = await untilDone(bucket, await client.jobs.start(bucket, { body: task }));
  refresh([bucket]);
  if (job.state === 'failed') throw new Error(job.failure ?? job.state);
  return job;
}

/** Takes back what a job did, with the locks in GOVERNANCE mode that it set. */
export async function undoJob(
  bucket: string,
  jobId: string,
  onUndone: () => void = () => {},
): Promise<void> {
  try {
    const query = { bypassGovernance: mayOverrideLocks() ? '1' : '0' } as const;
    await follow(bucket, await client.jobs.undo(bucket, jobId, { query }));
    onUndone();
  } catch (error) {
    showToast({ text: errorLine(error) });
  }
}

async function follow(bucket: string, started: Job): Promise<void> {
  try {
    sayDone(bucket, await finished(bucket, started));
  } catch (error) {
    refresh([bucket]);
    showToast({ text: errorLine(error) });
  }
}

/** Waits for the end, and has what it changed read again. */
async function finished(bucket: string, started: Job): Promise<Job> {
  const job = await untilDone(bucket, started);
  refresh([bucket, ...(job.toBucket === null ? [] : [job.toBucket])]);
  return job;
}

/** Says what a job did, with Undo. */
function sayDone(bucket: string, job: Job): void {
  const { conflicts, missing, locked } = job.counts;
  const left = conflicts + missing + locked;
  const sentence = jobSentence({ ...job, bucket });
  const text = left > 0 ? `${sentence} ${t().jobs.leftAsTheyWere(left)}` : sentence;
  const undo = job.canUndo ? () => void undoJob(bucket, job.id) : undefined;
  showToast({ text, undo });
}

/** Renames a folder. Rejects where one of that name is there: both would become one. */
export async function renameFolder(bucket: string, prefix: string, to: string): Promise<void> {
  const path = { bucket };
  const query = { prefix: to, limit: 1 };
  const { items } = await client.request('GET /buckets/{bucket}/objects', { path, query });
  if (items.length > 0 && !to.startsWith(prefix))
    throw new PlainFailure(t().object.nameTaken(nameOf(to)));
  await runJob(bucket, { kind: 'move', prefix, to });
}

/**
 * Renames one object, never over another, and waits for it: one key takes well under
 * a second. Rejects where the name is taken, so that a dialog can say it.
 */
export async function renameOne(
  bucket: string,
  key: string,
  to: string,
  onUndone: () => void,
): Promise<void> {
  const body: JobTask = { kind: 'move', prefix: key, keys: [key], to, conflict: 'refuse' };
  const job = await finished(bucket, await client.jobs.start(bucket, { body }));
  const texts = t().object;
  if (job.counts.done === 0) throw new PlainFailure(texts.nameTaken(nameOf(to)));
  const undo = () => void undoJob(bucket, job.id, onUndone);
  showToast({ text: texts.renamed(nameOf(to)), undo: job.canUndo ? undo : undefined });
}
