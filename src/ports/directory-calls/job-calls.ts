// The calls of the directory about jobs over many keys: one row for each of an
// account's newest jobs, so that one call lists the jobs of all its buckets. The
// jobs themselves are the bucket index's.

import type {
  AccountJob,
  KeyJobId,
  KeyJobState,
  KeyJobSummary,
} from '../../domain/keys/key-jobs.ts';
import type { AccountId, BucketAddress } from '../../domain/nouns.ts';

export type AccountJobsApi = {
  /**
   * Notes a job when it starts, and its end where its start is noted. A running one
   * never takes the place of one that has ended. Of more than 1,000 the oldest that
   * ended go. Idempotent.
   */
  noteJob(input: { accountId: AccountId; bucket: BucketAddress; job: KeyJobSummary }): void;
  /** Forgets a job that was noted and never began. Idempotent. */
  forgetJob(input: { accountId: AccountId; id: KeyJobId }): void;
  /**
   * Lists the noted jobs, newest first; `before` is the id of the last one seen, ''
   * for the first page. `state` null: any. `canUndo` is false where five newer jobs
   * of the bucket are noted.
   */
  listJobs(input: {
    accountId: AccountId;
    before: string;
    limit: number;
    state: KeyJobState | null;
  }): readonly AccountJob[];
};
