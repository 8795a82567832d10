// What backup, check and scrub find of parts in the rows of their blobs: each part once, page by
// page, and all blobs in the order of their ids, which is not that of these rows.
import { expect, it } from 'vitest';
import { createDirectMetadataIndex } from '../../../src/adapters/memory/direct-metadata-index.ts';
import { referencedBlobs } from '../../../src/adapters/node/backup/back-up.ts';
import { rowIdOf } from '../../../src/domain/uploads/upload-rows.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import {
  filterKnown,
  filterReferenced,
  readBlobRow,
} from '../../../src/index/maintenance/inventory.ts';
import {
  FIRST_PART,
  type InventoryPart,
  listStoredParts,
  type PartCursor,
} from '../../../src/index/maintenance/inventory-parts.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import {
  blobIn,
  completionOf,
  makeBucket,
  putBlob,
  putBlobPart,
  refOf,
  startUpload,
} from '../../contract/index/samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';

/** Two buckets with uploads of both formats, and what should be found of them. */
async function createStock() {
  const sql = openMigrated(INDEX_SCHEMA);
  const index = createDirectMetadataIndex(createBucketIndex(sql));
  const parts: string[] = [];
  const blobs: string[] = [];
  for (const _ of [1, 2]) {
    const bucket = await makeBucket(index);
    blobs.push(await putBlob(index, bucket, 'object'));
    for (const rows of ['joined', 'separate', 'joined'] as const) {
      const upload = await startUpload(index, bucket, 'k', {}, rows);
      for (const number of [3, 1, 2]) {
        const part = await putBlobPart(index, bucket, upload, number);
        parts.push(`${bucket.name} ${upload.uploadId} ${number} ${part.segments[0]?.blobId}`);
        blobs.push(part.segments[0]?.blobId ?? '');
      }
    }
    const done = await startUpload(index, bucket, 'done', {}, 'joined');
    const part = await putBlobPart(index, bucket, done, 1);
    blobs.push(part.segments[0]?.blobId ?? '');
    await index.call(bucket.name, 'completeUpload', {
      ...{ bucket: refOf(bucket), ...completionOf(done, [part]) },
    });
    blobs.push(await putBlob(index, bucket, 'later'));
  }
  return { sql, parts, blobs };
}

it.each([1, 2, 5, 100])(
  'the inventory lists every part of an upload in progress once, %d at a time',
  async (limit) => {
    const { sql, parts } = await createStock();
    const found: InventoryPart[] = [];
    for (let after: PartCursor | undefined = FIRST_PART; after !== undefined; ) {
      const page: InventoryPart[] = listStoredParts(sql, { after, limit });
      found.push(...page);
      // The cursor as the scrub stores it.
      const last: PartCursor | undefined = page.length < limit ? undefined : page.at(-1);
      after =
        last === undefined
          ? undefined
          : {
              ...{ bucket: last.bucket, uploadId: last.uploadId, partNumber: last.partNumber },
              ...(last.joinedKey === undefined ? {} : { joinedKey: last.joinedKey }),
            };
    }
    const names = found.map(
      ({ bucketName, uploadId, partNumber, segments }) =>
        `${bucketName} ${uploadId} ${partNumber} ${segments[0]?.blobId}`,
    );
    expect(names.toSorted()).toEqual(parts.toSorted());
    expect(found.every(({ upload }) => upload !== null)).toBe(true);
  },
);

it('the inventory lists blobs of all rows by id, and finds each by its id', async () => {
  const { sql, blobs } = await createStock();
  const listed = [...referencedBlobs(sql)].map(({ blobId }) => blobId);
  expect(listed).toEqual(blobs.toSorted());
  // Else the order of the rows would be as good.
  expect(listed.map(rowIdOf)).not.toEqual(listed.map(rowIdOf).toSorted());
  expect(filterKnown(sql, listed).size).toBe(listed.length);
  expect(filterReferenced(sql, listed).size).toBe(listed.length);
  for (const blobId of listed) {
    const found = [1, 2].map((bucket) => readBlobRow(sql, bucket, blobId)?.refs ?? 0);
    expect(found.toSorted()).toEqual([0, 1]);
  }
  expect(filterKnown(sql, [blobIn({ id: 'b~1', name: 'b' } as never)]).size).toBe(0);
});
