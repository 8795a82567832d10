// The sweeper: which blobs it deletes, and which it never may.
import { describe, expect, it } from 'vitest';
import { deleteBucket } from '../../../src/core/buckets/delete-bucket.ts';
import { copyObject } from '../../../src/core/objects/copy-object.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { getObject } from '../../../src/core/objects/read-object.ts';
import type { BucketHandle } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { ObjectVersion } from '../../../src/domain/nouns.ts';
import type { BlobStore } from '../../../src/ports/blob-store.ts';
import type { IndexApi } from '../../../src/ports/metadata-index.ts';
import {
  ATTRIBUTES,
  createMemoryCore,
  GRACE_SECONDS,
  key,
  type MemoryCore,
  openTestBucket,
  putBytes,
  readWhole,
  sampleBytes,
  withPorts,
} from '../memory-core.ts';
import { copyOf, putPart, startUpload } from '../multipart-kit.ts';

const SIZE = 100;
const put = (core: MemoryCore, bucket: BucketHandle, name: string, seed = 0) =>
  putBytes(core, bucket, name, sampleBytes(SIZE, seed));
const copy = (core: MemoryCore, target: BucketHandle, source: ObjectVersion, name: string) =>
  copyObject(core, target, copyOf(source, name));
const pastGrace = (core: MemoryCore) => core.advanceSeconds(GRACE_SECONDS + 1);

