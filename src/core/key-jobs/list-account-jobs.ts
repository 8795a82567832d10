// The jobs of all buckets of an account. The directory notes each when it starts
// and when it ends, so that one call lists them, however many buckets there are. A
// job is noted before it begins: a crash in between leaves a note without a job,
// never a job without a note. A driver that dies between the last step and its note
// leaves a note that still says `running`: the list asks the buckets of those, a few
// at a time, and corrects them. note-key-job.ts writes the notes. Called by the JSON
// API.

import { hasCode } from '../../domain/errors.ts';
import {
  type AccountJob,
  type KeyJobState,
  type KeyJobSummary,
  summarizeKeyJob,
} from '../../domain/keys/key-jobs.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { openBucket } from '../opened-bucket/bucket-handle.ts';
import { findKeyJob } from './start-key-job.ts';

/**
 * Running jobs of a page whose buckets are asked, two calls each; the others show as
 * they were noted. With the directory's call they stay below the 50 subrequests of a
 * free Worker. Source:
 * https://developers.cloudflare.com/workers/platform/limits/#subrequests
 */
const REFRESHED_MAX = 20;
/** Buckets that are asked at once: what a Worker may have open. Source: as above. */
const REFRESHED_AT_ONCE = 6;
/** Time for a noted job to begin, before its note is forgotten: ten minutes. */
const BEGIN_MS = 600_000;

export type AccountJobsPage = {
  readonly accountId: AccountId;
  /** The id of the last job of the page before; '' for the first. */
  readonly before: string;
  readonly limit: number;
  readonly state: KeyJobState | null;
};

/** A row of the list; null: it is none of these any more. */
export type ListedJob = { readonly id: string; readonly listed: AccountJob | null };

/**
 * Lists the newest jobs of an account, at most 1,000 in all. Running ones show their
 * progress. Cost: a call of the directory, and two calls for each of up to 20 that
 * run.
 */
export async function listAccountJobs(
  core: Core,
  page: AccountJobsPage,
): Promise<readonly ListedJob[]> {
  const noted = await core.ports.directory.call('listJobs', page);
  const rows = noted.map((listed): { id: string; listed: AccountJob | null } => ({
    id: listed.job.id,
    listed,
  }));

  const running = rows.filter(({ listed }) => listed?.job.state === 'running');
  const waiting = running.slice(0, REFRESHED_MAX).values();
  const refreshNext = async () => {
    for (const row of waiting) {
      if (row.listed === null) continue;
      const job = await currentJob(core, page.accountId, row.listed);
      const isListed = job !== null && (page.state === null || job.state === page.state);
      row.listed = isListed ? { ...row.listed, job } : null;
    }
  };
  await Promise.all(Array.from({ length: REFRESHED_AT_ONCE }, refreshNext));
  return rows;
}

/**
 * Reads a job that is noted as running from its bucket, and notes its end if it has
 * ended. Null: it never began.
 */
async function currentJob(
  core: Core,
  accountId: AccountId,
  { bucket: address, job }: AccountJob,
): Promise<KeyJobSummary | null> {
  const { clock, directory } = core.ports;
  const noteEnd = async (ended: KeyJobSummary) => {
    await directory.call('noteJob', { accountId, bucket: address, job: ended });
    return ended;
  };

  try {
    const bucket = await openBucket(core, address.name, () => undefined);
    if (bucket.record().id !== address.id) return await noteEnd(failedWithBucket(job));
    const current = summarizeKeyJob(await findKeyJob(core, bucket, job.id));
    return current.state === 'running' ? current : await noteEnd(current);
  } catch (error) {
    if (hasCode(error, 'NoSuchBucket')) return noteEnd(failedWithBucket(job));
    // A bucket that does not answer must not hide the jobs of the others.
    if (!hasCode(error, 'NoSuchResource')) return job;
    if (job.startedAtMs > clock.nowMs() - BEGIN_MS) return null;
    await directory.call('forgetJob', { accountId, id: job.id });
    return null;
  }
}

function failedWithBucket(job: KeyJobSummary): KeyJobSummary {
  return { ...job, state: 'failed', canUndo: false, failure: 'The bucket was deleted.' };
}
