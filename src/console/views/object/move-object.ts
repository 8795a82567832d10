// Moves one object by a job of the bucket and waits for its end: one key takes well
// under a second.
import type { Answer } from 'quayside/client';
import { client, QuaysideError } from '../../api/client.ts';
import { t } from '../../i18n/i18n.ts';

type Job = Answer<'GET /buckets/{bucket}/jobs/{jobId}'>;

const POLL_MS = 200;
/** Polls until the job is left to go on by itself: half a minute. */
const POLLS_MAX = 150;

const waitMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Moves an object, never over another one; resolves with what takes it back. */
export async function moveObject(
  bucket: string,
  key: string,
  to: string,
): Promise<() => Promise<void>> {
  const job = await client.request('POST /buckets/{bucket}/jobs', {
    path: { bucket },
    body: { kind: 'move', prefix: key, keys: [key], to, conflict: 'refuse' },
  });
  const done = await untilDone(bucket, job);
  if (done.counts.done === 0) {
    throw new QuaysideError('NameTaken', t().object.nameTaken(to), { status: 409 });
  }
  return async () => {
    const undo = await client.request('POST /buckets/{bucket}/jobs/{jobId}/undo', {
      path: { bucket, jobId: job.id },
    });
    await untilDone(bucket, undo);
  };
}

async function untilDone(bucket: string, first: Job): Promise<Job> {
  let job = first;
  for (let polls = 0; job.state === 'running' && polls < POLLS_MAX; polls++) {
    await waitMs(POLL_MS);
    job = await client.request('GET /buckets/{bucket}/jobs/{jobId}', {
      path: { bucket, jobId: first.id },
    });
  }
  return job;
}
