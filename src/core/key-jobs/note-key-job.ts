// Notes of jobs in the directory, so that one call lists the jobs of all buckets of an
// account (list-account-jobs.ts). Called by those who start, run and end jobs.
import { type KeyJob, summarizeKeyJob } from '../../domain/keys/key-jobs.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';

/** Notes a job for the owner of its bucket. Cost: a commit of the directory. */
export async function noteKeyJob(core: Core, bucket: BucketHandle, job: KeyJob): Promise<void> {
  const { id, name, ownerId: accountId } = bucket.record();
  const note = { accountId, bucket: { id, name }, job: summarizeKeyJob(job) };
  await core.ports.directory.call('noteJob', note);
}

/** Notes the end of a job; never rejects, since the list corrects what is missing. */
export async function noteEndBehind(core: Core, bucket: BucketHandle, job: KeyJob): Promise<void> {
  try {
    await noteKeyJob(core, bucket, job);
  } catch (cause) {
    core.ports.log.error('job-end-not-noted', { bucket: bucket.record().name, cause });
  }
}
