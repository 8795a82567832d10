// What a job is about: a prefix, listed keys and prefixes together, each key once, and in many
// steps; and copies of it, here and in another bucket.
import { describe, expect, it } from 'vitest';
import { checkTask, TASK_MAX_KEYS } from '../../../src/core/key-jobs/key-tasks.ts';
import { startKeyJob } from '../../../src/core/key-jobs/start-key-job.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import {
  KEY_STEP_MAX,
  type KeyJobTask,
  type KeySelection,
} from '../../../src/domain/keys/key-jobs.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import {
  createMemoryCore,
  GRACE_SECONDS,
  key,
  openTestBucket,
  sampleBytes,
} from '../memory-core.ts';
import {
  allVersions,
  BLOB_BYTES,
  bytesAt,
  moveOf,
  names,
  put,
  run,
  undo,
  watched,
  withVersions,
} from './key-jobs-kit.ts';

const selectionOf = (keys: readonly string[], prefixes?: readonly string[], prefix = '') => ({
  prefix,
  keys: keys.length === 0 ? null : keys.map(key),
  ...(prefixes === undefined ? {} : { prefixes }),
});
const checked = (selection: KeySelection) => checkTask({ kind: 'delete', selection });
const copyOf = (
  prefix: string,
  to: string,
  changes: Partial<Extract<KeyJobTask, { kind: 'copy' }>> = {},
) => ({ ...moveOf(prefix, to), kind: 'copy', ...changes }) as const;

describe('a selection', () => {
  it('has each key once, whether listed or below a prefix', () => {
    const { task, keys } = checked(
      selectionOf(['b/1', 'a', 'a', 'b', 'c/x'], ['b/', 'b/deep/', 'd/', 'b/']),
    );
    expect(keys).toEqual(['a', 'b', 'c/x']);
    expect(task).toMatchObject({
      selection: { prefixes: ['b/', 'd/'], storedKeys: 3, keys: null },
    });
  });

  it('tells a key from a folder of its name', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    for (const name of ['a', 'a/1', 'a.txt', 'b', 'b/1', 'b.txt']) await put(core, bucket, name);
    await run(core, bucket, { kind: 'delete', selection: selectionOf(['a'], ['b/']) });
    expect(await names(bucket)).toEqual(['a.txt', 'a/1', 'b', 'b.txt']);
  });

  it('of keys and many folders is done in steps, and moves each below its own name', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const listed = Array.from({ length: KEY_STEP_MAX + 20 }, (_, at) => `p/k${at}`);
    const folders = Array.from({ length: 25 }, (_, at) => `p/f${String(at).padStart(2, '0')}/`);
    const below = folders.flatMap((folder, at) => (at % 2 ? [`${folder}x`, `${folder}y`] : []));
    const large = Array.from({ length: KEY_STEP_MAX + 5 }, (_, at) => `p/g/${at}`);
    for (const name of [...listed, ...below, ...large, 'p/stays', 'q'])
      await put(core, bucket, name);
    const selection = selectionOf([...listed, 'p/gone'], [...folders, 'p/g/'], 'p/');
    const job = await run(core, bucket, moveOf('p/', 'to/', { selection }));
    const done = listed.length + below.length + large.length;
    expect(job).toMatchObject({ state: 'done', total: done + 1, totalBytes: null });
    expect(job.counts).toEqual({
      done,
      bytes: done * BLOB_BYTES,
      missing: 1,
      conflicts: 0,
      locked: 0,
    });
    const moved = [...listed, ...below, ...large].map((name) => name.replace('p/', 'to/'));
    expect(await names(bucket)).toEqual(['p/stays', 'q', ...moved.toSorted()]);
    await undo(core, bucket, job);
    expect(await names(bucket, 'to/')).toEqual([]);
  });

  it('of hidden keys is purged, those of many versions in several steps', async () => {
    const core = createMemoryCore();
    const bucket = await withVersions(core);
    for (let at = 0; at < 600; at++) await put(core, bucket, 'a/1', at);
    for (const name of ['a/2', 'b/1', 'c/1', 'd']) await put(core, bucket, name);
    await run(core, bucket, { kind: 'delete', selection: selectionOf([]) });
    const some = selectionOf(['d'], ['a/', 'none/', 'c/']);
    const purged = await run(core, bucket, { kind: 'purge', selection: some });
    expect(purged.counts).toMatchObject({ done: 4, bytes: 603 * BLOB_BYTES, missing: 0 });
    expect(await allVersions(bucket)).toEqual(['b/1 marker *', 'b/1']);
  });

  it('is refused where it means nothing or is too large', () => {
    const many = Array.from({ length: TASK_MAX_KEYS + 1 }, (_, at) => `k${at}`);
    const folders = Array.from({ length: 1001 }, (_, at) => `f${at}/`);
    for (const selection of [
      selectionOf(many),
      selectionOf([], []),
      selectionOf([], folders),
      selectionOf([], ['b/'], 'a/'),
      selectionOf(['b'], ['a/'], 'a/'),
      selectionOf([], ['\ud800']),
      selectionOf(
        [],
        Array.from({ length: 70 }, (_, at) => `${at}${'x'.repeat(1000)}`),
      ),
    ]) {
      expect(() => checked(selection)).toThrow(expect.objectContaining({ code: 'InvalidRequest' }));
    }
    expect(checked(selectionOf(many.slice(1))).keys).toHaveLength(TASK_MAX_KEYS);
  });
});

