// Jobs over many keys of all buckets of an account, a row each: a part of the
// directory. Plain synchronous code over a SQL port; directory-index.ts makes each
// call atomic. A job starts and ends rarely, so two writes for each are cheap; a
// list that asked 2,500 buckets would be 2,500 calls.

import {
  ACCOUNT_JOBS_STORED,
  type AccountJob,
  type KeyJobSummary,
  UNDOABLE_JOBS,
} from '../../domain/keys/key-jobs.ts';
import type { BucketId, BucketName } from '../../domain/nouns.ts';
import type { DirectoryApi } from '../../ports/directory.ts';
import type { AccountJobsApi } from '../../ports/directory-calls/job-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { AFTER_ALL_IDS } from '../keys/key-order.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

/** Old rows that each new row removes: more than one, so that any backlog shrinks. */
const REMOVED_PER_NOTE = 8;

type JobRow = {
  readonly bucket: string;
  readonly bucket_id: string;
  readonly job: string;
  readonly newer: number;
};

/** The calls over a database with DIRECTORY_SCHEMA. */
export function createAccountJobCalls(sql: Sql): Pick<DirectoryApi, keyof AccountJobsApi> {
  return {
    noteJob({ accountId, bucket, job }) {
      if (job.state !== 'running') {
        sql.all(
          'UPDATE account_jobs SET state = ?, job = ? WHERE account_id = ? AND id = ?',
          job.state,
          JSON.stringify(job),
          accountId,
          job.id,
        );
        return;
      }
      sql.all(
        `INSERT INTO account_jobs (account_id, id, bucket, bucket_id, state, job)
         VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        accountId,
        job.id,
        bucket.name,
        bucket.id,
        job.state,
        JSON.stringify(job),
      );
      forgetOldest(sql, accountId);
    },

    forgetJob({ accountId, id }) {
      sql.all('DELETE FROM account_jobs WHERE account_id = ? AND id = ?', accountId, id);
    },

    listJobs({ accountId, before, limit, state }) {
      // An account has few rows: those of another state are passed over.
      const rows = sql.all<JobRow>(
        `SELECT j.bucket, j.bucket_id, j.job, ${NEWER} FROM account_jobs AS j
         WHERE j.account_id = ?1 AND j.id < ?2 AND (?3 IS NULL OR j.state = ?3)
         ORDER BY j.id DESC LIMIT ${PLAN_ONCE} ?4`,
        accountId,
        before || AFTER_ALL_IDS,
        state,
        limit,
      );
      return rows.map(toAccountJob);
    },
  };
}

/** How many newer jobs of its bucket are noted, as far as it matters. */
const NEWER = `(SELECT count(*) FROM (
  SELECT 1 FROM account_jobs AS n
  WHERE n.account_id = j.account_id AND n.bucket_id = j.bucket_id AND n.id > j.id
  LIMIT ${UNDOABLE_JOBS})) AS newer`;

function toAccountJob({ bucket, bucket_id, job, newer }: JobRow): AccountJob {
  const noted = JSON.parse(job) as KeyJobSummary;
  return {
    bucket: { name: bucket as BucketName, id: bucket_id as BucketId },
    job: { ...noted, canUndo: noted.canUndo && newer < UNDOABLE_JOBS },
  };
}

/** Forgets jobs beyond the bound, the oldest first, but none that runs. */
function forgetOldest(sql: Sql, accountId: string): void {
  const [last] = sql.all<{ id: string }>(
    `SELECT id FROM account_jobs WHERE account_id = ?
     ORDER BY id DESC LIMIT 1 OFFSET ${PLAN_ONCE} ?`,
    accountId,
    ACCOUNT_JOBS_STORED - 1,
  );
  if (last === undefined) return;
  sql.all(
    `DELETE FROM account_jobs WHERE account_id = ?1 AND id IN (
       SELECT id FROM account_jobs WHERE account_id = ?1 AND id < ?2 AND state <> 'running'
       ORDER BY id LIMIT ${PLAN_ONCE} ?3)`,
    accountId,
    last.id,
    REMOVED_PER_NOTE,
  );
}
