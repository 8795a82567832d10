// The uploads family of the metadata index's contract: parts and their listings, completing,
// aborting.
import { describe, expect } from 'vitest';
import type { BucketRecord, UploadId, WriteCondition } from '../../../src/domain/nouns.ts';
import { NO_FACTS } from '../../../src/domain/object-facts.ts';
import type { UploadRows } from '../../../src/domain/uploads/upload-rows.ts';
import type {
  Upload,
  UploadCursor,
  UploadedPart,
} from '../../../src/ports/index-calls/upload-calls.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import {
  addressOf,
  asKey,
  blobIn,
  completionOf,
  condemn,
  deleteKeys,
  expectCode,
  get,
  makeBucket,
  newReferenceOf,
  objectOf,
  partOf,
  put,
  putBlob,
  putBlobPart,
  putPart,
  refOf,
  START_MS,
  segmentsObjectOf,
  startUpload as startUploadIn,
  UPLOAD_ATTRIBUTES,
  wholeOf,
} from './samples.ts';

/** Runs the family, with uploads whose rows have that format. */
export function indexUploadsContract(subject: Subject<MetadataIndex>, rows: UploadRows): void {
  const test = testsOf(subject);
  const startUpload = (
    index: MetadataIndex,
    bucket: BucketRecord,
    key: string,
    changes: Partial<Upload> = {},
  ) => startUploadIn(index, bucket, key, changes, rows);

  const idOf = ({ key, uploadId }: Upload) => ({ key, uploadId });
  const listParts = (
    index: MetadataIndex,
    bucket: BucketRecord,
    upload: Upload,
    afterPartNumber = 0,
    maxParts = 1000,
  ) =>
    index.call(bucket.name, 'listParts', {
      bucket: refOf(bucket),
      ...idOf(upload),
      afterPartNumber,
      maxParts,
    });
  const abort = (index: MetadataIndex, bucket: BucketRecord, upload: Upload, nowMs = START_MS) =>
    index.call(bucket.name, 'abortUpload', { bucket: refOf(bucket), ...idOf(upload), nowMs });
  const complete = (
    index: MetadataIndex,
    bucket: BucketRecord,
    input: ReturnType<typeof completionOf>,
    condition: WriteCondition | null = null,
  ) => index.call(bucket.name, 'completeUpload', { bucket: refOf(bucket), ...input, condition });

  describe(`metadata index, uploads in ${rows} rows: ${subject.name}`, () => {
    test('gives back an upload as it was made, also when made twice', async (index) => {
      const bucket = await makeBucket(index);
      const upload = await startUpload(index, bucket, 'k', UPLOAD_ATTRIBUTES);
      await index.call(bucket.name, 'createUpload', { bucket: refOf(bucket), upload });
      const address = { bucket: refOf(bucket), ...idOf(upload) };
      expect(await index.call(bucket.name, 'getUpload', address)).toEqual(upload);
      expect(await listParts(index, bucket, upload)).toEqual({
        upload,
        parts: [],
        isTruncated: false,
      });
    });

    test('knows no upload under another key, id or bucket', async (index) => {
      const bucket = await makeBucket(index);
      const upload = await startUpload(index, bucket, 'k');
      const other = await makeBucket(index);
      const strangers: [BucketRecord, Upload][] = [
        [bucket, { ...upload, key: asKey('other') }],
        [bucket, { ...upload, uploadId: 'other' as UploadId }],
        [other, upload],
      ];
      for (const [place, stranger] of strangers) {
        const address = { bucket: refOf(place), ...idOf(stranger) };
        await expectCode(index.call(place.name, 'getUpload', address), 'NoSuchUpload');
        await expectCode(listParts(index, place, stranger), 'NoSuchUpload');
        await expectCode(putBlobPart(index, place, stranger, 1), 'NoSuchUpload');
        await expectCode(complete(index, place, completionOf(stranger, [])), 'NoSuchUpload');
        await expectCode(abort(index, place, stranger), 'NoSuchUpload');
      }
    });

    test('lists parts by number, page by page', async (index) => {
      const bucket = await makeBucket(index);
      const upload = await startUpload(index, bucket, 'k');
      const checksum = { algorithm: 'CRC32C', value: 'abcd==' } as const;
      const parts: UploadedPart[] = [];
      for (const number of [10_000, 3, 1, 7]) {
        parts.push(
          await putBlobPart(index, bucket, upload, number, {
            checksum,
            lastModifiedMs: START_MS + number,
          }),
        );
      }
      parts.sort((a, b) => a.partNumber - b.partNumber);
      expect(await listParts(index, bucket, upload)).toEqual({ upload, parts, isTruncated: false });
      const page = async (after: number, max: number) => {
        const { parts: found, isTruncated } = await listParts(index, bucket, upload, after, max);
        return [found.map((part) => part.partNumber), isTruncated];
      };
      expect(await page(0, 2)).toEqual([[1, 3], true]);
      expect(await page(3, 2)).toEqual([[7, 10_000], false]);
      expect(await page(2, 1)).toEqual([[3], true]);
      expect(await page(10_000, 5)).toEqual([[], false]);
      expect(await page(0, 4)).toEqual([[1, 3, 7, 10_000], false]);
      expect(await page(0, 0)).toEqual([[], false]);
    });

    test('keeps the last part committed under a number and frees the one before', async (index) => {
      const bucket = await makeBucket(index);
      const upload = await startUpload(index, bucket, 'k');
      const first = await putBlobPart(index, bucket, upload, 1);
      const second = await putBlobPart(index, bucket, upload, 1, { lastModifiedMs: START_MS + 10 });
      expect((await listParts(index, bucket, upload)).parts).toEqual([second]);
      expect(await condemn(index, bucket, START_MS + 10)).toEqual([]);
      expect(await condemn(index, bucket, START_MS + 11)).toEqual([first.segments[0]?.blobId]);
    });

    test('refuses a part of unknown blobs and takes one of ranges of known ones', async (index) => {
      const bucket = await makeBucket(index);
      const source = await putBlob(index, bucket, 'source');
      const upload = await startUpload(index, bucket, 'k');
      const unknown = partOf(1, [wholeOf(source), wholeOf(blobIn(bucket))]);
      await expectCode(putPart(index, bucket, upload, unknown, []), 'NoSuchBlob');
      const range = { blobId: source, offsetBytes: 10, lengthBytes: 5 };
      const part = await putPart(index, bucket, upload, partOf(1, [range, range]), []);
      expect((await listParts(index, bucket, upload)).parts).toEqual([part]);
      await deleteKeys(index, bucket, ['source']);
      expect(await condemn(index, bucket, START_MS + 1)).toEqual([]);
      await abort(index, bucket, upload);
      expect(await condemn(index, bucket, START_MS + 1)).toEqual([source]);
    });

    test('makes the listed parts the object, and frees the others', async (index) => {
      const bucket = await makeBucket(index);
      const replaced = await putBlob(index, bucket, 'k');
      const upload = await startUpload(index, bucket, 'k', UPLOAD_ATTRIBUTES);
      const parts: UploadedPart[] = [];
      for (const number of [1, 2, 5, 9])
        parts.push(await putBlobPart(index, bucket, upload, number));
      const listed = parts.filter((part) => part.partNumber !== 2);
      const checksum = { algorithm: 'SHA256', type: 'COMPOSITE', value: 'x=-3' } as const;
      const input = completionOf(upload, listed, START_MS + 50);
      const version = await complete(index, bucket, {
        ...input,
        object: { ...input.object, checksum },
      });
      const { headers, userMetadata, storageClass } = upload;
      expect(version).toEqual({
        ...NO_FACTS,
        isNull: true,
        ...input.object,
        checksum,
        headers,
        userMetadata,
        storageClass,
        key: 'k',
        sizeBytes: 300,
        segments: listed.flatMap((part) => part.segments),
        inlineBytes: null,
      });
      expect(await get(index, bucket, 'k')).toEqual(version);
      await expectCode(listParts(index, bucket, upload), 'NoSuchUpload');
      const unlisted = parts[1]?.segments[0]?.blobId;
      expect(await condemn(index, bucket, START_MS + 50)).toEqual([]);
      expect(new Set(await condemn(index, bucket, START_MS + 51))).toEqual(
        new Set([replaced, unlisted]),
      );
    });

    test('counts a blob that several parts share once for the object', async (index) => {
      const bucket = await makeBucket(index);
      const upload = await startUpload(index, bucket, 'k');
      const blobId = blobIn(bucket);
      const half = (offsetBytes: number) => ({ blobId, offsetBytes, lengthBytes: 50 });
      const parts = [
        await putPart(index, bucket, upload, partOf(1, [half(0)]), [newReferenceOf(blobId)]),
        await putPart(index, bucket, upload, partOf(2, [half(50), half(0)]), []),
        await putPart(index, bucket, upload, partOf(3, [half(0)]), []),
      ];
      await complete(index, bucket, completionOf(upload, parts.slice(0, 2)));
      expect(await get(index, bucket, 'k')).toMatchObject({
        segments: [half(0), half(50), half(0)],
        sizeBytes: 150,
      });
      expect(await condemn(index, bucket, START_MS + 1)).toEqual([]);
      await deleteKeys(index, bucket, ['k']);
      expect(await condemn(index, bucket, START_MS + 1)).toEqual([blobId]);
    });

    test('refuses a list that does not fit the parts, and keeps the upload', async (index) => {
      const bucket = await makeBucket(index);
      const upload = await startUpload(index, bucket, 'k');
      const parts = [
        await putBlobPart(index, bucket, upload, 1),
        await putBlobPart(index, bucket, upload, 2),
      ];
      const input = completionOf(upload, parts);
      const [first, second] = input.parts;
      const listed = (...list: ({ partNumber: number; md5: string } | undefined)[]) =>
        complete(index, bucket, { ...input, parts: list.filter((part) => part !== undefined) });
      await expectCode(listed(first, { partNumber: 2, md5: 'other' }), 'InvalidPart');
      await expectCode(listed(first, { partNumber: 3, md5: second?.md5 ?? '' }), 'InvalidPart');
      await expectCode(listed(second, first), 'InvalidPartOrder');
      await expectCode(listed(first, first), 'InvalidPartOrder');
      expect(await get(index, bucket, 'k')).toBe(null);
      expect((await listParts(index, bucket, upload)).parts).toHaveLength(2);
      await listed(first, second);
    });

    test('checks the conditions of a completion; failed, the upload stays', async (index) => {
      const bucket = await makeBucket(index);
      const upload = await startUpload(index, bucket, 'k');
      const input = completionOf(upload, [await putBlobPart(index, bucket, upload, 1)]);
      await expectCode(
        complete(index, bucket, input, { ifMatch: 'e', ifNoneMatch: null }),
        'NoSuchKey',
      );
      await put(index, bucket, objectOf('k', { etag: 'e' }));
      await expectCode(
        complete(index, bucket, input, { ifMatch: null, ifNoneMatch: '*' }),
        'PreconditionFailed',
      );
      await expectCode(
        complete(index, bucket, input, { ifMatch: 'f', ifNoneMatch: null }),
        'PreconditionFailed',
      );
      await complete(index, bucket, input, { ifMatch: 'e', ifNoneMatch: null });
      expect(await get(index, bucket, 'k')).toMatchObject({ etag: input.object.etag });
    });

    test('answers a repeated completion with the version that it made', async (index) => {
      const bucket = await makeBucket(index);
      const upload = await startUpload(index, bucket, 'k', UPLOAD_ATTRIBUTES);
      const input = completionOf(upload, [await putBlobPart(index, bucket, upload, 4)]);
      const condition = { ifMatch: null, ifNoneMatch: '*' };
      const version = await complete(index, bucket, input, condition);
      // Whoever repeats it can't see the parts any more: the list is all that counts.
      const again = { ...input, object: { ...completionOf(upload, []).object, etag: '' } };
      expect(await complete(index, bucket, again, condition)).toEqual(version);
      await put(index, bucket, objectOf('k'));
      expect(await complete(index, bucket, again)).toEqual(version);
      const newer = await get(index, bucket, 'k');
      expect(newer?.versionId).not.toBe(version.versionId);
      await expectCode(complete(index, bucket, { ...again, parts: [] }), 'NoSuchUpload');
      await expectCode(complete(index, bucket, { ...again, key: asKey('other') }), 'NoSuchUpload');
      const otherMd5 = input.parts.map((part) => ({ ...part, md5: 'other' }));
      await expectCode(complete(index, bucket, { ...again, parts: otherMd5 }), 'NoSuchUpload');
      await expectCode(abort(index, bucket, upload), 'NoSuchUpload');
    });

    test('completes once, however many ask at once', async (index) => {
      const bucket = await makeBucket(index);
      const upload = await startUpload(index, bucket, 'k');
      const parts = [await putBlobPart(index, bucket, upload, 1)];
      const answers = await Promise.all(
        [1, 2, 3, 4].map(() => complete(index, bucket, completionOf(upload, parts))),
      );
      expect(new Set(answers.map((version) => version.versionId)).size).toBe(1);
      await deleteKeys(index, bucket, ['k']);
      expect(await condemn(index, bucket, START_MS + 1)).toEqual([parts[0]?.segments[0]?.blobId]);
    });

    test('frees all parts of an aborted upload', async (index) => {
      const bucket = await makeBucket(index);
      const upload = await startUpload(index, bucket, 'k');
      const parts = [
        await putBlobPart(index, bucket, upload, 1),
        await putBlobPart(index, bucket, upload, 2),
      ];
      const keptUpload = await startUpload(index, bucket, 'k');
      const kept = await putBlobPart(index, bucket, keptUpload, 1);
      await abort(index, bucket, upload, START_MS + 5);
      await expectCode(abort(index, bucket, upload), 'NoSuchUpload');
      await expectCode(putBlobPart(index, bucket, upload, 3), 'NoSuchUpload');
      expect(await condemn(index, bucket, START_MS + 5)).toEqual([]);
      const freed = parts.map((part) => part.segments[0]?.blobId);
      expect(new Set(await condemn(index, bucket, START_MS + 6))).toEqual(new Set(freed));
      expect((await listParts(index, bucket, keptUpload)).parts).toEqual([kept]);
    });

    test('gives up idle uploads by their last part, and counts freed bytes', async (index) => {
      const bucket = await makeBucket(index);
      const hour = 3_600_000;
      const [idle, going, ruled] = [
        await startUpload(index, bucket, 'a'),
        await startUpload(index, bucket, 'b'),
        await startUpload(index, bucket, 'kept/c'),
      ] as const;
      const at = (lastModifiedMs: number) => ({ lastModifiedMs });
      await putBlobPart(index, bucket, idle, 1, at(START_MS + 1));
      await putBlobPart(index, bucket, idle, 2, at(START_MS + hour));
      await putBlobPart(index, bucket, going, 1, at(START_MS + 20 * hour));
      const left = async () =>
        (
          await index.call(bucket.name, 'listUploads', {
            ...{
              bucket: refOf(bucket),
              prefix: '',
              delimiter: '',
              afterKey: '',
              afterUploadId: '',
              maxUploads: 10,
            },
          })
        ).uploads.map(({ key }) => key);
      const sweep = (nowMs: number, exceptPrefixes: readonly string[]) =>
        index.call(bucket.name, 'abortStaleUploads', {
          ...{
            bucket: refOf(bucket),
            idleSinceMs: nowMs - 24 * hour,
            exceptPrefixes,
            after: null,
            nowMs,
          },
        });
      const lives = await index.call(bucket.name, 'listIncarnations', { name: bucket.name });
      // Late uploads are nobody's business before their hour is closed, as an alarm may do.
      expect(rows === 'joined' ? [null, START_MS] : [START_MS]).toContain(lives[0]?.idleUploadMs);
      expect(await sweep(START_MS + 25 * hour - 1, ['kept/'])).toEqual({
        aborted: 0,
        freedBytes: 0,
        next: null,
      });
      expect(await sweep(START_MS + 25 * hour, ['kept/'])).toEqual({
        aborted: 1,
        freedBytes: 200,
        next: null,
      });
      expect(await left()).toEqual([going.key, ruled.key]);
      expect(await sweep(START_MS + 44 * hour, [])).toEqual({
        aborted: 2,
        freedBytes: 100,
        next: null,
      });
      expect(await left()).toEqual([]);
      // The first was begun in another hour than that in which it was given up: usage belongs to
      // the latter.
      const closed = await index.call(bucket.name, 'closeStorageHours', {
        ...{ name: bucket.name, nowMs: START_MS + 50 * hour, limit: 1000 },
      });
      const given = closed.flatMap(({ of, used, hourMs, ...rest }) =>
        of.kind === 'commits' ? [{ ...rest, hourMs, ...used[0] }] : [],
      );
      const hourOf = (ms: number) => ms - (ms % hour);
      const used = { bucketId: bucket.id, ownerId: bucket.ownerId, hourCount: 1 };
      expect(given).toEqual([
        {
          ...used,
          meter: 'free/stale-upload-bytes',
          hourMs: hourOf(START_MS + 25 * hour),
          quantity: 200n,
        },
        {
          ...used,
          meter: 'free/stale-upload-bytes',
          hourMs: hourOf(START_MS + 44 * hour),
          quantity: 100n,
        },
        {
          ...used,
          meter: 'free/stale-uploads',
          hourMs: hourOf(START_MS + 25 * hour),
          quantity: 1n,
        },
        {
          ...used,
          meter: 'free/stale-uploads',
          hourMs: hourOf(START_MS + 44 * hour),
          quantity: 2n,
        },
      ]);
      await index.call(bucket.name, 'forgetStorageHours', { name: bucket.name, hours: closed });
      const nowMs = START_MS + 50 * hour;
      const again = await index.call(bucket.name, 'closeStorageHours', {
        name: bucket.name,
        nowMs,
        limit: 1000,
      });
      expect(again).toEqual([]);
    });

    test('looks at many resting uploads in bounded steps', async (index) => {
      const bucket = await makeBucket(index);
      for (let at = 0; at < 205; at++)
        await startUpload(index, bucket, `${at % 2 === 0 ? 'kept/' : ''}${at}`);
      const counts: number[] = [];
      for (
        let after: UploadCursor | null = null, isFirst = true;
        isFirst || after !== null;
        isFirst = false
      ) {
        const input = { idleSinceMs: START_MS, exceptPrefixes: ['kept/'], after, nowMs: START_MS };
        const done: { aborted: number; next: UploadCursor | null } = await index.call(
          bucket.name,
          'abortStaleUploads',
          {
            ...input,
            bucket: refOf(bucket),
          },
        );
        counts.push(done.aborted);
        after = done.next;
      }
      expect(counts.length).toBe(3);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(102);
    });

    test('gives up a part of a foreign blob like one of its own', async (index) => {
      const owner = await makeBucket(index);
      const bucket = await makeBucket(index);
      const blobId = await putBlob(index, owner, 'source');
      const hold = {
        ownerBucket: addressOf(owner),
        blobIds: [blobId],
        referrer: addressOf(bucket),
        nowMs: START_MS,
      };
      await index.call(owner.name, 'addRemoteReferences', hold);
      const upload = await startUpload(index, bucket, 'k');
      await putPart(index, bucket, upload, partOf(1, [wholeOf(blobId)]), [
        newReferenceOf(blobId, 100, addressOf(owner)),
      ]);
      await put(index, bucket, segmentsObjectOf('copy', [wholeOf(blobId)]));
      await abort(index, bucket, upload);
      expect(await condemn(index, bucket, START_MS + 1)).toEqual([]);
    });
  });
}
