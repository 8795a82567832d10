// Parts in the rows of their blobs, as the metadata index's contract has them: both formats in one
// upload, as a release and the one before leave them to each other. To the millisecond their totals
// are test/index/uploads/late-parts.test.ts's, where no alarm closes hours beside the tests.
import { describe, expect } from 'vitest';
import type { BucketRecord } from '../../../src/domain/nouns.ts';
import type { Upload, UploadedPart } from '../../../src/ports/index-calls/upload-calls.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import {
  addressOf,
  blobIn,
  completionOf,
  condemn,
  deleteKeys,
  get,
  makeBucket,
  newReferenceOf,
  partBlobIn,
  partOf,
  putPart,
  refOf,
  START_MS,
  startUpload,
  wholeOf,
} from './samples.ts';

/** Runs the family. */
export function joinedPartsContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);

  const start = (index: MetadataIndex, bucket: BucketRecord, createdAtMs = START_MS) =>
    startUpload(index, bucket, 'k', { createdAtMs }, 'joined');
  /** Commits a part of one fresh blob in either format. */
  const send = (
    index: MetadataIndex,
    bucket: BucketRecord,
    upload: Upload,
    partNumber: number,
    rows: 'joined' | 'separate',
    lastModifiedMs = START_MS,
  ): Promise<UploadedPart> => {
    const blobId = rows === 'joined' ? partBlobIn(bucket, upload, partNumber) : blobIn(bucket);
    const part = partOf(partNumber, [wholeOf(blobId)], { lastModifiedMs });
    return putPart(index, bucket, upload, part, [newReferenceOf(blobId)]);
  };
  const blobOf = (part: UploadedPart | undefined) => part?.segments[0]?.blobId;
  const partsOf = async (index: MetadataIndex, bucket: BucketRecord, upload: Upload) => {
    const { key, uploadId } = upload;
    const page = { key, uploadId, afterPartNumber: 0, maxParts: 1000 };
    return (await index.call(bucket.name, 'listParts', { bucket: refOf(bucket), ...page })).parts;
  };
  const partTotals = async (index: MetadataIndex, bucket: BucketRecord) => {
    const totals = await index.call(bucket.name, 'getStorageTotals', { bucket: refOf(bucket) });
    return totals.map(({ partBytes, partCount }) => [partBytes, partCount]);
  };
  describe(`metadata index, joined parts: ${subject.name}`, () => {
    test('lists parts of both formats together, by number', async (index) => {
      const bucket = await makeBucket(index);
      const upload = await start(index, bucket);
      const sent: UploadedPart[] = [];
      for (const [number, rows] of [
        [3, 'joined'],
        [2, 'separate'],
        [10_000, 'joined'],
        [1, 'joined'],
        [9999, 'separate'],
      ] as const)
        sent.push(await send(index, bucket, upload, number, rows));
      const parts = await partsOf(index, bucket, upload);
      expect(parts.map(({ partNumber }) => partNumber)).toEqual([1, 2, 3, 9999, 10_000]);
      expect(new Set(parts)).toEqual(new Set(sent));
      const { key, uploadId } = upload;
      const page = async (afterPartNumber: number) => {
        const input = { bucket: refOf(bucket), key, uploadId, afterPartNumber, maxParts: 2 };
        const found = await index.call(bucket.name, 'listParts', input);
        return [found.parts.map(({ partNumber }) => partNumber), found.isTruncated];
      };
      expect(await page(0)).toEqual([[1, 2], true]);
      expect(await page(2)).toEqual([[3, 9999], true]);
      expect(await page(9999)).toEqual([[10_000], false]);
      // More than three digits in base 32 can say.
      for (const marker of [10_000, 32_766, 32_767, 40_000, 2 ** 31 - 1])
        expect([marker, ...(await page(marker))]).toEqual([marker, [], false]);
    });

    test('lets a part of one format replace one of the other, and frees it', async (index) => {
      for (const [first, second] of [
        ['joined', 'separate'],
        ['separate', 'joined'],
        ['joined', 'joined'],
      ] as const) {
        const bucket = await makeBucket(index);
        const upload = await start(index, bucket);
        const replaced = await send(index, bucket, upload, 1, first);
        const kept = await send(index, bucket, upload, 1, second, START_MS + 5);
        expect(await partsOf(index, bucket, upload)).toEqual([kept]);
        expect(await partTotals(index, bucket)).toEqual([[100, 1]]);
        await index.call(bucket.name, 'completeUpload', {
          bucket: refOf(bucket),
          ...completionOf(upload, [kept], START_MS + 6),
        });
        expect(await condemn(index, bucket, START_MS + 6)).toEqual([blobOf(replaced)]);
        await deleteKeys(index, bucket, ['k'], START_MS + 7);
        expect(new Set(await condemn(index, bucket, START_MS + 8))).toEqual(
          new Set([blobOf(replaced), blobOf(kept)]),
        );
      }
    });

    test('counts a repeated commit of a part once', async (index) => {
      const bucket = await makeBucket(index);
      const upload = await start(index, bucket);
      const part = await send(index, bucket, upload, 1, 'joined');
      const again = [newReferenceOf(blobOf(part) ?? blobIn(bucket))];
      await putPart(index, bucket, upload, part, again);
      expect(await partsOf(index, bucket, upload)).toEqual([part]);
      expect(await partTotals(index, bucket)).toEqual([[100, 1]]);
      const { key, uploadId } = upload;
      const address = { bucket: refOf(bucket), key, uploadId, nowMs: START_MS };
      await index.call(bucket.name, 'abortUpload', address);
      expect(await partTotals(index, bucket)).toEqual([[0, 0]]);
      expect(await condemn(index, bucket, START_MS + 1)).toEqual([blobOf(part)]);
    });

    test('keeps the blob of a completed part known, and held for copies', async (index) => {
      const [bucket, other] = [await makeBucket(index), await makeBucket(index)];
      const upload = await start(index, bucket);
      const part = await send(index, bucket, upload, 1, 'joined');
      const blobId = blobOf(part) ?? blobIn(bucket);
      const unknown = partBlobIn(bucket, upload, 1);
      const find = (blobIds: readonly (typeof blobId)[]) =>
        index.call(bucket.name, 'findUnknownBlobs', { blobIds });
      expect(await find([blobId, unknown])).toEqual([unknown]);
      await index.call(bucket.name, 'completeUpload', {
        bucket: refOf(bucket),
        ...completionOf(upload, [part]),
      });
      expect((await get(index, bucket, 'k'))?.segments).toEqual(part.segments);
      expect(await find([blobId, unknown])).toEqual([unknown]);
      const referrer = addressOf(other);
      const held = { ownerBucket: addressOf(bucket), blobIds: [blobId], referrer };
      await index.call(bucket.name, 'addRemoteReferences', { ...held, nowMs: START_MS });
      await deleteKeys(index, bucket, ['k']);
      expect(await condemn(index, bucket, START_MS + 1)).toEqual([]);
      const release = { ...held, takenUpToMs: START_MS };
      await index.call(bucket.name, 'releaseRemoteReferences', release);
      expect(await condemn(index, bucket, START_MS + 1)).toEqual([blobId]);
      await index.call(bucket.name, 'forgetBlobs', { bucket: referrer, blobIds: [blobId] });
      await index.call(bucket.name, 'forgetBlobs', {
        bucket: addressOf(bucket),
        blobIds: [blobId],
      });
      expect(await find([blobId])).toEqual([blobId]);
    });

    test('counts parts at once where there are quotas, or many late uploads', async (index) => {
      const bucket = await makeBucket(index);
      const limited = { ...refOf(bucket), quotas: { own: { bytes: 250, objects: null } } };
      const upload = await start(index, bucket);
      await send(index, bucket, upload, 1, 'joined');
      await send(index, bucket, upload, 2, 'joined');
      const blobId = partBlobIn(bucket, upload, 3);
      const part = partOf(3, [wholeOf(blobId)]);
      const { key, uploadId } = upload;
      const refused = index.call(bucket.name, 'commitPart', {
        ...{ bucket: { ...limited, quotas: { ...limited.quotas, isShared: false } } },
        ...{ key, uploadId, part, newReferences: [newReferenceOf(blobId)] },
      });
      await expect(refused).rejects.toMatchObject({ code: 'QuotaExceeded' });
      expect(await partTotals(index, bucket)).toEqual([[200, 2]]);
      const many: Upload[] = [];
      for (let at = 0; at < 40; at++) many.push(await start(index, bucket));
      for (const one of many) await send(index, bucket, one, 1, 'joined');
      expect(await partTotals(index, bucket)).toEqual([[4200, 42]]);
    });
  });
}
