// Jobs over many keys: what each kind of task does.
import { describe, expect, it } from 'vitest';
import { deleteBucket } from '../../../src/core/buckets/delete-bucket.ts';
import { runKeyJob } from '../../../src/core/key-jobs/run-key-job.ts';
import { startKeyJob } from '../../../src/core/key-jobs/start-key-job.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import { KEY_STEP_MAX } from '../../../src/domain/keys/key-jobs.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import {
  createMemoryCore,
  GRACE_SECONDS,
  key,
  openTestBucket,
  sampleBytes,
  withPorts,
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

describe('a move in a bucket without versions', () => {
  it('renames a prefix of several steps, moves no byte, and is undone', async () => {
    const plain = createMemoryCore();
    const bucket = await openTestBucket(plain);
    const many = Array.from(
      { length: KEY_STEP_MAX + 3 },
      (_, at) => `a/${String(at).padStart(4, '0')}`,
    );
    for (const name of [...many, 'a', 'b/x', 'z']) await put(plain, bucket, name);
    const before = await bucket.call('getVersion', { key: key('a/0001'), versionId: null });
    plain.advanceSeconds(60);
    const { core, calls } = watched(plain);
    const job = await run(core, bucket, moveOf('a/', 'new/folder/'));
    expect(calls).toEqual([]);
    const counts = { done: many.length, missing: 0, conflicts: 0, locked: 0 };
    expect(job).toMatchObject({ state: 'done', total: many.length, counts });
    expect(job.counts.bytes).toBe(many.length * BLOB_BYTES);
    expect(await names(bucket)).toEqual([
      'a',
      'b/x',
      ...many.map((name) => name.replace('a/', 'new/folder/')),
      'z',
    ]);
    const after = await bucket.call('getVersion', { key: key('new/folder/0001'), versionId: null });
    if (before?.kind !== 'object' || after?.kind !== 'object') throw new Error('not there');
    const { key: _k, versionId: _v, ...same } = before.object;
    expect(after.object).toMatchObject(same);

    const undone = await undo(core, bucket, job);
    expect(undone).toMatchObject({ state: 'done', counts: { done: many.length } });
    expect(await names(bucket)).toEqual(['a', ...many, 'b/x', 'z']);
  });

  it('keeps the bytes through the sweeps that follow', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await put(core, bucket, 'a/1');
    await put(core, bucket, 'b/1', 99);
    await run(core, bucket, moveOf('a/', 'b/', { conflict: 'replace' }));
    core.advanceSeconds(GRACE_SECONDS + 10);
    await sweep(core);
    expect(await bytesAt(core, bucket, 'b/1')).toEqual(sampleBytes(BLOB_BYTES, 3));
    expect(await names(bucket)).toEqual(['b/1']);
  });

  it('leaves, replaces or numbers a key where the new one is taken', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const fill = async () => {
      for (const name of ['a/p.tar.gz', 'a/q']) await put(core, bucket, name, 1);
      for (const name of ['b/p.tar.gz', 'b/p (1).tar.gz']) await put(core, bucket, name, 2);
    };
    await fill();
    expect((await run(core, bucket, moveOf('a/', 'b/'))).counts).toMatchObject({
      done: 1,
      conflicts: 1,
    });
    expect(await names(bucket)).toEqual(['a/p.tar.gz', 'b/p (1).tar.gz', 'b/p.tar.gz', 'b/q']);
    expect(
      (await run(core, bucket, moveOf('a/', 'b/', { conflict: 'keep-both' }))).counts,
    ).toMatchObject({ done: 1 });
    expect(await names(bucket)).toEqual(['b/p (1).tar.gz', 'b/p (2).tar.gz', 'b/p.tar.gz', 'b/q']);
    await fill();
    core.advanceSeconds(5);
    expect(
      (await run(core, bucket, moveOf('a/', 'b/', { conflict: 'replace' }))).counts,
    ).toMatchObject({ done: 2 });
    expect(await bytesAt(core, bucket, 'b/p.tar.gz')).toEqual(sampleBytes(BLOB_BYTES, 1));
    const replaced = await bucket.call('getVersion', { key: key('b/p.tar.gz'), versionId: null });
    // Whoever asks by date must not take the old object for the new one.
    expect(replaced).toMatchObject({ object: { lastModifiedMs: core.ports.clock.nowMs() } });
  });

  it('renames one key, moves listed keys, and passes over what is gone', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    for (const name of ['a/1', 'a/2', 'a/3']) await put(core, bucket, name);
    const one = moveOf('a/1', 'first', { selection: { prefix: 'a/1', keys: [key('a/1')] } });
    expect((await run(core, bucket, one)).counts.done).toBe(1);
    const listed = moveOf('a/', 'c/', {
      selection: { prefix: 'a/', keys: [key('a/9'), key('a/3'), key('a/3')] },
    });
    expect((await run(core, bucket, listed)).counts).toMatchObject({ done: 1, missing: 1 });
    expect(await names(bucket)).toEqual(['a/2', 'c/3', 'first']);
  });

  it('moves a folder into one of its own, and up, without meeting its own keys again', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    for (const name of ['a/1', 'a/b/2', 'a/c', 'a/b/b2']) await put(core, bucket, name);
    await run(core, bucket, moveOf('a/', 'a/b/'));
    expect(await names(bucket)).toEqual(['a/b/1', 'a/b/2', 'a/b/b2', 'a/b/c']);
    await run(core, bucket, moveOf('a/b/', 'a/'));
    expect(await names(bucket)).toEqual(['a/1', 'a/2', 'a/b2', 'a/c']);
    await put(core, bucket, 'a/b/b/x');
    const up = startKeyJob(core, bucket, {
      task: moveOf('a/b/', 'a/'),
      accountId: ROOT_ACCOUNT.id,
    });
    await expect(up).rejects.toMatchObject({ code: 'InvalidRequest' });
  });

  it('counts a name that no key can have as a conflict', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    for (const name of ['a/1', `a/${'n'.repeat(600)}`]) await put(core, bucket, name);
    expect((await run(core, bucket, moveOf('a/', 'm'.repeat(500)))).counts).toMatchObject({
      done: 1,
      conflicts: 1,
    });
  });
});

