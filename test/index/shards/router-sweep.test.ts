// The sweep of core on a bucket of restless shards: copies share blobs wherever they are, no blob
// goes that anything refers to, and all go with the bucket. Hours of storage count for the bucket,
// and uploads that rest are found in every shard.
import { describe, expect, test } from 'vitest';
import { hasCode } from '../../../src/domain/errors.ts';
import type { BlobId, BucketAddress, BucketRecord } from '../../../src/domain/nouns.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import {
  addressOf,
  blobIn,
  bucketRecord,
  deleteKeys,
  get,
  makeBucket,
  newReferenceOf,
  put,
  putBlob,
  refOf,
  START_MS,
  segmentsObjectOf,
  startUpload,
  wholeOf,
} from '../../contract/index/samples.ts';
import { FUZZ_SEED } from '../../fuzz-seed.ts';
import { openRestlessShards, RESTLESS_WORLDS, reopening } from './restless-shards.ts';
import { pickOf, randomOf } from './shard-world.ts';

const DAY_MS = 86_400_000;

/** One sweep as core does it, of all incarnations; gives the blobs that the store would lose. */
async function sweep(index: MetadataIndex, name: BucketRecord['name'], olderThanMs: number) {
  const deleted: BlobId[] = [];
  const release = (ownerBucket: BucketAddress, referrer: BucketAddress, blobIds: BlobId[]) =>
    index.call(ownerBucket.name, 'releaseRemoteReferences', {
      ...{ ownerBucket, blobIds, referrer, takenUpToMs: olderThanMs },
    });
  for (const { bucket, isDeleted } of await index.call(name, 'listIncarnations', { name })) {
    const { blobs, oldRemoteReferences } = await index.call(bucket.name, 'condemnBlobs', {
      ...{ bucket, olderThanMs, limit: 1000 },
    });
    for (const { blobId, referrer } of oldRemoteReferences) {
      const blobIds = [blobId];
      const find = { referrer, blobIds };
      if ((await index.call(referrer.name, 'findReferencedBlobs', find)).length === 0)
        await release(bucket, referrer, blobIds);
    }
    for (const { blobId, ownerBucket } of blobs) {
      if (ownerBucket === null) deleted.push(blobId);
      else await release(ownerBucket, bucket, [blobId]);
    }
    const blobIds = blobs.map(({ blobId }) => blobId);
    await index.call(bucket.name, 'forgetBlobs', { bucket, blobIds });
    if (isDeleted) await index.call(name, 'forgetIncarnation', { bucket });
  }
  return deleted;
}

