// The life of a job: failures of its driver at any step, two drivers, an end before its end, tasks
// that mean nothing.
import { describe, expect, it } from 'vitest';
import { runKeyJob } from '../../../src/core/key-jobs/run-key-job.ts';
import {
  cancelKeyJob,
  findKeyJob,
  resumeKeyJobs,
  startKeyJob,
  undoKeyJob,
} from '../../../src/core/key-jobs/start-key-job.ts';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../../../src/core/opened-bucket/set-bucket-settings.ts';
import { parseBucketName } from '../../../src/core/parse-names.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import { KEY_STEP_MAX } from '../../../src/domain/keys/key-jobs.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import {
  ATTRIBUTES,
  createMemoryCore,
  key,
  type MemoryCore,
  openTestBucket,
  putBytes,
  sampleBytes,
  withPorts,
} from '../memory-core.ts';
import { moveOf, names, put, run, undo } from './key-jobs-kit.ts';

describe('a job', () => {
  /**
   * The core with an index whose calls of that name fail from the given one on, before or after
   * they took place.
   */
  function dying(core: MemoryCore, method: string, from: number, isAfter: boolean): MemoryCore {
    let calls = 0;
    const metadataIndex: MetadataIndex = {
      async call(bucket, name, input) {
        const isDead = name === method && ++calls >= from;
        if (isDead && !isAfter) throw new StorageError('ServiceUnavailable');
        const value = await core.ports.metadataIndex.call(bucket, name, input);
        if (isDead) throw new StorageError('ServiceUnavailable');
        return value;
      },
    };
    return withPorts(core, { metadataIndex });
  }

  it.each([
    ['stepKeyJob', false],
    ['stepKeyJob', true],
    ['listObjects', false],
  ])(
    'whose driver dies at %s (%s) goes on with the next sweep, and ends the same',
    async (method, isAfter) => {
      for (const from of [1, 2, 3]) {
        const core = createMemoryCore();
        const bucket = await openTestBucket(core);
        const many = Array.from(
          { length: 2 * KEY_STEP_MAX + 1 },
          (_, at) => `a/${String(at).padStart(4, '0')}`,
        );
        for (const name of many) await put(core, bucket, name);
        const dead = dying(core, method, from, isAfter);
        const handle = await openBucket(dead, bucket.record().name, () => undefined);
        const { id } = await startKeyJob(dead, handle, {
          task: moveOf('a/', 'b/'),
          accountId: ROOT_ACCOUNT.id,
        });
        await core.settle();
        await sweep(core);
        await core.settle();
        const job = await findKeyJob(core, bucket, id);
        expect(job).toMatchObject({
          state: 'done',
          counts: { done: many.length, missing: 0, conflicts: 0 },
        });
        expect(await names(bucket, 'b/')).toHaveLength(many.length);
      }
    },
  );

  /** Moves them all into another bucket by a driver that dies there, then by the sweep. */
  async function moveDying(
    core: MemoryCore,
    keys: readonly string[],
    call: readonly [string, number, boolean],
  ) {
    const bucket = await openBucket(core, parseBucketName('test-bucket'), () => undefined);
    const other = await openTestBucket(core, 'other-bucket');
    const dead = dying(core, ...call);
    const handle = await openBucket(dead, bucket.record().name, () => undefined);
    const task = moveOf('a/', 'a/', { toBucket: other.record().name });
    const { id } = await startKeyJob(dead, handle, { task, accountId: ROOT_ACCOUNT.id });
    await core.settle();
    const [here, there] = [await names(bucket), await names(other)];
    // Each is here or there, or for a while in both.
    expect([...new Set([...here, ...there])].toSorted()).toEqual(keys);
    await sweep(core);
    await core.settle();
    const counts = { done: keys.length, missing: 0, conflicts: 0 };
    expect(await findKeyJob(core, bucket, id)).toMatchObject({ state: 'done', counts });
    expect([await names(bucket), await names(other)]).toEqual([[], keys]);
    return { here, there };
  }

  it.each([
    ['getObjects', 2, false],
    ['addRemoteReferences', 1, false],
    ['addRemoteReferences', 1, true],
    ['commitCopies', 1, false],
    ['commitCopies', 1, true],
    ['stepKeyJob', 1, false],
    ['stepKeyJob', 1, true],
  ] as const)(
    'between buckets loses nothing where its driver dies at %s (%s, %s)',
    async (method, from, isAfter) => {
      const core = createMemoryCore();
      const bucket = await openTestBucket(core);
      const keys = Array.from({ length: 120 }, (_, at) => `a/${String(at).padStart(4, '0')}`);
      for (const name of keys) await put(core, bucket, name);
      const { here, there } = await moveDying(core, keys, [method, from, isAfter]);
      // In steps of a hundred: it dies in the first, or reading for the second.
      const isCopied =
        method === 'stepKeyJob' || from === 2 || (method === 'commitCopies' && isAfter);
      const isStepped = from === 2 || (method === 'stepKeyJob' && isAfter);
      expect([here.length, there.length]).toEqual([isStepped ? 20 : 120, isCopied ? 100 : 0]);
    },
  );

  it.each([
    ['addRemoteReferences', false],
    ['commitCopies', false],
    ['commitCopies', true],
    ['stepKeyJob', false],
    ['stepKeyJob', true],
  ] as const)(
    'that copies makes each copy once where its driver dies at %s (%s)',
    async (method, isAfter) => {
      for (const conflict of ['refuse', 'keep-both'] as const) {
        const core = createMemoryCore();
        const bucket = await openTestBucket(core);
        const other = await openTestBucket(core, 'other-bucket');
        const keys = Array.from({ length: 120 }, (_, at) => `a/${String(at).padStart(4, '0')}`);
        for (const name of keys) await put(core, bucket, name);
        const dead = dying(core, method, 1, isAfter);
        const handle = await openBucket(dead, bucket.record().name, () => undefined);
        const toOther = { toBucket: other.record().name, conflict };
        const task = { ...moveOf('a/', 'a/', toOther), kind: 'copy' } as const;
        const { id } = await startKeyJob(dead, handle, { task, accountId: ROOT_ACCOUNT.id });
        await core.settle();
        await sweep(core);
        await core.settle();
        const job = await findKeyJob(core, bucket, id);
        expect(job).toMatchObject({ state: 'done', counts: { done: 120, conflicts: 0 } });
        expect([await names(bucket), await names(other)]).toEqual([keys, keys]);
        expect((await undo(core, bucket, job)).counts).toMatchObject({ done: 120, missing: 0 });
        expect(await names(other)).toEqual([]);
      }
    },
  );

  it('between buckets carries some MB of inline bodies a commit, and loses nothing', async () => {
    const made = createMemoryCore();
    const core = { ...made, settings: { ...made.settings, inlineBodyMaxBytes: 100_000 } };
    const bucket = await openTestBucket(core);
    const keys = Array.from({ length: 90 }, (_, at) => `a/${String(at).padStart(4, '0')}`);
    // Long metadata keeps a body in the index.
    const attributes = { ...ATTRIBUTES, userMetadata: { long: 'x'.repeat(600) } };
    for (const name of keys)
      await putBytes(core, bucket, name, sampleBytes(60_000, name.length), { attributes });
    const { here, there } = await moveDying(core, keys, ['commitCopies', 2, false]);
    expect(here).toHaveLength(keys.length);
    expect(there.length).toBeGreaterThan(50);
    expect(there.length).toBeLessThan(80);
  });

  it('between buckets takes no object of equal bytes for its own copy', async () => {
    const core = createMemoryCore();
    const made = await openTestBucket(core);
    await setBucketSettings(core, made, { deduplication: true });
    const bucket = await openBucket(core, made.record().name, () => undefined);
    const other = await openTestBucket(core, 'other-bucket');
    // They share a blob, and each says of itself what it is.
    await put(core, bucket, 'a/x', 5);
    await put(core, bucket, 'b/x', 5);
    const toOther = { toBucket: other.record().name };
    expect(await run(core, bucket, moveOf('a/', 'c/', toOther))).toMatchObject({
      counts: { done: 1, conflicts: 0 },
    });
    expect(await run(core, bucket, moveOf('b/', 'c/', toOther))).toMatchObject({
      counts: { done: 0, conflicts: 1 },
    });
    expect([await names(bucket), await names(other)]).toEqual([['b/x'], ['c/x']]);
  });

  it('with two drivers does each step once', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const many = Array.from(
      { length: 3 * KEY_STEP_MAX },
      (_, at) => `a/${String(at).padStart(4, '0')}`,
    );
    for (const name of many) await put(core, bucket, name);
    const started = await startKeyJob(core, bucket, {
      task: moveOf('a/', 'b/'),
      accountId: ROOT_ACCOUNT.id,
    });
    await Promise.all([1, 2, 3].map(() => runKeyJob(core, bucket.record().name, started.id)));
    await resumeKeyJobs(core, bucket);
    await core.settle();
    const { counts } = await findKeyJob(core, bucket, started.id);
    expect(counts).toMatchObject({ done: many.length, missing: 0, conflicts: 0 });
  });

  it('that is cancelled stops, and what it did can be undone', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    for (const name of ['a/1', 'a/2']) await put(core, bucket, name);
    const dead = dying(core, 'stepKeyJob', 1, true);
    const handle = await openBucket(dead, bucket.record().name, () => undefined);
    const { id } = await startKeyJob(dead, handle, {
      task: moveOf('a/', 'b/'),
      accountId: ROOT_ACCOUNT.id,
    });
    await core.settle();
    const cancelled = await cancelKeyJob(core, bucket, id);
    expect(['cancelled', 'done']).toContain(cancelled.state);
    await undo(core, bucket, cancelled);
    expect(await names(bucket)).toEqual(['a/1', 'a/2']);
    await expect(findKeyJob(core, bucket, 'none')).rejects.toMatchObject({
      code: 'NoSuchResource',
    });
  });

  it('that runs is not undone before it is cancelled', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await put(core, bucket, 'a/1');
    const dead = dying(core, 'stepKeyJob', 1, false);
    const handle = await openBucket(dead, bucket.record().name, () => undefined);
    const accountId = ROOT_ACCOUNT.id;
    const { id } = await startKeyJob(dead, handle, { task: moveOf('a/', 'b/'), accountId });
    await core.settle();
    await expect(undoKeyJob(core, bucket, { id, accountId })).rejects.toMatchObject({
      code: 'InvalidRequest',
      message: expect.stringContaining('Cancel it first'),
    });
    await cancelKeyJob(core, bucket, id);
    expect(await undoKeyJob(core, bucket, { id, accountId })).toMatchObject({
      task: { kind: 'undo' },
    });
    await core.settle();
  });

  it('refuses tasks that can mean nothing', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const refused = [
      moveOf('a/', 'a/'),
      moveOf('a/', '\ud800'),
      moveOf('a/', 'b/', { selection: { prefix: 'a/', keys: [] } }),
      moveOf('a/', 'b/', { selection: { prefix: 'a/', keys: [key('b')] } }),
      moveOf('a/', 'x'.repeat(1025)),
    ];
    for (const task of refused) {
      await expect(run(core, bucket, task)).rejects.toMatchObject({ code: 'InvalidRequest' });
    }
  });
});
