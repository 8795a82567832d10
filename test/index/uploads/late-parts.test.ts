// Parts that the totals count later than they come: to the byte and the millisecond, in each hour.
import { describe, expect, it } from 'vitest';
import { createDirectMetadataIndex } from '../../../src/adapters/memory/direct-metadata-index.ts';
import type { BucketRecord } from '../../../src/domain/nouns.ts';
import { HOUR_MS, startOfHour } from '../../../src/domain/time.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import { oldestUncollected } from '../../../src/index/usage/uncollected.ts';
import type { Upload } from '../../../src/ports/index-calls/upload-calls.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import {
  addressOf,
  completionOf,
  condemn,
  deleteKeys,
  makeBucket,
  putBlob,
  putBlobPart,
  refOf,
  START_MS,
  startUpload,
} from '../../contract/index/samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';

const OPEN_MS = startOfHour(START_MS);

const openIndex = () => createDirectMetadataIndex(createBucketIndex(openMigrated(INDEX_SCHEMA)));
const start = (index: MetadataIndex, bucket: BucketRecord, createdAtMs = START_MS) =>
  startUpload(index, bucket, 'k', { createdAtMs }, 'joined');
const send = (
  index: MetadataIndex,
  bucket: BucketRecord,
  upload: Upload,
  number: number,
  lastModifiedMs: number,
) => putBlobPart(index, bucket, upload, number, { lastModifiedMs });
const partTotals = async (index: MetadataIndex, bucket: BucketRecord) => {
  const totals = await index.call(bucket.name, 'getStorageTotals', { bucket: refOf(bucket) });
  return totals.map(({ partBytes, partCount }) => [partBytes, partCount]);
};
/** Byte-milliseconds of each hour that is over, by its number since the first. */
const hours = async (index: MetadataIndex, bucket: BucketRecord, nowMs: number) => {
  const input = { name: bucket.name, nowMs, limit: 1000 };
  const closed = await index.call(bucket.name, 'closeStorageHours', input);
  return closed.flatMap(({ of, used, hourMs, hourCount }) =>
    of.kind === 'storage' ? [[(hourMs - OPEN_MS) / HOUR_MS, hourCount, used[0]?.quantity]] : [],
  );
};

