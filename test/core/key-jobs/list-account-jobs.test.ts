// The jobs of an account, where what is noted and what the bucket knows differ: drivers that died
// before their note, buckets that are gone, jobs that never began.
import { describe, expect, it } from 'vitest';
import { deleteBucket } from '../../../src/core/buckets/delete-bucket.ts';
import { listAccountJobs } from '../../../src/core/key-jobs/list-account-jobs.ts';
import { startKeyJob } from '../../../src/core/key-jobs/start-key-job.ts';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { KeyJobState } from '../../../src/domain/keys/key-jobs.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import type { Directory } from '../../../src/ports/directory.ts';
import { createMemoryCore, type MemoryCore, openTestBucket, withPorts } from '../memory-core.ts';
import { moveOf, put, run } from './key-jobs-kit.ts';

async function list(core: MemoryCore, state: KeyJobState | null = null) {
  const page = { accountId: ROOT_ACCOUNT.id, before: '', limit: 100, state };
  return (await listAccountJobs(core, page)).map(({ listed }) => listed);
}

/** The core whose directory takes no note of what has ended. */
function withoutEnds(core: MemoryCore): MemoryCore {
  const { directory } = core.ports;
  const call: Directory['call'] = async (name, input) => {
    if (name === 'noteJob' && (input as { job: { state: string } }).job.state !== 'running')
      throw new StorageError('ServiceUnavailable');
    return directory.call(name, input);
  };
  return withPorts(core, { directory: { ...directory, call } });
}

describe('jobs of an account', () => {
  it('have ended where their driver died before it noted that', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await put(core, bucket, 'a/1');
    const dying = withoutEnds(core);
    const job = await run(dying, bucket, moveOf('a/', 'b/'));
    expect(job.state).toBe('done');
    expect(await list(core, 'done')).toEqual([]);
    expect(await list(core, 'running')).toEqual([null]);
    expect(await list(core, 'done')).toMatchObject([
      { bucket: { name: 'test-bucket' }, job: { id: job.id, counts: { done: 1 } } },
    ]);
  });

  it('have failed where their bucket is gone, or is another one', async () => {
    for (const isMadeAgain of [false, true]) {
      const core = createMemoryCore();
      const bucket = await openTestBucket(core);
      await run(withoutEnds(core), bucket, moveOf('a/', 'b/'));
      await deleteBucket(core, bucket);
      if (isMadeAgain) await openTestBucket(core);
      for (const _ of [1, 2]) {
        expect(await list(core)).toMatchObject([
          { job: { state: 'failed', failure: 'The bucket was deleted.', canUndo: false } },
        ]);
      }
    }
  });

  it('are shown as noted while their bucket does not answer', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await run(withoutEnds(core), bucket, moveOf('a/', 'b/'));
    const dead = withPorts(core, {
      metadataIndex: { call: () => Promise.reject(new StorageError('ServiceUnavailable')) },
    });
    expect(await list(dead)).toMatchObject([{ job: { state: 'running' } }]);
  });

  it('that never began are not shown, and are forgotten after a while', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const index = core.ports.metadataIndex;
    const dying = withPorts(core, {
      metadataIndex: {
        async call(name, method, input) {
          if (method === 'createKeyJob') throw new StorageError('ServiceUnavailable');
          return index.call(name, method, input);
        },
      },
    });
    const handle = await openBucket(dying, bucket.record().name, () => undefined);
    const started = startKeyJob(dying, handle, {
      task: moveOf('a/', 'b/'),
      accountId: ROOT_ACCOUNT.id,
    });
    await expect(started).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    expect(await list(core)).toEqual([null]);
    core.advanceSeconds(700);
    expect(await list(core)).toEqual([null]);
    expect(await list(core)).toEqual([]);
  });
});
