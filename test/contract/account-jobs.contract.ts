// What a directory must do with the jobs that it notes of an account: each once, newest first, ends
// that stay ends, and a bound.
import { describe, expect } from 'vitest';
import {
  ACCOUNT_JOBS_STORED,
  type KeyJob,
  summarizeKeyJob,
  UNDOABLE_JOBS,
} from '../../src/domain/keys/key-jobs.ts';
import type { AccountId, BucketId, BucketName } from '../../src/domain/nouns.ts';
import type { Directory } from '../../src/ports/directory.ts';
import { fresh, keyJobOf } from './index/samples.ts';
import { type Subject, testsOf } from './subject.ts';

/** Ids are in the order of their time, as those of core are. */
const idOf = (number: number) => `${number}`.padStart(6, '0');

function jobsOf(directory: Directory) {
  const accountId = fresh('account') as AccountId;
  const bucketOf = (name: string) => ({ name: name as BucketName, id: `${name}~1` as BucketId });
  const note = (number: number, changes: Partial<KeyJob> = {}, bucket = 'a-bucket') =>
    directory.call('noteJob', {
      accountId,
      bucket: bucketOf(bucket),
      job: summarizeKeyJob(keyJobOf(idOf(number), changes)),
    });
  const list = async (input: Partial<Parameters<typeof listInput>[0]> = {}) =>
    directory.call('listJobs', listInput(input));
  const listInput = (input: { before?: string; limit?: number; state?: KeyJob['state'] }) => ({
    accountId,
    before: '',
    limit: 1000,
    state: null,
    ...input,
  });
  const ids = async (input: Parameters<typeof list>[0] = {}) =>
    (await list(input)).map(({ job }) => Number(job.id));
  return { accountId, note, list, ids };
}

/** Runs the contract. */
export function accountJobsContract(subject: Subject<Directory>): void {
  const test = testsOf(subject);

  describe(`jobs of an account: ${subject.name}`, () => {
    test('lists them newest first, in pages and by state, with buckets', async (directory) => {
      const { note, list, ids } = jobsOf(directory);
      for (const number of [2, 1, 3]) await note(number, {}, `bucket-${number}`);
      await note(2, { state: 'done' });
      expect(await ids()).toEqual([3, 2, 1]);
      expect(await ids({ before: idOf(3), limit: 1 })).toEqual([2]);
      expect(await ids({ state: 'running' })).toEqual([3, 1]);
      expect(await ids({ state: 'running', before: idOf(3) })).toEqual([1]);
      const [done] = await list({ state: 'done' });
      expect(done).toEqual({
        bucket: { name: 'bucket-2', id: 'bucket-2~1' },
        job: summarizeKeyJob(keyJobOf(idOf(2), { state: 'done' })),
      });
    });

    test('believes no late start and no end without a start', async (directory) => {
      const { accountId, note, list, ids } = jobsOf(directory);
      await note(1, { state: 'done' });
      expect(await list()).toEqual([]);
      await note(1);
      await note(1, { state: 'cancelled' });
      await note(1);
      expect(await list()).toMatchObject([{ job: { state: 'cancelled' } }]);
      await directory.call('forgetJob', { accountId, id: idOf(1) });
      expect(await ids()).toEqual([]);
    });

    test('says what is too old in its bucket to be undone', async (directory) => {
      const { note, list } = jobsOf(directory);
      for (let number = 1; number <= UNDOABLE_JOBS + 1; number++) await note(number);
      for (let number = 50; number < 60; number++) await note(number, {}, 'another');
      const undoable = (await list()).filter(({ job }) => Number(job.id) < 50 && job.canUndo);
      expect(undoable.map(({ job }) => Number(job.id))).toEqual([6, 5, 4, 3, 2]);
    });

    test('forgets the oldest that ended, and none that runs', async (directory) => {
      const { note, ids } = jobsOf(directory);
      await note(0);
      for (let number = 1; number <= ACCOUNT_JOBS_STORED + 1; number++) {
        await note(number);
        await note(number, { state: 'done' });
      }
      const stored = await ids();
      expect(stored).toHaveLength(ACCOUNT_JOBS_STORED);
      expect(await ids({ state: 'running' })).toEqual([0]);
      expect(stored).not.toContain(1);
    });
  });
}