describe('a copy in the bucket', () => {
  it('leaves the source, moves no byte, outlives it, and is undone', async () => {
    const plain = createMemoryCore();
    const bucket = await openTestBucket(plain);
    for (const name of ['a/1', 'a/2', 'b/2']) await put(plain, bucket, name);
    plain.advanceSeconds(5);
    const { core, calls } = watched(plain);
    const job = await run(core, bucket, copyOf('a/', 'b/', { conflict: 'keep-both' }));
    expect(job).toMatchObject({ state: 'done', counts: { done: 2, bytes: 2 * BLOB_BYTES } });
    expect(job.totalBytes).toBe(2 * BLOB_BYTES);
    expect(calls).toEqual([]);
    expect(await names(bucket)).toEqual(['a/1', 'a/2', 'b/1', 'b/2', 'b/2 (1)']);
    const copy = await bucket.call('getVersion', { key: key('b/1'), versionId: null });
    expect(copy).toMatchObject({
      object: { userMetadata: { name: 'a/1' }, lastModifiedMs: plain.ports.clock.nowMs() },
    });
    expect((await undo(core, bucket, job)).counts).toMatchObject({ done: 2, missing: 0 });
    expect(await names(bucket)).toEqual(['a/1', 'a/2', 'b/2']);

    await run(core, bucket, copyOf('a/', 'c/'));
    await run(core, bucket, { kind: 'delete', selection: selectionOf([], ['a/']) });
    plain.advanceSeconds(GRACE_SECONDS + 10);
    await sweep(plain);
    expect(await bytesAt(plain, bucket, 'c/1')).toEqual(sampleBytes(BLOB_BYTES, 3));
  });

  it('takes neither the lock nor the grants along, and gives back what it replaced', async () => {
    const core = createMemoryCore();
    const bucket = await withVersions(core);
    await put(core, bucket, 'a/1', 1);
    await put(core, bucket, 'b/1', 2);
    await bucket.call('updateVersion', {
      key: key('a/1'),
      versionId: null,
      change: { hasLegalHold: true, tags: { kind: 'photo' } },
      bypassGovernance: false,
      nowMs: core.ports.clock.nowMs(),
    });
    const job = await run(core, bucket, copyOf('a/', 'b/', { conflict: 'replace' }));
    const copy = await bucket.call('getVersion', { key: key('b/1'), versionId: null });
    expect(copy).toMatchObject({ object: { lock: null, acl: null, tags: { kind: 'photo' } } });
    await undo(core, bucket, job);
    expect(await allVersions(bucket)).toEqual(['a/1 *', 'b/1 *']);
    expect(await bytesAt(core, bucket, 'b/1')).toEqual(sampleBytes(BLOB_BYTES, 2));
  });

  it('into a folder of its own ends, and listed objects are doubled in place', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    for (const name of ['a/1', 'a/c.txt']) await put(core, bucket, name);
    expect((await run(core, bucket, copyOf('a/', 'a/b/'))).counts).toMatchObject({ done: 2 });
    const selection = selectionOf(['a/1', 'a/c.txt'], undefined, 'a/');
    const beside = copyOf('a/', 'a/', { selection, conflict: 'keep-both' });
    await run(core, bucket, beside);
    expect(await names(bucket)).toEqual([
      'a/1',
      'a/1 (1)',
      'a/b/1',
      'a/b/c.txt',
      'a/c (1).txt',
      'a/c.txt',
    ]);
    for (const task of [copyOf('a/', 'a/', { conflict: 'keep-both' }), copyOf('a/', 'a/')]) {
      const started = startKeyJob(core, bucket, { task, accountId: ROOT_ACCOUNT.id });
      await expect(started).rejects.toMatchObject({ code: 'InvalidRequest' });
    }
    const inside = await run(
      core,
      bucket,
      moveOf('a/', 'a/b/', {
        selection: selectionOf(['a/b/1', 'a/1'], undefined, 'a/'),
      }),
    );
    expect(inside.counts).toMatchObject({ done: 0, conflicts: 2 });
  });
});

describe('a copy into another bucket', () => {
  it('goes by reference, and its undo removes only what it made', async () => {
    const plain = createMemoryCore();
    const bucket = await openTestBucket(plain);
    const other = await openTestBucket(plain, 'other-bucket');
    for (const name of ['a/1', 'a/2', 'a/3']) await put(plain, bucket, name);
    const { core, calls } = watched(plain);
    const task = copyOf('a/', 'x/', { toBucket: other.record().name });
    const one = { ...task, selection: selectionOf(['a/1'], undefined, 'a/') };
    expect((await run(core, bucket, one)).counts).toMatchObject({ done: 1 });
    plain.advanceSeconds(3600);
    // The first is there already, of another job.
    const job = await run(core, bucket, task);
    expect(job.counts).toMatchObject({ done: 2, bytes: 2 * BLOB_BYTES, conflicts: 1 });
    expect(calls).toEqual([]);
    expect([await names(bucket), await names(other)]).toEqual([
      ['a/1', 'a/2', 'a/3'],
      ['x/1', 'x/2', 'x/3'],
    ]);
    await put(plain, other, 'x/3', 9);
    expect((await undo(core, bucket, job)).counts).toMatchObject({ done: 1, missing: 1 });
    expect(await names(other)).toEqual(['x/1', 'x/3']);
    await run(core, bucket, { kind: 'delete', selection: selectionOf([], ['a/']) });
    plain.advanceSeconds(GRACE_SECONDS + 10);
    await sweep(plain);
    expect(await bytesAt(plain, other, 'x/1')).toEqual(sampleBytes(BLOB_BYTES, 3));
  });
});
