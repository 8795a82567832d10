// Search by a part of the key, and its index.
import { describe, expect, it } from 'vitest';
import { deleteBucket } from '../../../src/core/buckets/delete-bucket.ts';
import { measurePrefixes } from '../../../src/core/key-jobs/measure-prefixes.ts';
import { searchKeys, sortObjects } from '../../../src/core/key-jobs/search-keys.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import type { BucketHandle } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import { SEARCH_SCAN_ROWS } from '../../../src/domain/keys/key-aids.ts';
import { objectOf } from '../../contract/index/samples.ts';
import { createMemoryCore, GRACE_SECONDS, key, openTestBucket } from '../memory-core.ts';

const commit = (bucket: BucketHandle, name: string, sizeBytes = 3, lastModifiedMs = 1) =>
  bucket.call('commitObject', {
    object: objectOf(name, { sizeBytes, lastModifiedMs }),
    condition: null,
    newReferences: [],
  });
const DAY_SECONDS = 86_400;
const WHOLE = { prefix: '', limit: 1000, after: null };

describe('the size of a prefix', () => {
  it('is counted when it is first asked for, and kept', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    for (const name of ['a/1', 'a/2', 'b']) await commit(bucket, name);
    expect(await measurePrefixes(core, bucket, ['a/', ''])).toEqual([
      { objects: 2, bytes: 6, otherBytes: 0 },
      { objects: 3, bytes: 9, otherBytes: 0 },
    ]);
    await deleteObjects(core, bucket, [{ key: key('a/1') }]);
    expect(await measurePrefixes(core, bucket, ['a/'])).toEqual([
      { objects: 1, bytes: 3, otherBytes: 0 },
    ]);
  });
});

describe('search', () => {
  it('builds an index at the first search of a large bucket, updates and deletes it', {
    timeout: 60_000,
  }, async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    for (let at = 0; at < SEARCH_SCAN_ROWS + 10; at++)
      await commit(bucket, `k/${String(at).padStart(6, '0')}.txt`);
    await commit(bucket, 'zebra.txt');
    const first = await searchKeys(core, bucket, { ...WHOLE, needle: 'zebra' });
    expect(first).toMatchObject({ objects: [], isComplete: false, state: 'off' });
    const next = await searchKeys(core, bucket, {
      ...WHOLE,
      needle: 'zebra',
      after: first.nextAfter,
    });
    expect(next).toMatchObject({ objects: [{ key: 'zebra.txt' }], nextAfter: null });
    await core.settle();
    const second = await searchKeys(core, bucket, { ...WHOLE, needle: 'ZEBRA' });
    expect(second).toMatchObject({
      objects: [{ key: 'zebra.txt' }],
      isComplete: true,
      state: 'ready',
    });

    for (let at = 0; at < 300; at++) await commit(bucket, `zebra/${at}`);
    core.advanceSeconds(10);
    expect(await searchKeys(core, bucket, { ...WHOLE, needle: 'zebra/' })).toMatchObject({
      pending: 300,
      isComplete: true,
    });
    await core.settle();
    const taken = await searchKeys(core, bucket, { ...WHOLE, needle: 'zebra/' });
    expect([taken.objects.length, taken.pending]).toEqual([300, 0]);

    core.advanceSeconds(31 * DAY_SECONDS);
    await sweep(core);
    expect(await searchKeys(core, bucket, { ...WHOLE, needle: 'nothing' })).toMatchObject({
      state: 'off',
    });
  });

  it('refuses texts that can not be searched for', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    for (const needle of ['', 'x'.repeat(256), 'a\0b', '\u0301']) {
      await expect(searchKeys(core, bucket, { ...WHOLE, needle })).rejects.toMatchObject({
        code: 'InvalidRequest',
      });
    }
  });

  it('leaves nothing behind when its bucket goes', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await commit(bucket, 'one');
    await bucket.call('indexKeys', { nowMs: 1 });
    await deleteObjects(core, bucket, [{ key: key('one') }]);
    await deleteBucket(core, bucket);
    core.advanceSeconds(GRACE_SECONDS * 2);
    await sweep(core);
    expect(
      await core.ports.metadataIndex.call(
        bucket.record().name,
        'listIncarnations',
        bucket.record(),
      ),
    ).toEqual([]);
  });

  it('sorts the objects that it finds', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const made = [
      ['a', 3, 1],
      ['b', 1, 3],
      ['c', 3, 2],
    ] as const;
    for (const [name, size, time] of made) await commit(bucket, name, size, time);
    const { objects } = await bucket.call('listObjects', {
      prefix: '',
      delimiter: '',
      after: '',
      maxKeys: 10,
    });
    const sorted = (by: 'name' | 'size' | 'modified', isDescending: boolean) =>
      sortObjects(objects, by, isDescending)
        .map((object) => object.key)
        .join('');
    expect([
      sorted('name', true),
      sorted('size', false),
      sorted('size', true),
      sorted('modified', true),
    ]).toEqual(['cba', 'bac', 'acb', 'bca']);
  });
});