describe('a move in a bucket with versions', () => {
  it('leaves the old versions behind a marker, and an undo leaves no trace', async () => {
    const core = createMemoryCore();
    const bucket = await withVersions(core);
    for (const seed of [1, 2]) await put(core, bucket, 'a/1', seed);
    await put(core, bucket, 'b/1', 3);
    const before = await allVersions(bucket);
    const job = await run(core, bucket, moveOf('a/', 'b/', { conflict: 'replace' }));
    expect(job.counts).toMatchObject({ done: 1 });
    expect(await allVersions(bucket)).toEqual(['a/1 marker *', 'a/1', 'a/1', 'b/1 *', 'b/1']);
    expect(await bytesAt(core, bucket, 'b/1')).toEqual(sampleBytes(BLOB_BYTES, 2));
    await undo(core, bucket, job);
    expect(await allVersions(bucket)).toEqual(before);
    expect(await bytesAt(core, bucket, 'a/1')).toEqual(sampleBytes(BLOB_BYTES, 2));
    expect(await bytesAt(core, bucket, 'b/1')).toEqual(sampleBytes(BLOB_BYTES, 3));
    core.advanceSeconds(GRACE_SECONDS + 10);
    await sweep(core);
    expect(await bytesAt(core, bucket, 'a/1')).toEqual(sampleBytes(BLOB_BYTES, 2));
  });

  it('keeps a lock with the object, under both names', async () => {
    const core = createMemoryCore();
    const bucket = await withVersions(core);
    await put(core, bucket, 'a/1');
    const change = { hasLegalHold: true };
    const nowMs = core.ports.clock.nowMs();
    await bucket.call('updateVersion', {
      key: key('a/1'),
      versionId: null,
      change,
      bypassGovernance: false,
      nowMs,
    });
    const job = await run(core, bucket, moveOf('a/', 'b/'));
    expect(await bucket.call('getVersion', { key: key('b/1'), versionId: null })).toMatchObject({
      object: { lock: { hasLegalHold: true } },
    });
    expect((await undo(core, bucket, job)).counts).toMatchObject({ done: 0, locked: 1 });
  });
});