describe('the sweeper', () => {
  it('deletes the blobs of an overwrite and a delete, after the grace and not before', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await put(core, bucket, 'a', 1);
    await put(core, bucket, 'a', 2);
    await put(core, bucket, 'b', 3);
    await deleteObjects(core, bucket, [{ key: key('b') }]);
    expect(await sweep(core)).toEqual({ deletedBlobs: 0, releasedReferences: 0 });
    expect(core.blobStore.blobs.size).toBe(3);
    pastGrace(core);
    expect(await sweep(core)).toEqual({ deletedBlobs: 2, releasedReferences: 0 });
    expect(await readWhole(core, await getObject(bucket, key('a')))).toEqual(sampleBytes(SIZE, 2));
    expect(core.blobStore.blobs.size).toBe(1);
  });

  it('deletes the blob of a write that died before its commit', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const metadataIndex = {
      call: (async (name: never, call: keyof IndexApi, input: never) => {
        if (call === 'commitObject') throw new StorageError('InternalError');
        return core.ports.metadataIndex.call(name, call, input);
      }) as typeof core.ports.metadataIndex.call,
    };
    const dying = withPorts(core, { metadataIndex });
    await expect(put(dying, await openTestBucket(dying), 'a')).rejects.toThrow();
    await put(core, bucket, 'b');
    await core.settle();
    expect(core.blobStore.blobs.size).toBe(2);
    pastGrace(core);
    await put(core, bucket, 'c');
    expect((await sweep(core)).deletedBlobs).toBe(1);
    expect((await sweep(core)).deletedBlobs).toBe(0);
    for (const name of ['b', 'c']) {
      expect(await readWhole(core, await getObject(bucket, key(name)))).toEqual(sampleBytes(SIZE));
    }
  });

  it('keeps the bytes of a copy in another bucket after the source bucket is gone', async () => {
    const core = createMemoryCore();
    const [from, to] = [
      await openTestBucket(core, 'from'),
      await openTestBucket(core, 'to-bucket'),
    ];
    const source = await put(core, from, 'a');
    const copied = await copy(core, to, source, 'b');
    await deleteObjects(core, from, [{ key: key('a') }]);
    await deleteBucket(core, from);
    pastGrace(core);
    await sweep(core);
    pastGrace(core);
    await sweep(core);
    expect(await readWhole(core, copied)).toEqual(sampleBytes(SIZE));

    // A copy of the copy, in a third bucket, still counts at the true owner.
    const third = await openTestBucket(core, 'third');
    const again = await copy(core, third, copied, 'c');
    await deleteObjects(core, to, [{ key: key('b') }]);
    pastGrace(core);
    await sweep(core);
    expect(await readWhole(core, again)).toEqual(sampleBytes(SIZE));

    await deleteObjects(core, third, [{ key: key('c') }]);
    for (let round = 0; round < 3; round++) {
      pastGrace(core);
      await sweep(core);
    }
    expect(core.blobStore.blobs.size).toBe(0);
    // The deleted bucket is forgotten for good.
    expect(await core.ports.directory.call('listBucketNames', { after: '', limit: 10 })).toEqual([
      'third',
      'to-bucket',
    ]);
  });

  it('releases a remote reference whose copy never committed', async () => {
    const core = createMemoryCore();
    const [from, to] = [
      await openTestBucket(core, 'from'),
      await openTestBucket(core, 'to-bucket'),
    ];
    const source = await put(core, from, 'a');
    const condition = { ifMatch: 'other', ifNoneMatch: null };
    const refused = copyObject(core, to, {
      source,
      key: key('b'),
      attributes: ATTRIBUTES,
      checksumAlgorithm: null,
      condition,
    });
    await expect(refused).rejects.toThrow(StorageError);
    await deleteObjects(core, from, [{ key: key('a') }]);
    for (let round = 0; round < 3; round++) {
      pastGrace(core);
      await sweep(core);
    }
    expect(core.blobStore.blobs.size).toBe(0);
  });

  it('calls another bucket once for all its blobs', async () => {
    const core = createMemoryCore();
    const [from, to] = [
      await openTestBucket(core, 'from'),
      await openTestBucket(core, 'to-bucket'),
    ];
    const keys = ['a', 'b', 'c', 'd'];
    for (const name of keys)
      await copy(core, to, await put(core, from, name, name.charCodeAt(0)), name);
    const asked: string[] = [];
    const index = core.ports.metadataIndex;
    const metadataIndex: typeof index = {
      call(name, call, input) {
        if (call === 'findReferencedBlobs' || call === 'releaseRemoteReferences') asked.push(call);
        return index.call(name, call, input);
      },
    };
    const counted = withPorts(core, { metadataIndex });
    const drop = (bucket: BucketHandle) =>
      deleteObjects(
        core,
        bucket,
        keys.map((name) => ({ key: key(name) })),
      );
    await drop(from);
    pastGrace(core);
    expect(await sweep(counted)).toMatchObject({ releasedReferences: 0 });
    expect(asked).toEqual(['findReferencedBlobs']);
    await drop(to);
    pastGrace(core);
    asked.length = 0;
    expect(await sweep(counted)).toMatchObject({ releasedReferences: 4 });
    expect(asked.filter((call) => call === 'releaseRemoteReferences')).toHaveLength(1);
  });

  it('ends the uploads of a deleted bucket, then forgets it', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core, 'short-lived');
    await putPart(core, bucket, await startUpload(core, bucket, 'a'), 1, sampleBytes(SIZE));
    await deleteBucket(core, bucket);
    expect(core.blobStore.blobs.size).toBe(1);
    for (let round = 0; round < 3; round++) {
      pastGrace(core);
      await sweep(core);
    }
    expect(core.blobStore.blobs.size).toBe(0);
    expect(await core.ports.directory.call('listBucketNames', { after: '', limit: 10 })).toEqual(
      [],
    );
  });

  it('finishes the work of a sweep that died', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await put(core, bucket, 'a');
    await deleteObjects(core, bucket, [{ key: key('a') }]);
    pastGrace(core);
    const blobStore: BlobStore = {
      ...core.ports.blobStore,
      delete: () => Promise.reject(new StorageError('InternalError')),
    };
    expect((await sweep(withPorts(core, { blobStore }))).deletedBlobs).toBe(0);
    expect(core.blobStore.blobs.size).toBe(1);
    await sweep(core);
    expect(core.blobStore.blobs.size).toBe(0);
  });
});

describe('a copy that is under way while the sweeper runs', () => {
  it('keeps its bytes: its remote reference is too young to be released', async () => {
    const core = createMemoryCore();
    const [from, to] = [
      await openTestBucket(core, 'from'),
      await openTestBucket(core, 'to-bucket'),
    ];
    const source = await put(core, from, 'a');
    await copy(core, to, source, 'old');
    await deleteObjects(core, to, [{ key: key('old') }]);
    pastGrace(core);

    // The second copy has its hold; before it commits, the sweeper finds the first one's row in the
    // target.
    const { metadataIndex } = core.ports;
    const sweepingBeforeCommit = {
      call: (async (name: never, call: keyof IndexApi, input: never) => {
        if (call === 'commitObject') await sweep(core);
        return metadataIndex.call(name, call, input);
      }) as typeof metadataIndex.call,
    };
    const racing = withPorts(core, { metadataIndex: sweepingBeforeCommit });
    const copied = await copy(racing, await openTestBucket(racing, 'to-bucket'), source, 'new');
    await deleteObjects(core, from, [{ key: key('a') }]);
    for (let round = 0; round < 3; round++) {
      pastGrace(core);
      await sweep(core);
    }
    expect(await readWhole(core, copied)).toEqual(sampleBytes(SIZE));
  });
});