describe('late parts', () => {
  it('count from when they came, in each hour', async () => {
    const index = openIndex();
    const bucket = await makeBucket(index);
    await putBlob(index, bucket, 'first', { lastModifiedMs: OPEN_MS, sizeBytes: 1 });
    const upload = await start(index, bucket, OPEN_MS + 10);
    await send(index, bucket, upload, 1, OPEN_MS + 1000);
    // Another commit takes the totals on before the next part, which is older.
    await putBlob(index, bucket, 'other', { lastModifiedMs: OPEN_MS + 5000, sizeBytes: 7 });
    await send(index, bucket, upload, 2, OPEN_MS + 4000);
    await send(index, bucket, upload, 3, OPEN_MS + HOUR_MS + 500);
    expect(await partTotals(index, bucket)).toEqual([[300, 3]]);
    const hour = BigInt(HOUR_MS);
    expect(await hours(index, bucket, OPEN_MS + 2 * HOUR_MS + 1)).toEqual([
      [0, 1, 100n * (hour - 1000n) + 100n * (hour - 4000n) + 7n * (hour - 5000n) + hour],
      [1, 1, 208n * hour + 100n * (hour - 500n)],
    ]);
    expect(await partTotals(index, bucket)).toEqual([[300, 3]]);
    // Like any other from now on.
    await send(index, bucket, upload, 4, OPEN_MS + 2 * HOUR_MS + 100);
    const { key, uploadId } = upload;
    await index.call(bucket.name, 'abortUpload', {
      ...{ bucket: refOf(bucket), key, uploadId },
      nowMs: OPEN_MS + 2 * HOUR_MS + 300,
    });
    const third = 300n * 300n + 100n * 200n + 8n * hour;
    expect((await hours(index, bucket, OPEN_MS + 3 * HOUR_MS)).at(-1)).toEqual([2, 1, third]);
  });

  it('count of an upload that ends within its hour, or with its bucket', async () => {
    const index = openIndex();
    const bucket = await makeBucket(index);
    const done = await start(index, bucket, OPEN_MS + 10);
    const part = await send(index, bucket, done, 1, OPEN_MS + 1000);
    await index.call(bucket.name, 'completeUpload', {
      bucket: refOf(bucket),
      ...completionOf(done, [part], OPEN_MS + 3000),
    });
    await deleteKeys(index, bucket, ['k'], OPEN_MS + 4000);
    const left = await start(index, bucket, OPEN_MS + 4000);
    await send(index, bucket, left, 1, OPEN_MS + 5000);
    await index.call(bucket.name, 'deleteBucket', {
      bucket: refOf(bucket),
      nowMs: OPEN_MS + 9000,
    });
    expect(await hours(index, bucket, OPEN_MS + HOUR_MS)).toEqual([[0, 1, 700_000n]]);
    const dropped = { bucket: addressOf(bucket), nowMs: OPEN_MS + 9000 };
    const { isDone } = await index.call(bucket.name, 'dropUploadsOfIncarnation', dropped);
    expect(isDone).toBe(true);
    expect(await condemn(index, bucket, OPEN_MS + 9001)).toHaveLength(2);
  });

  it('count in their own hour, though another upload begins behind it', async () => {
    const hour = BigInt(HOUR_MS);
    for (const ends of ['complete', 'abort', 'replace', 'other', 'close', 'delete'] as const) {
      const index = openIndex();
      const bucket = await makeBucket(index);
      const older = await start(index, bucket, OPEN_MS + 10);
      const part = await send(index, bucket, older, 1, OPEN_MS + 1000);
      // Nobody has closed the hour when another upload begins in the next one.
      const newer = await start(index, bucket, OPEN_MS + HOUR_MS + 10);
      await send(index, bucket, newer, 1, OPEN_MS + HOUR_MS + 2000);
      const nowMs = OPEN_MS + HOUR_MS + 3000;
      const of = { bucket: refOf(bucket), key: older.key, uploadId: older.uploadId };
      if (ends === 'complete') {
        const completion = completionOf(older, [part], nowMs);
        await index.call(bucket.name, 'completeUpload', { ...of, ...completion });
      }
      if (ends === 'abort') await index.call(bucket.name, 'abortUpload', { ...of, nowMs });
      if (ends === 'replace') await send(index, bucket, older, 1, nowMs);
      if (ends === 'other') await putBlob(index, bucket, 'other', { lastModifiedMs: nowMs });
      if (ends === 'delete') {
        await index.call(bucket.name, 'deleteBucket', { bucket: refOf(bucket), nowMs });
      }
      const closed = await hours(index, bucket, OPEN_MS + 2 * HOUR_MS);
      const afterMs = { abort: 3000n, delete: 3000n }[ends as string] ?? hour;
      const newerMs = ends === 'delete' ? 1000n : hour - 2000n;
      const otherMs = ends === 'other' ? hour - 3000n : 0n;
      expect([ends, ...closed]).toEqual([
        ends,
        [0, 1, 100n * (hour - 1000n)],
        [1, 1, 100n * (afterMs + newerMs + otherMs)],
      ]);
    }
  });

  it('are the oldest hour that the ledger lacks, though no totals say so', async () => {
    const sql = openMigrated(INDEX_SCHEMA);
    const index = createDirectMetadataIndex(createBucketIndex(sql));
    const bucket = await makeBucket(index);
    expect(oldestUncollected(sql, bucket.name)).toBe(null);
    const upload = await start(index, bucket, OPEN_MS + 10);
    await send(index, bucket, upload, 1, OPEN_MS + 20);
    expect(sql.all('SELECT * FROM storage_totals')).toEqual([]);
    expect(oldestUncollected(sql, bucket.name)?.hourMs).toBe(OPEN_MS);
    await hours(index, bucket, OPEN_MS + HOUR_MS);
    expect(oldestUncollected(sql, bucket.name)?.hourMs).toBe(OPEN_MS);
    expect(await partTotals(index, bucket)).toEqual([[100, 1]]);
  });
});