describe('a bulk deletion', () => {
  it('fills the trash of a bucket with versions, which undo, restore and purge empty', async () => {
    const core = createMemoryCore();
    const bucket = await withVersions(core);
    for (const name of ['a/1', 'a/2', 'b']) await put(core, bucket, name);
    const selection = { prefix: 'a/', keys: null };
    const job = await run(core, bucket, { kind: 'delete', selection });
    expect(job.counts).toMatchObject({ done: 2, bytes: 2 * BLOB_BYTES });
    expect(await names(bucket)).toEqual(['b']);
    const hidden = await bucket.call('listHidden', { prefix: '', after: '', limit: 10 });
    expect(hidden.map((one) => [one.key, one.newest?.sizeBytes])).toEqual([
      ['a/1', BLOB_BYTES],
      ['a/2', BLOB_BYTES],
    ]);
    await undo(core, bucket, job);
    expect(await names(bucket)).toEqual(['a/1', 'a/2', 'b']);
    expect(await allVersions(bucket)).toEqual(['a/1 *', 'a/2 *', 'b *']);

    await run(core, bucket, { kind: 'delete', selection });
    // A second deletion puts a marker on the marker.
    await deleteObjects(core, bucket, [{ key: key('a/2') }]);
    const restored = await run(core, bucket, {
      kind: 'restore',
      selection: { prefix: 'a/', keys: [key('a/2')] },
    });
    expect(restored.counts.done).toBe(1);
    expect(await names(bucket)).toEqual(['a/2', 'b']);

    const purged = await run(core, bucket, {
      kind: 'purge',
      selection: { prefix: '', keys: null },
    });
    expect(purged.counts).toMatchObject({ done: 1, bytes: BLOB_BYTES });
    expect(await allVersions(bucket)).toEqual(['a/2 *', 'b *']);
  });

  it('removes keys of very many versions in several steps', async () => {
    const core = createMemoryCore();
    const bucket = await withVersions(core);
    for (let at = 0; at < 600; at++) await put(core, bucket, 'a', at);
    for (const name of ['0', 'b']) await put(core, bucket, name);
    await run(core, bucket, { kind: 'delete', selection: { prefix: '', keys: null } });
    const keys = ['0', 'a', 'b', 'c'].map(key);
    const job = await run(core, bucket, { kind: 'purge', selection: { prefix: '', keys } });
    expect(job.counts).toMatchObject({ done: 3, missing: 1, bytes: 602 * BLOB_BYTES });
    expect(await allVersions(bucket)).toEqual([]);
  });

  it('is for good in a bucket without versions, and says so', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await put(core, bucket, 'a/1');
    const job = await run(core, bucket, { kind: 'delete', selection: { prefix: '', keys: null } });
    expect(job).toMatchObject({ state: 'done', canUndo: false, counts: { done: 1 } });
    await expect(undo(core, bucket, job)).rejects.toMatchObject({ code: 'InvalidRequest' });
  });
});

