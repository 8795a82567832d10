// Uploads whose parts stand in the rows of their blobs: what clients and the sweep see is as ever,
// and a release goes on with what the other one began.
import { beforeEach, describe, expect, it } from 'vitest';
import { abortUpload } from '../../../src/core/multipart/abort-upload.ts';
import { uploadPartCopy } from '../../../src/core/multipart/upload-part.ts';
import { getObject } from '../../../src/core/objects/read-object.ts';
import { type BucketHandle, openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../../../src/core/opened-bucket/set-bucket-settings.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import { partOfBlobId, type UploadRows } from '../../../src/domain/uploads/upload-rows.ts';
import {
  createMemoryCore,
  key,
  type MemoryCore,
  openTestBucket,
  putBytes,
  readWhole,
  sampleBytes,
  withPorts,
} from '../memory-core.ts';
import { completeParts, putPart, startUpload } from '../multipart-kit.ts';

const HOUR = 3600;
const PART_BYTES = 5 * 2 ** 20;

const writing = (core: MemoryCore, uploadRows: UploadRows): MemoryCore => ({
  ...core,
  settings: { ...core.settings, uploadRows },
});

let core: MemoryCore;
/** The release before, on the same data. */
let former: MemoryCore;
let bucket: BucketHandle;
beforeEach(async () => {
  former = writing(createMemoryCore(), 'separate');
  core = writing(former, 'joined');
  bucket = await openTestBucket(core);
});

/** Compares without a walk over millions of elements. */
const expectBytes = (bytes: Uint8Array, expected: Uint8Array) =>
  expect(Buffer.compare(bytes, expected)).toBe(0);
const bytesOf = (number: number) => sampleBytes(PART_BYTES, number);
const joinedBlobs = () =>
  [...core.blobStore.blobs.keys()].filter((blobId) => partOfBlobId(blobId) !== null);
const sweepLater = async (hours: number) => {
  core.advanceSeconds(hours * HOUR);
  await sweep(core);
};

describe('an upload in joined rows', () => {
  it('becomes an object of its parts, and leaves nothing when that goes', async () => {
    const upload = await startUpload(core, bucket, 'a');
    const parts = [
      await putPart(core, bucket, upload, 1, bytesOf(1)),
      await putPart(core, bucket, upload, 2, bytesOf(2)),
    ];
    expect(joinedBlobs()).toHaveLength(2);
    const version = await completeParts(core, bucket, upload, parts);
    const bytes = await readWhole(core, version);
    expectBytes(bytes.subarray(0, PART_BYTES), bytesOf(1));
    expectBytes(bytes.subarray(PART_BYTES), bytesOf(2));
    await sweepLater(100);
    expectBytes(await readWhole(core, version), bytes);
    await putBytes(core, bucket, 'a', sampleBytes(1));
    await sweepLater(100);
    expect(joinedBlobs()).toEqual([]);
  });

  it('keeps a part that comes days after it was begun, whatever the sweep has passed', async () => {
    const upload = await startUpload(core, bucket, 'a');
    for (let day = 1; day <= 3; day += 1) {
      core.advanceSeconds(23 * HOUR);
      await putPart(core, bucket, upload, day, bytesOf(day));
      await sweep(core);
    }
    expect(joinedBlobs()).toHaveLength(3);
    const { parts } = await bucket.call('listParts', {
      ...upload,
      afterPartNumber: 0,
      maxParts: 10,
    });
    expect(parts.map(({ partNumber }) => partNumber)).toEqual([1, 2, 3]);
    await abortUpload(core, bucket, upload);
    await sweepLater(100);
    expect(core.blobStore.blobs.size).toBe(0);
  });

  it('loses a blob to the sweep whose commit never came, and no other', async () => {
    const upload = await startUpload(core, bucket, 'a');
    const kept = await putPart(core, bucket, upload, 1, bytesOf(1));
    const lost = withPorts(core, {
      metadataIndex: {
        ...core.ports.metadataIndex,
        call: (name, call, input) =>
          call === 'commitPart'
            ? Promise.reject(new StorageError('ServiceUnavailable'))
            : core.ports.metadataIndex.call(name, call, input),
      },
    });
    const handle = await openBucket(lost, bucket.record().name, () => undefined);
    await expect(putPart(lost, handle, upload, 2, bytesOf(2))).rejects.toMatchObject({
      code: 'ServiceUnavailable',
    });
    expect(joinedBlobs()).toHaveLength(2);
    core.advanceSeconds(3 * HOUR);
    await sweep({ ...core, settings: { ...core.settings, staleUploadHours: 0 } });
    expect(joinedBlobs()).toEqual(kept.segments.map(({ blobId }) => blobId));
  });

  it('has separate rows for copied parts, and where equal bytes are shared', async () => {
    const source = await putBytes(core, bucket, 'source', sampleBytes(PART_BYTES));
    const upload = await startUpload(core, bucket, 'a');
    const copied = await uploadPartCopy(core, bucket, {
      ...upload,
      partNumber: 1,
      source,
      range: { offsetBytes: 0, lengthBytes: PART_BYTES },
    });
    const sent = await putPart(core, bucket, upload, 2, bytesOf(2));
    const version = await completeParts(core, bucket, upload, [copied, sent]);
    const bytes = await readWhole(core, version);
    expectBytes(bytes.subarray(0, PART_BYTES), sampleBytes(PART_BYTES));
    await setBucketSettings(core, bucket, { deduplication: true });
    const [one, other] = [
      await startUpload(core, bucket, 'b'),
      await startUpload(core, bucket, 'c'),
    ];
    const first = await putPart(core, bucket, one, 1, bytesOf(3));
    const again = await putPart(core, bucket, other, 1, bytesOf(3));
    expect(again.segments).toEqual(first.segments);
    await completeParts(core, bucket, one, [first]);
    await abortUpload(core, bucket, other);
    await sweepLater(100);
    expectBytes(await readWhole(core, await getObject(bucket, key('b'))), bytesOf(3));
  });

  it('goes on in the release before, and back', async () => {
    const upload = await startUpload(core, bucket, 'a');
    const parts = [
      await putPart(core, bucket, upload, 1, bytesOf(1)),
      await putPart(former, bucket, upload, 2, bytesOf(2)),
      await putPart(core, bucket, upload, 3, bytesOf(3)),
    ];
    // Each replaces what the other has written.
    parts[0] = await putPart(former, bucket, upload, 1, bytesOf(4));
    parts[1] = await putPart(core, bucket, upload, 2, bytesOf(5));
    const version = await completeParts(former, bucket, upload, parts);
    const bytes = await readWhole(former, version);
    expect([0, 1, 2].map((at) => bytes[at * PART_BYTES + 1])).toEqual(
      [4, 5, 3].map((number) => bytesOf(number)[1]),
    );
    await sweepLater(100);
    expectBytes(await readWhole(core, version), bytes);
    expect(core.blobStore.blobs.size).toBe(3);
  });
});
