// Quotas in the commit, as every platform's index must keep them: of commits at once just those
// that fit happen, what is refused leaves no trace, and nothing that shrinks a bucket is refused.
import { describe, expect } from 'vitest';
import type { BucketQuotas } from '../../../src/domain/billing/quotas.ts';
import type { BucketRef, ObjectVersion, Versioning } from '../../../src/domain/nouns.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import {
  addressOf,
  asKey,
  blobIn,
  completionOf,
  deletionOf,
  expectCode,
  makeBucket,
  newReferenceOf,
  partOf,
  putPart,
  refOf,
  segmentsObjectOf,
  startUpload,
  wholeOf,
} from './samples.ts';

/** Runs the family. */
export function indexQuotasContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);

  async function limited(
    index: MetadataIndex,
    quotas: BucketQuotas,
    versioning: Versioning = 'off',
  ) {
    const bucket: BucketRef = { ...refOf(await makeBucket(index)), versioning, quotas };
    const { name } = bucket;
    const put = (key: string, bytes: number, changes: Partial<ObjectVersion> = {}) => {
      const blobId = blobIn(bucket);
      const object = segmentsObjectOf(key, [wholeOf(blobId, bytes)], changes);
      return index.call(name, 'commitObject', {
        ...{ bucket, object, condition: null },
        newReferences: [newReferenceOf(blobId, bytes)],
      });
    };
    const stored = async () => {
      const totals = await index.call(name, 'getStorageTotals', { bucket });
      return totals.reduce(
        (sum, of) => sum + of.currentBytes + of.noncurrentBytes + of.partBytes,
        0,
      );
    };
    const room = (key: string, sizeBytes: number) =>
      index.call(name, 'requireRoom', { bucket, key: asKey(key), sizeBytes, part: null });
    return { bucket, put, stored, room };
  }
  const ownBytes = (bytes: number): BucketQuotas => ({
    own: { bytes, objects: null },
    isShared: false,
  });

  describe(`metadata index, quotas: ${subject.name}`, () => {
    test('lets of commits at once just as many happen as fit', async (index) => {
      const { put, stored } = await limited(index, ownBytes(1000));
      const outcomes = await Promise.allSettled(
        Array.from({ length: 25 }, (_, at) => put(`k${at}`, 100)),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected')
          expect(outcome.reason).toMatchObject({ code: 'QuotaExceeded' });
      }
      expect(await stored()).toBe(1000);
    });

    test('counts the difference of a replaced object, all with versions', async (index) => {
      const plain = await limited(index, ownBytes(1000));
      await plain.put('k', 900);
      await plain.put('k', 1000);
      await expectCode(plain.put('k', 1001), 'QuotaExceeded');
      await expectCode(plain.put('other', 1), 'QuotaExceeded');
      expect(await plain.stored()).toBe(1000);

      const versioned = await limited(index, ownBytes(1000), 'enabled');
      await versioned.put('k', 600);
      await expectCode(versioned.put('k', 600), 'QuotaExceeded');
      await versioned.put('k', 400);
      expect(await versioned.stored()).toBe(1000);
    });

    test('says before a body is read what its commit would say', async (index) => {
      const { put, room } = await limited(index, ownBytes(1000));
      await put('k', 900);
      await room('k', 1000);
      await room('other', 100);
      await expectCode(room('k', 1001), 'QuotaExceeded');
      await expectCode(room('other', 101), 'QuotaExceeded');
    });

    test('counts objects and their older versions, not delete markers', async (index) => {
      const quotas = { own: { bytes: null, objects: 2 }, isShared: false };
      const { bucket, put } = await limited(index, quotas, 'enabled');
      await put('a', 1);
      await put('a', 1);
      await expectCode(put('b', 1), 'QuotaExceeded');
      const [deleted] = await index.call(bucket.name, 'deleteObjects', {
        bucket,
        ...deletionOf(['a']),
      });
      expect(deleted?.marker).not.toBe(null);
      await expectCode(put('b', 1), 'QuotaExceeded');
    });

    test('counts parts as they come, and completing them as nothing more', async (index) => {
      const { bucket, put, stored } = await limited(index, ownBytes(1000));
      const upload = await startUpload(index, bucket, 'k');
      const send = (partNumber: number, bytes: number) => {
        const blobId = blobIn(bucket);
        const part = partOf(partNumber, [wholeOf(blobId, bytes)]);
        const { key, uploadId } = upload;
        return index
          .call(bucket.name, 'commitPart', {
            bucket,
            key,
            uploadId,
            part,
            newReferences: [newReferenceOf(blobId, bytes)],
          })
          .then(() => part);
      };
      await send(1, 700);
      const first = await send(1, 600);
      await expectCode(send(2, 401), 'QuotaExceeded');
      const second = await send(2, 400);
      await expectCode(put('other', 1), 'QuotaExceeded');
      await index.call(bucket.name, 'completeUpload', {
        bucket,
        ...completionOf(upload, [first, second]),
      });
      expect(await stored()).toBe(1000);
    });

    test('refuses nothing to a bucket that is above its quota but growing', async (index) => {
      const { bucket, put, stored } = await limited(index, ownBytes(1000));
      await put('a', 600);
      await put('b', 400);
      const lower = { ...bucket, quotas: ownBytes(10) };
      const blobId = blobIn(bucket);
      const object = segmentsObjectOf('a', [wholeOf(blobId, 500)]);
      const newReferences = [newReferenceOf(blobId, 500)];
      await index.call(bucket.name, 'commitObject', {
        bucket: lower,
        object,
        condition: null,
        newReferences,
      });
      await index.call(bucket.name, 'deleteObjects', { bucket: lower, ...deletionOf(['b']) });
      expect(await stored()).toBe(500);
    });

    test('uses its grant of the account, and says how much more it needs', async (index) => {
      const { bucket, put, stored } = await limited(index, { own: null, isShared: true });
      const address = addressOf(bucket);
      await expect(put('a', 100)).rejects.toMatchObject({
        ...{ code: 'StorageGrantNeeded', fields: { Bytes: '100', Objects: '1' } },
      });
      const grant = { bytes: 300, objects: 5, sequence: 7 };
      await index.call(bucket.name, 'setStorageGrant', { bucket: address, grant });
      await put('a', 100);
      await expectCode(put('b', 201), 'StorageGrantNeeded');
      // One that was given before comes late.
      const late = { bytes: 9999, objects: 9999, sequence: 7 };
      await index.call(bucket.name, 'setStorageGrant', { bucket: address, grant: late });
      await expectCode(put('b', 201), 'StorageGrantNeeded');
      const settle = () => index.call(bucket.name, 'settleStorageGrant', { bucket: address });
      expect([await settle(), await settle()]).toEqual(
        Array(2).fill({ bytes: 100, objects: 1, sequence: 7 }),
      );
      await expectCode(put('b', 1), 'StorageGrantNeeded');
      expect(await stored()).toBe(100);
    });

    test('leaves no trace of a part that is refused', async (index) => {
      const { bucket } = await limited(index, ownBytes(10));
      const upload = await startUpload(index, bucket, 'k');
      const blobId = blobIn(bucket);
      const part = partOf(1, [wholeOf(blobId, 11)]);
      const limitedUpload = index.call(bucket.name, 'commitPart', {
        ...{ bucket, key: upload.key, uploadId: upload.uploadId, part },
        newReferences: [newReferenceOf(blobId, 11)],
      });
      await expectCode(limitedUpload, 'QuotaExceeded');
      const unknown = await index.call(bucket.name, 'findUnknownBlobs', {
        blobIds: [blobId],
      });
      expect(unknown).toEqual([blobId]);
      // Nobody keeps others from storing it where no quota is.
      await putPart(index, refOf(bucket), upload, part, [newReferenceOf(blobId, 11)]);
    });
  });
}
