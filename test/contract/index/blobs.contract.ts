// The blobs family of the metadata index's contract: references, also of other buckets, and the
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
  const refer = (
    index: MetadataIndex,
    owner: BucketAddress,
    referrer: BucketAddress,
    blobIds: BlobId[],
    nowMs = START_MS,
  ) =>
    index.call(owner.name, 'addRemoteReferences', {
      ownerBucket: addressOf(owner),
      blobIds,
      referrer: addressOf(referrer),
      nowMs,
    });
  const release = (
    index: MetadataIndex,
    owner: BucketAddress,
    referrer: BucketAddress,
    blobIds: BlobId[],
    nowMs = START_MS,
  ) =>
    index.call(owner.name, 'releaseRemoteReferences', {
      ownerBucket: addressOf(owner),
      blobIds,
      referrer: addressOf(referrer),
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
      await expectCode(refer(index, bucket, bucketRecord(), [blobId]), 'NoSuchBlob');
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

    test('sweeps nothing of an incarnation that it does not know', async (index) => {
      const bucket = bucketRecord();
      expect(await sweep(index, bucket, START_MS + 1)).toEqual({
        blobs: [],
        oldRemoteReferences: [],
      });
      await forget(index, bucket, [blobIn(bucket)]);
      await release(index, bucket, bucketRecord(), [blobIn(bucket)]);
      await expectCode(refer(index, bucket, bucketRecord(), [blobIn(bucket)]), 'NoSuchBlob');
    });
  });

  describe(`metadata index, remote references: ${subject.name}`, () => {
    /** An owner bucket with one object of one blob, and a bucket that has a copy of it. */
    async function copied(index: MetadataIndex) {
      const owner = await makeBucket(index);
      const referrer = await makeBucket(index);
      const blobId = await putBlob(index, owner, 'a');
      await refer(index, owner, referrer, [blobId]);
      const newReferences = [newReferenceOf(blobId, 100, addressOf(owner))];
      await put(index, referrer, segmentsObjectOf('copy', [wholeOf(blobId)]), newReferences);
      return { owner, referrer, blobId, newReferences };
    }

    test('refuses remote references to unknown blobs, all or none', async (index) => {
      const { owner, blobId } = await copied(index);
      const other = bucketRecord();
      await expectCode(refer(index, owner, other, [blobId, blobIn(owner)]), 'NoSuchBlob');
      await deleteKeys(index, owner, ['a']);
      const { oldRemoteReferences } = await sweep(index, owner, START_MS + 1);
      expect(oldRemoteReferences.map(({ referrer }) => referrer.id)).not.toContain(other.id);
    });

    test('keeps a blob as long as another bucket has a reference to it', async (index) => {
      const { owner, referrer, blobId } = await copied(index);
      await deleteKeys(index, owner, ['a']);
      expect(await sweep(index, owner, START_MS)).toEqual({ blobs: [], oldRemoteReferences: [] });
      expect(await sweep(index, owner, START_MS + 1)).toEqual({
        blobs: [],
        oldRemoteReferences: [{ blobId, referrer: addressOf(referrer) }],
      });
      const referencedBy = (address: BucketAddress) =>
        index.call(referrer.name, 'findReferencedBlobs', {
          referrer: address,
          blobIds: [blobId, blobIn(owner)],
        });
      expect(await referencedBy(addressOf(referrer))).toEqual([blobId]);
      expect(await referencedBy(addressOf(bucketRecord(referrer)))).toEqual([blobId]);
      expect(await referencedBy(addressOf(bucketRecord({ name: referrer.name })))).toEqual([]);
    });

    test('gives a blob of another bucket back to it when nothing mentions it', async (index) => {
      const { owner, referrer, blobId, newReferences } = await copied(index);
      await put(index, referrer, segmentsObjectOf('copy-2', [wholeOf(blobId)]), newReferences);
      await deleteKeys(index, owner, ['a']);
      await deleteKeys(index, referrer, ['copy', 'copy-2'], START_MS + 5);
      expect(await sweep(index, referrer, START_MS + 5)).toEqual({
        blobs: [],
        oldRemoteReferences: [],
      });
      const given = { blobs: [{ blobId, ownerBucket: addressOf(owner) }], oldRemoteReferences: [] };
      expect(await sweep(index, referrer, START_MS + 6)).toEqual(given);
      await release(index, owner, referrer, [blobId], START_MS + 6);
      await forget(index, referrer, [blobId]);
      const reference = { referrer: addressOf(referrer), blobIds: [blobId] };
      expect(await index.call(referrer.name, 'findReferencedBlobs', reference)).toEqual([]);
      await release(index, owner, referrer, [blobId], START_MS + 7);
      expect(await condemn(index, owner, START_MS + 6)).toEqual([]);
      expect(await condemn(index, owner, START_MS + 7)).toEqual([blobId]);
    });

    test('waits for every referrer, and for the owner bucket itself', async (index) => {
      const { owner, referrer, blobId } = await copied(index);
      const second = await makeBucket(index);
      await refer(index, owner, second, [blobId]);
      await release(index, owner, referrer, [blobId]);
      await deleteKeys(index, owner, ['a']);
      expect(await condemn(index, owner, START_MS + 1)).toEqual([]);
      await put(index, owner, segmentsObjectOf('b', [wholeOf(blobId)]));
      await release(index, owner, second, [blobId]);
      expect(await condemn(index, owner, START_MS + 1)).toEqual([]);
      await deleteKeys(index, owner, ['b']);
      expect(await condemn(index, owner, START_MS + 1)).toEqual([blobId]);
    });

    test('reports an old reference whose copy never came, once for each bound', async (index) => {
      const owner = await makeBucket(index);
      const referrers = [await makeBucket(index), await makeBucket(index), await makeBucket(index)];
      const blobIds: BlobId[] = [];
      for (const [at, referrer] of referrers.entries()) {
        const blobId = await putBlob(index, owner, 'a');
        await refer(index, owner, referrer, [blobId], START_MS + at);
        blobIds.push(blobId);
      }
      expect((await sweep(index, owner, START_MS + 10)).oldRemoteReferences).toHaveLength(2);
      await deleteKeys(index, owner, ['a']);
      expect((await sweep(index, owner, START_MS + 2)).oldRemoteReferences).toEqual([]);
      const seen: string[] = [];
      for (const limit of [1, 1, 1, 1]) {
        const { oldRemoteReferences } = await sweep(index, owner, START_MS + 20, limit);
        seen.push(...oldRemoteReferences.map(({ blobId }) => blobId));
      }
      expect(seen.toSorted()).toEqual(blobIds.toSorted());
      expect((await sweep(index, owner, START_MS + 21)).oldRemoteReferences).toHaveLength(3);
    });

    test('reports remote references of a blob up to the limit, then others', async (index) => {
      const { owner, referrer, blobId } = await copied(index);
      const second = await makeBucket(index);
      await refer(index, owner, second, [blobId]);
      await deleteKeys(index, owner, ['a']);
      const [first, ...more] = (await sweep(index, owner, START_MS + 10, 1)).oldRemoteReferences;
      expect(more).toEqual([]);
      await release(index, owner, first?.referrer.id === referrer.id ? referrer : second, [blobId]);
      const { oldRemoteReferences } = await sweep(index, owner, START_MS + 11, 1);
      expect(
        [first, ...oldRemoteReferences].map((reference) => reference?.referrer.id).toSorted(),
      ).toEqual([referrer.id, second.id].toSorted());
    });

    test('reports only the old ones of the remote references to a blob', async (index) => {
      const { owner, referrer, blobId } = await copied(index);
      await refer(index, owner, await makeBucket(index), [blobId], START_MS + 100);
      await deleteKeys(index, owner, ['a']);
      const { oldRemoteReferences } = await sweep(index, owner, START_MS + 100);
      expect(oldRemoteReferences).toEqual([{ blobId, referrer: addressOf(referrer) }]);
      expect((await sweep(index, owner, START_MS + 101)).oldRemoteReferences).toHaveLength(2);
    });

    test('keeps a remote reference that is younger than the release', async (index) => {
      const { owner, referrer, blobId } = await copied(index);
      await deleteKeys(index, owner, ['a']);
      await refer(index, owner, referrer, [blobId], START_MS + 50);
      await release(index, owner, referrer, [blobId], START_MS + 49);
      expect(await condemn(index, owner, START_MS + 1000)).toEqual([]);
      await release(index, owner, referrer, [blobId], START_MS + 50);
      expect(await condemn(index, owner, START_MS + 1000)).toEqual([blobId]);
    });

    test('keeps a deleted incarnation while another bucket refers to its blobs', async (index) => {
      const { owner, referrer, blobId } = await copied(index);
      await deleteKeys(index, owner, ['a']);
      await index.call(owner.name, 'deleteBucket', { bucket: refOf(owner), nowMs: START_MS });
      await index.call(owner.name, 'forgetIncarnation', { bucket: addressOf(owner) });
      expect(await condemn(index, owner, START_MS + 1)).toEqual([]);
      await makeBucket(index, { name: owner.name });
      await refer(index, owner, referrer, [blobId]);
      await release(index, owner, referrer, [blobId]);
      expect(await condemn(index, owner, START_MS + 1)).toEqual([blobId]);
      await forget(index, owner, [blobId]);
      await index.call(owner.name, 'forgetIncarnation', { bucket: addressOf(owner) });
      expect(await index.call(owner.name, 'listIncarnations', { name: owner.name })).toHaveLength(
        1,
      );
    });
  });
}