describe.each(Object.entries(RESTLESS_WORLDS))('%s', (_name, open) => {
  test('copies in any bucket keep the bytes, and the last one frees them', async () => {
    const { index, moved } = openRestlessShards(FUZZ_SEED, 2, open);
    const random = randomOf(FUZZ_SEED);
    const [bucket, other] = [await makeBucket(index), await makeBucket(index)];
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
    const made: BlobId[] = [];
    const lost: BlobId[] = [];
    const stored = new Map<string, BlobId>();

    /** Copies as core does: another bucket takes a remote reference first. */
    async function copy(from: string, to: BucketRecord, key: string): Promise<void> {
      const blobId = stored.get(from);
      if (blobId === undefined) return;
      const isOther = to === other;
      const ownerBucket = addressOf(bucket);
      if (isOther) {
        const referrer = addressOf(other);
        const hold = { ownerBucket, blobIds: [blobId], referrer, nowMs: START_MS };
        await index.call(bucket.name, 'addRemoteReferences', hold);
      }
      const newReferences = isOther ? [newReferenceOf(blobId, 100, ownerBucket)] : [];
      await put(index, to, segmentsObjectOf(key, [wholeOf(blobId)]), newReferences);
      stored.set(`${isOther ? 'other ' : ''}${key}`, blobId);
    }

    for (let step = 0; step < 150; step++) {
      const [from, key] = [pickOf(random, keys), pickOf(random, keys)];
      const dice = random();
      if (dice < 0.3) {
        const blobId = await putBlob(index, bucket, key);
        made.push(blobId);
        stored.set(key, blobId);
      } else if (dice < 0.6) await copy(from, bucket, key);
      else if (dice < 0.75) await copy(from, other, key);
      else if (dice < 0.95) {
        const isOther = random() < 0.5;
        await deleteKeys(index, isOther ? other : bucket, [key]);
        stored.delete(`${isOther ? 'other ' : ''}${key}`);
      } else {
        const late = START_MS + (step + 1) * DAY_MS;
        for (const { name } of [bucket, other]) lost.push(...(await sweep(index, name, late)));
        const inUse = new Set(stored.values());
        expect(lost.filter((blobId) => inUse.has(blobId))).toEqual([]);
      }
    }
    expect(moved()).toBeGreaterThan(50);
    for (const [name, blobId] of stored) {
      const isOther = name.startsWith('other ');
      const found = await get(index, isOther ? other : bucket, name.replace('other ', ''));
      expect(found?.segments[0]?.blobId, name).toBe(blobId);
    }

    for (const one of [bucket, other]) await deleteKeys(index, one, keys);
    for (const one of [bucket, other])
      await index.call(one.name, 'deleteBucket', { bucket: refOf(one), nowMs: START_MS });
    for (let round = 1; round < 8; round++)
      for (const { name } of [bucket, other])
        lost.push(...(await sweep(index, name, START_MS + (1000 + round) * DAY_MS)));
    expect(lost.toSorted()).toEqual(made.toSorted());
    for (const { name } of [bucket, other])
      expect(await index.call(name, 'listIncarnations', { name })).toEqual([]);
  });

  test('the blob of a copy is that of its owner, and what nobody has is refused', async () => {
    const { index, base, split } = openRestlessShards(FUZZ_SEED, 1, open);
    const bucket = await makeBucket(index);
    const blobId = blobIn(bucket);
    const missing = put(index, bucket, segmentsObjectOf('a', [wholeOf(blobId)]));
    await expect(missing).rejects.toMatchObject({ code: 'NoSuchBlob' });
    const hold = { ownerBucket: addressOf(bucket), blobIds: [blobId], referrer: addressOf(bucket) };
    const asked = index.call(bucket.name, 'addRemoteReferences', { ...hold, nowMs: START_MS });
    await expect(asked).rejects.toSatisfy((error) => hasCode(error, 'NoSuchBlob'));
    const record = bucketRecord();
    const plain = await base.call(record.name, 'createBucket', { bucket: record });
    expect((await split(plain)).revision).toBeGreaterThan(2 ** 32);
  });

  test('uploads that rest in any shard are given up', async () => {
    const { index, router } = openRestlessShards(20_261_121, 3, open);
    const { name } = await makeBucket(index);
    const startedAt = async (createdAtMs: number, keys: readonly string[]) => {
      for (const key of keys)
        await reopening(index, name, (bucket) => startUpload(index, bucket, key, { createdAtMs }));
    };
    await startedAt(START_MS + 7, ['a', 'b', 'y', 'z']);
    await startedAt(START_MS + 3, ['c', 'm']);
    const shards = await router.call(name, 'listIncarnations', { name });
    const [root, ...others] = shards.map(({ idleUploadMs }) => idleUploadMs);
    expect(others).toHaveLength(2);
    expect(others.some((idleMs) => idleMs !== null)).toBe(true);
    expect(root).toBe(START_MS + 3);
    const times = { idleSinceMs: START_MS + 5, nowMs: START_MS + DAY_MS };
    const { aborted } = await reopening(index, name, (bucket) =>
      index.call(name, 'abortStaleUploads', {
        ...times,
        bucket: refOf(bucket),
        exceptPrefixes: [],
        after: null,
      }),
    );
    expect(aborted).toBe(2);
  });

  test('hours of all shards count for the bucket, once', async () => {
    const { index } = openRestlessShards(FUZZ_SEED, 2, open);
    const bucket = await makeBucket(index);
    for (const key of ['a', 'b', 'c', 'd', 'e']) await putBlob(index, bucket, key);
    const { name } = bucket;
    const nowMs = START_MS + 5 * 3_600_000;
    const close = (limit: number) => index.call(name, 'closeStorageHours', { name, nowMs, limit });
    const hours = await close(1000);
    expect(new Set(hours.map(({ bucketId }) => bucketId))).toEqual(new Set([bucket.id]));
    const sources = hours.map(({ countedBy, hourMs }) => `${countedBy?.id} ${hourMs}`);
    expect(new Set(sources).size).toBe(hours.length);
    const stored = (list: typeof hours, hourMs: number) =>
      list
        .filter(
          (hour) => hour.hourMs <= hourMs && hourMs < hour.hourMs + hour.hourCount * 3_600_000,
        )
        .flatMap(({ used }) => used)
        .filter(({ meter }) => meter === 'storage/STANDARD')
        .reduce((sum, { quantity }) => sum + quantity, 0n);
    const last = nowMs - (nowMs % 3_600_000) - 3_600_000;
    expect(stored(hours, last)).toBe(500n * 3_600_000n);
    expect(await close(1)).toHaveLength(1);
    await index.call(name, 'forgetStorageHours', { name, hours });
    expect(await close(1000)).toEqual([]);
  });
});
