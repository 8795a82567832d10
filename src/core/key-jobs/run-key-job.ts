// The driver of a job over many keys. It reads the next keys, plans an action for
// each, and commits the actions together with the cursor behind them. A driver can
// die at any moment: the next one reads the job and goes on. Two drivers plan the
// same step; the faster one commits it; the slower one would do it again. Guard:
// each step names the job's revision, and the index refuses an old one.

import { type ErrorCode, StorageError } from '../../domain/errors.ts';
import type { KeyJob, KeyJobId } from '../../domain/keys/key-jobs.ts';
import type { BucketName } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { openBucket } from '../opened-bucket/bucket-handle.ts';
import { newPackIds } from './copy-across.ts';
import { noteEndBehind } from './note-key-job.ts';
import { planStep } from './plan-step.ts';

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
      const stepped = await bucket.call('stepKeyJob', (record) => ({
        id,
        revision,
        ...step,
        packIds: newPackIds(core, record.id),
        nowMs: clock.nowMs(),
      }));
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