describe('a move into another bucket', () => {
  it('copies by reference, deletes, and is undone', async () => {
    const plain = createMemoryCore();
    const bucket = await openTestBucket(plain);
    const other = await openTestBucket(plain, 'other-bucket');
    for (const name of ['a/1', 'a/2', 'b']) await put(plain, bucket, name);
    const { core, calls } = watched(plain);
    const job = await run(core, bucket, moveOf('a/', 'x/', { toBucket: other.record().name }));
    expect(job).toMatchObject({ state: 'done', counts: { done: 2, conflicts: 0 } });
    expect(calls).toEqual([]);
    expect([await names(bucket), await names(other)]).toEqual([['b'], ['x/1', 'x/2']]);
    plain.advanceSeconds(GRACE_SECONDS + 10);
    await sweep(plain);
    expect(await bytesAt(plain, other, 'x/1')).toEqual(sampleBytes(BLOB_BYTES, 3));
    expect((await undo(core, bucket, job)).counts).toMatchObject({ done: 2 });
    expect([await names(bucket), await names(other)]).toEqual([['a/1', 'a/2', 'b'], []]);
    plain.advanceSeconds(GRACE_SECONDS + 10);
    await sweep(plain);
    expect(await bytesAt(plain, bucket, 'a/1')).toEqual(sampleBytes(BLOB_BYTES, 3));
  });

  it('takes a hold, a commit there and one here for a hundred keys', async () => {
    const plain = createMemoryCore();
    const bucket = await openTestBucket(plain);
    const other = await openTestBucket(plain, 'other-bucket');
    for (let at = 0; at < 120; at++) await put(plain, bucket, `a/${at}`);
    const calls: string[] = [];
    const index = plain.ports.metadataIndex;
    const metadataIndex: MetadataIndex = {
      call(name, method, input) {
        calls.push(method);
        return index.call(name, method, input);
      },
    };
    const job = await run(
      withPorts(plain, { metadataIndex }),
      bucket,
      moveOf('a/', 'x/', { toBucket: other.record().name }),
    );
    expect(job).toMatchObject({ state: 'done', counts: { done: 120 } });
    for (const method of ['addRemoteReferences', 'commitCopies', 'stepKeyJob']) {
      expect([method, calls.filter((call) => call === method).length]).toEqual([method, 2]);
    }
    expect(calls).not.toContain('commitObject');
  });

  it.each(['refuse', 'replace', 'keep-both'] as const)(
    'finds the copies of a driver that died behind them, and makes no others (%s)',
    async (conflict) => {
      const core = createMemoryCore();
      const [bucket, other] = [
        await withVersions(core),
        await openTestBucket(core, 'other-bucket'),
      ];
      for (const name of ['a/1', 'a/2']) await put(core, bucket, name);
      await put(core, other, 'x/1', 9);
      const { name: toBucket } = other.record();
      const index = core.ports.metadataIndex;
      let isDead = false;
      const metadataIndex: MetadataIndex = {
        async call(name, method, input) {
          if (isDead) throw new StorageError('ServiceUnavailable');
          const value = await index.call(name, method, input);
          isDead = method === 'commitCopies';
          if (isDead) throw new StorageError('ServiceUnavailable');
          return value;
        },
      };
      const dead = withPorts(core, { metadataIndex });
      const begun = await startKeyJob(
        dead,
        await openBucket(dead, bucket.record().name, () => undefined),
        {
          task: moveOf('a/', 'x/', { toBucket, conflict }),
          accountId: ROOT_ACCOUNT.id,
        },
      );
      await core.settle();
      const job = await runKeyJob(core, bucket.record().name, begun.id);
      const moved = conflict === 'refuse' ? 1 : 2;
      expect(job).toMatchObject({ state: 'done', counts: { done: moved, conflicts: 2 - moved } });
      const there = {
        refuse: ['x/1', 'x/2'],
        replace: ['x/1', 'x/2'],
        'keep-both': ['x/1', 'x/1 (1)', 'x/2'],
      };
      expect([await names(bucket), await names(other)]).toEqual([
        moved === 2 ? [] : ['a/1'],
        there[conflict],
      ]);
      expect(await allVersions(other)).toHaveLength(there[conflict].length);
    },
  );

  it('ends where the other bucket is not the same any more', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const other = await openTestBucket(core, 'other-bucket');
    for (const name of ['a/1', 'a/2']) await put(core, bucket, name);
    const job = await run(core, bucket, moveOf('a/', 'x/', { toBucket: other.record().name }));
    await deleteObjects(core, other, [{ key: key('x/1') }, { key: key('x/2') }]);
    await deleteBucket(core, other);
    await openTestBucket(core, 'other-bucket');
    const undone = await undo(core, bucket, job);
    expect(undone).toMatchObject({
      state: 'failed',
      failure: 'The specified bucket does not exist',
    });
  });

  it('takes no other bucket than one that is there', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const task = moveOf('a/', 'x/', { toBucket: 'nowhere' as never });
    await expect(run(core, bucket, task)).rejects.toMatchObject({ code: 'NoSuchBucket' });
  });
});
