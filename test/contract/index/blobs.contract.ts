// The blobs family of the metadata index's contract: references, holds of other buckets, and the
// sweeper's steps.
import { describe, expect } from 'vitest';
import type { BlobId, BucketAddress } from '../../../src/domain/nouns.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import {
  addressOf,
  blobIn,
  bucketRecord,
  condemn,
  deleteKeys,
  expectCode,
  get,
  makeBucket,
  newReferenceOf,
  objectOf,
  put,
  putBlob,
  refOf,
  START_MS,
  segmentsObjectOf,
  wholeOf,
} from './samples.ts';

/** Runs the family. */
export function indexBlobsContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);

  const unknownOf = (index: MetadataIndex, bucket: BucketAddress, blobIds: readonly BlobId[]) =>
    index.call(bucket.name, 'findUnknownBlobs', { blobIds });
  const forget = (index: MetadataIndex, bucket: BucketAddress, blobIds: readonly BlobId[]) =>
    index.call(bucket.name, 'forgetBlobs', { bucket: addressOf(bucket), blobIds });
  const hold = (
    index: MetadataIndex,
    home: BucketAddress,
    holder: BucketAddress,
    blobIds: BlobId[],
    nowMs = START_MS,
  ) =>
    index.call(home.name, 'addRemoteReferences', {
      ownerBucket: addressOf(home),
      blobIds,
      referrer: addressOf(holder),
      nowMs,
    });
  const release = (
    index: MetadataIndex,
    home: BucketAddress,
    holder: BucketAddress,
    blobIds: BlobId[],
    nowMs = START_MS,
  ) =>
    index.call(home.name, 'releaseRemoteReferences', {
      ownerBucket: addressOf(home),
      blobIds,
      referrer: addressOf(holder),
      takenUpToMs: nowMs,
    });
  const sweep = (index: MetadataIndex, bucket: BucketAddress, olderThanMs: number, limit = 1000) =>
    index.call(bucket.name, 'condemnBlobs', { bucket: addressOf(bucket), olderThanMs, limit });

  describe(`metadata index, blobs: ${subject.name}`, () => {
    test('refers to an equal blob instead of the new one, and repeats so', async (index) => {
      const bucket = await makeBucket(index);
      const ref = refOf(bucket);
      const commit = (key: string, blobId: BlobId, digest = { sha256Hex: 'same' }) => {
        const object = segmentsObjectOf(key, [wholeOf(blobId)]);
        const newReferences = [{ ...newReferenceOf(blobId), digest }];
        return () =>
          index.call(bucket.name, 'commitObject', {
            bucket: ref,
            object,
            condition: null,
            newReferences,
          });
      };
      const [first, second, other] = [blobIn(bucket), blobIn(bucket), blobIn(bucket)];
      expect(await commit('a', first)()).toMatchObject({ storedAs: null });
      const again = commit('b', second);
      for (const _ of [1, 2]) expect(await again()).toMatchObject({ storedAs: first });
      expect(await commit('c', other, { sha256Hex: 'other' })()).toMatchObject({ storedAs: null });
      expect((await get(index, bucket, 'b'))?.segments).toEqual([wholeOf(first)]);
      expect(await unknownOf(index, bucket, [first, second])).toEqual([second]);
      const totals = () => index.call(bucket.name, 'getStorageTotals', { bucket: ref });
      expect(await totals()).toMatchObject([{ currentBytes: 300, deduplicatedBytes: 100 }]);
      await deleteKeys(index, bucket, ['a']);
      expect(await totals()).toMatchObject([{ currentBytes: 200, deduplicatedBytes: 0 }]);
    });

    test('frees a blob when the last object that mentions it goes', async (index) => {
      const bucket = await makeBucket(index);
      const blobId = await putBlob(index, bucket, 'a');
      await put(index, bucket, segmentsObjectOf('b', [wholeOf(blobId), wholeOf(blobId)]));
      await deleteKeys(index, bucket, ['a'], START_MS + 1);
      expect(await condemn(index, bucket, START_MS + 1000)).toEqual([]);
      await put(index, bucket, objectOf('b', { lastModifiedMs: START_MS + 10 }));
      expect(await condemn(index, bucket, START_MS + 10)).toEqual([]);
      expect(await condemn(index, bucket, START_MS + 11)).toEqual([blobId]);
    });

    test('keeps the blob of an object that is copied onto itself', async (index) => {
      const bucket = await makeBucket(index);
      const blobId = await putBlob(index, bucket, 'a');
      await put(
        index,
        bucket,
        segmentsObjectOf('a', [wholeOf(blobId)], { userMetadata: { new: '1' } }),
      );
      expect(await condemn(index, bucket, START_MS + 1)).toEqual([]);
      await deleteKeys(index, bucket, ['a']);
      expect(await condemn(index, bucket, START_MS + 1)).toEqual([blobId]);
    });

    test('revives a blob that is unreferenced, and none that is condemned', async (index) => {
      const bucket = await makeBucket(index);
      const blobId = await putBlob(index, bucket, 'a');
      const copy = segmentsObjectOf('b', [wholeOf(blobId)]);
      await deleteKeys(index, bucket, ['a']);
      await put(index, bucket, copy);
      expect(await condemn(index, bucket, START_MS + 1)).toEqual([]);
      await deleteKeys(index, bucket, ['b']);
      expect(await condemn(index, bucket, START_MS + 1)).toEqual([blobId]);
      const late = segmentsObjectOf('b', [wholeOf(blobId)]);
      await expectCode(put(index, bucket, late), 'NoSuchBlob');
      await expectCode(put(index, bucket, late, [newReferenceOf(blobId)]), 'NoSuchBlob');
      await expectCode(hold(index, bucket, bucketRecord(), [blobId]), 'NoSuchBlob');
      expect(await get(index, bucket, 'b')).toBe(null);
    });

    test('condemns the longest unreferenced first, again until forgotten', async (index) => {
      const bucket = await makeBucket(index);
      const blobIds: BlobId[] = [];
      for (const [at, key] of ['a', 'b', 'c'].entries()) {
        blobIds.push(await putBlob(index, bucket, key));
        await deleteKeys(index, bucket, [key], START_MS + 10 - at);
      }
      const [a, b, c] = blobIds;
      const first = await sweep(index, bucket, START_MS + 10, 1);
      expect(first).toEqual({ blobs: [{ blobId: c, ownerBucket: null }], oldRemoteReferences: [] });
      expect(await condemn(index, bucket, START_MS + 10)).toEqual([c, b]);
      await forget(index, bucket, [c as BlobId]);
      expect(await condemn(index, bucket, START_MS + 11)).toEqual([b, a]);
      await forget(index, bucket, blobIds);
      await forget(index, bucket, blobIds);
      expect(await condemn(index, bucket, START_MS + 1000)).toEqual([]);
      expect(await unknownOf(index, bucket, blobIds)).toEqual(blobIds);
    });

    test('forgets no blob that is not condemned', async (index) => {
      const bucket = await makeBucket(index);
      const blobId = await putBlob(index, bucket, 'a');
      await forget(index, bucket, [blobId]);
      await deleteKeys(index, bucket, ['a']);
      await forget(index, bucket, [blobId]);
      expect(await unknownOf(index, bucket, [blobId])).toEqual([]);
    });

    test('tells blobs that no row mentions from those that one does', async (index) => {
      const bucket = await makeBucket(index);
      const [orphan, other] = [blobIn(bucket), blobIn(bucket)];
      const known = await putBlob(index, bucket, 'a');
      expect(await unknownOf(index, bucket, [orphan, known, other])).toEqual([orphan, other]);
      expect(await unknownOf(index, bucket, [])).toEqual([]);
    });

    test('sweeps nothing of a life that it does not know', async (index) => {
      const bucket = bucketRecord();
      expect(await sweep(index, bucket, START_MS + 1)).toEqual({
        blobs: [],
        oldRemoteReferences: [],
      });
      await forget(index, bucket, [blobIn(bucket)]);
      await release(index, bucket, bucketRecord(), [blobIn(bucket)]);
      await expectCode(hold(index, bucket, bucketRecord(), [blobIn(bucket)]), 'NoSuchBlob');
    });
  });

  describe(`metadata index, holds: ${subject.name}`, () => {
    /** A home with one object of one blob, and a bucket that holds a copy of it. */
    async function copied(index: MetadataIndex) {
      const home = await makeBucket(index);
      const holder = await makeBucket(index);
      const blobId = await putBlob(index, home, 'a');
      await hold(index, home, holder, [blobId]);
      const newReferences = [newReferenceOf(blobId, 100, addressOf(home))];
      await put(index, holder, segmentsObjectOf('copy', [wholeOf(blobId)]), newReferences);
      return { home, holder, blobId, newReferences };
    }

    test('refuses to hold unknown blobs, all or none', async (index) => {
      const { home, blobId } = await copied(index);
      const other = bucketRecord();
      await expectCode(hold(index, home, other, [blobId, blobIn(home)]), 'NoSuchBlob');
      await deleteKeys(index, home, ['a']);
      const { oldRemoteReferences } = await sweep(index, home, START_MS + 1);
      expect(oldRemoteReferences.map(({ referrer: holder }) => holder.id)).not.toContain(other.id);
    });

    test('keeps a blob at home as long as another bucket holds it', async (index) => {
      const { home, holder, blobId } = await copied(index);
      await deleteKeys(index, home, ['a']);
      expect(await sweep(index, home, START_MS)).toEqual({ blobs: [], oldRemoteReferences: [] });
      expect(await sweep(index, home, START_MS + 1)).toEqual({
        blobs: [],
        oldRemoteReferences: [{ blobId, referrer: addressOf(holder) }],
      });
      const heldBy = (address: BucketAddress) =>
        index.call(holder.name, 'findReferencedBlobs', {
          referrer: address,
          blobIds: [blobId, blobIn(home)],
        });
      expect(await heldBy(addressOf(holder))).toEqual([blobId]);
      expect(await heldBy(addressOf(bucketRecord(holder)))).toEqual([blobId]);
      expect(await heldBy(addressOf(bucketRecord({ name: holder.name })))).toEqual([]);
    });

    test('gives a foreign blob back to its home when nothing mentions it', async (index) => {
      const { home, holder, blobId, newReferences } = await copied(index);
      await put(index, holder, segmentsObjectOf('copy-2', [wholeOf(blobId)]), newReferences);
      await deleteKeys(index, home, ['a']);
      await deleteKeys(index, holder, ['copy', 'copy-2'], START_MS + 5);
      expect(await sweep(index, holder, START_MS + 5)).toEqual({
        blobs: [],
        oldRemoteReferences: [],
      });
      const given = { blobs: [{ blobId, ownerBucket: addressOf(home) }], oldRemoteReferences: [] };
      expect(await sweep(index, holder, START_MS + 6)).toEqual(given);
      await release(index, home, holder, [blobId], START_MS + 6);
      await forget(index, holder, [blobId]);
      const held = { referrer: addressOf(holder), blobIds: [blobId] };
      expect(await index.call(holder.name, 'findReferencedBlobs', held)).toEqual([]);
      await release(index, home, holder, [blobId], START_MS + 7);
      expect(await condemn(index, home, START_MS + 6)).toEqual([]);
      expect(await condemn(index, home, START_MS + 7)).toEqual([blobId]);
    });

    test('waits for every holder, and for the home itself', async (index) => {
      const { home, holder, blobId } = await copied(index);
      const second = await makeBucket(index);
      await hold(index, home, second, [blobId]);
      await release(index, home, holder, [blobId]);
      await deleteKeys(index, home, ['a']);
      expect(await condemn(index, home, START_MS + 1)).toEqual([]);
      await put(index, home, segmentsObjectOf('b', [wholeOf(blobId)]));
      await release(index, home, second, [blobId]);
      expect(await condemn(index, home, START_MS + 1)).toEqual([]);
      await deleteKeys(index, home, ['b']);
      expect(await condemn(index, home, START_MS + 1)).toEqual([blobId]);
    });

    test('reports an old hold whose copy never came, once for each bound', async (index) => {
      const home = await makeBucket(index);
      const holders = [await makeBucket(index), await makeBucket(index), await makeBucket(index)];
      const blobIds: BlobId[] = [];
      for (const [at, holder] of holders.entries()) {
        const blobId = await putBlob(index, home, 'a');
        await hold(index, home, holder, [blobId], START_MS + at);
        blobIds.push(blobId);
      }
      expect((await sweep(index, home, START_MS + 10)).oldRemoteReferences).toHaveLength(2);
      await deleteKeys(index, home, ['a']);
      expect((await sweep(index, home, START_MS + 2)).oldRemoteReferences).toEqual([]);
      const seen: string[] = [];
      for (const limit of [1, 1, 1, 1]) {
        const { oldRemoteReferences } = await sweep(index, home, START_MS + 20, limit);
        seen.push(...oldRemoteReferences.map(({ blobId }) => blobId));
      }
      expect(seen.toSorted()).toEqual(blobIds.toSorted());
      expect((await sweep(index, home, START_MS + 21)).oldRemoteReferences).toHaveLength(3);
    });

    test('reports remote references of a blob up to the limit, then others', async (index) => {
      const { home, holder, blobId } = await copied(index);
      const second = await makeBucket(index);
      await hold(index, home, second, [blobId]);
      await deleteKeys(index, home, ['a']);
      const [first, ...more] = (await sweep(index, home, START_MS + 10, 1)).oldRemoteReferences;
      expect(more).toEqual([]);
      await release(index, home, first?.referrer.id === holder.id ? holder : second, [blobId]);
      const { oldRemoteReferences } = await sweep(index, home, START_MS + 11, 1);
      expect([first, ...oldRemoteReferences].map((held) => held?.referrer.id).toSorted()).toEqual(
        [holder.id, second.id].toSorted(),
      );
    });

    test('reports only the old ones of the holds on a blob', async (index) => {
      const { home, holder, blobId } = await copied(index);
      await hold(index, home, await makeBucket(index), [blobId], START_MS + 100);
      await deleteKeys(index, home, ['a']);
      const { oldRemoteReferences } = await sweep(index, home, START_MS + 100);
      expect(oldRemoteReferences).toEqual([{ blobId, referrer: addressOf(holder) }]);
      expect((await sweep(index, home, START_MS + 101)).oldRemoteReferences).toHaveLength(2);
    });

    test('keeps a hold that is younger than the release', async (index) => {
      const { home, holder, blobId } = await copied(index);
      await deleteKeys(index, home, ['a']);
      await hold(index, home, holder, [blobId], START_MS + 50);
      await release(index, home, holder, [blobId], START_MS + 49);
      expect(await condemn(index, home, START_MS + 1000)).toEqual([]);
      await release(index, home, holder, [blobId], START_MS + 50);
      expect(await condemn(index, home, START_MS + 1000)).toEqual([blobId]);
    });

    test('keeps a deleted life as long as another bucket holds one of its blobs', async (index) => {
      const { home, holder, blobId } = await copied(index);
      await deleteKeys(index, home, ['a']);
      await index.call(home.name, 'deleteBucket', { bucket: refOf(home), nowMs: START_MS });
      await index.call(home.name, 'forgetIncarnation', { bucket: addressOf(home) });
      expect(await condemn(index, home, START_MS + 1)).toEqual([]);
      await makeBucket(index, { name: home.name });
      await hold(index, home, holder, [blobId]);
      await release(index, home, holder, [blobId]);
      expect(await condemn(index, home, START_MS + 1)).toEqual([blobId]);
      await forget(index, home, [blobId]);
      await index.call(home.name, 'forgetIncarnation', { bucket: addressOf(home) });
      expect(await index.call(home.name, 'listIncarnations', { name: home.name })).toHaveLength(1);
    });
  });
}
