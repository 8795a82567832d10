// What a job moves away leaves delete markers, as S3 clients see; the trash has only what was
// deleted.
import { describe, expect, it } from 'vitest';
import { listTrash, type TrashSort } from '../../../src/core/key-jobs/list-trash.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import type { BucketHandle } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { createMemoryCore, key } from '../memory-core.ts';
import { allVersions, moveOf, names, put, run, undo, withVersions } from './key-jobs-kit.ts';

const page = { prefix: '', sort: 'name', isDescending: false, limit: 100, cursor: '' } as const;

async function trashOf(bucket: BucketHandle, sort: TrashSort = 'name'): Promise<string[]> {
  const { hidden } = await listTrash(bucket, { ...page, sort });
  return hidden.map((entry) => entry.key);
}

/** A bucket whose folder `a/` became `b/`, and which had another key deleted. */
async function afterMove() {
  const core = createMemoryCore();
  const bucket = await withVersions(core);
  for (const name of ['a/1', 'a/2', 'z']) await put(core, bucket, name);
  await deleteObjects(core, bucket, [{ key: key('z') }]);
  const job = await run(core, bucket, moveOf('a/', 'b/'));
  return { core, bucket, job };
}

describe('the trash after a folder was renamed', () => {
  it('has what was deleted, in every order, and not what moved away', async () => {
    const { bucket } = await afterMove();
    for (const sort of ['name', 'deleted', 'size'] as const)
      expect(await trashOf(bucket, sort)).toEqual(['z']);
    // What S3 clients see stays as it was.
    expect(await allVersions(bucket)).toEqual([
      ...['a/1 marker *', 'a/1', 'a/2 marker *', 'a/2'],
      ...['b/1 *', 'b/2 *', 'z marker *', 'z'],
    ]);
  });

  it('has none of it where the folder went to another bucket', async () => {
    const core = createMemoryCore();
    const bucket = await withVersions(core);
    const toBucket = (await withVersions(core, 'other-bucket')).record().name;
    await put(core, bucket, 'a/1');
    const job = await run(core, bucket, moveOf('a/', 'b/', { toBucket }));
    expect(job.counts.done).toBe(1);
    expect(await names(bucket)).toEqual([]);
    expect(await trashOf(bucket)).toEqual([]);
  });

  it('is restored and emptied without what moved away', async () => {
    const { core, bucket } = await afterMove();
    const selection = { prefix: '', keys: null };
    const restored = await run(core, bucket, { kind: 'restore', selection });
    expect(restored.counts.done).toBe(1);
    expect(await names(bucket)).toEqual(['b/1', 'b/2', 'z']);
    await deleteObjects(core, bucket, [{ key: key('z') }]);
    const purged = await run(core, bucket, { kind: 'purge', selection });
    expect(purged.counts.done).toBe(1);
    expect(await allVersions(bucket)).toEqual([
      ...['a/1 marker *', 'a/1', 'a/2 marker *', 'a/2'],
      ...['b/1 *', 'b/2 *'],
    ]);
  });

  it('has a moved object that is deleted at its new key, or a new one at the old', async () => {
    const { core, bucket } = await afterMove();
    await put(core, bucket, 'a/2');
    await deleteObjects(core, bucket, [{ key: key('b/1') }, { key: key('a/2') }]);
    expect(await trashOf(bucket)).toEqual(['a/2', 'b/1', 'z']);
  });

  it('is as before when the rename is undone', async () => {
    const { core, bucket, job } = await afterMove();
    await undo(core, bucket, job);
    expect(await names(bucket)).toEqual(['a/1', 'a/2']);
    expect(await trashOf(bucket)).toEqual(['z']);
  });

  it('pages past what moved away, and misses nothing between', async () => {
    const core = createMemoryCore();
    const bucket = await withVersions(core);
    const moved = Array.from({ length: 12 }, (_, at) => `a/${String(at).padStart(2, '0')}`);
    const deleted = ['a/00+', 'a/05+', 'a/06+', 'a/11+', 'z'];
    for (const name of [...moved, ...deleted]) await put(core, bucket, name);
    await deleteObjects(
      core,
      bucket,
      deleted.map((name) => ({ key: key(name) })),
    );
    await run(core, bucket, moveOf('a/', 'b/'));
    for (const limit of [1, 2, 3, 5, 6]) {
      const all: string[] = [];
      let cursor = '';
      let pages = 0;
      for (let isLast = false; !isLast; pages++) {
        const { hidden, next } = await listTrash(bucket, { ...page, limit, cursor });
        expect(hidden.length).toBeLessThanOrEqual(limit);
        all.push(...hidden.map((entry) => entry.key));
        cursor = next ?? '';
        isLast = next === null;
      }
      expect([all, pages]).toEqual([deleted, Math.ceil(deleted.length / limit)]);
    }
  });
});
