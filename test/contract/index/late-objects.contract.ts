// PUTs that totals count late, as the metadata index's contract has them: what a bucket says that
// it stores is exact, whatever happens to them. To the millisecond it is
// test/index/late/late-objects.test.ts's, where no alarm closes hours beside the tests.
import { describe, expect } from 'vitest';
import type { BlobId, BucketRecord } from '../../../src/domain/nouns.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import { condemn, deleteKeys, get, latePutOf, makeBucket, refOf, START_MS } from './samples.ts';

/** Runs the family. */
export function lateObjectsContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);
  /** Commits a PUT and gives its blob. */
  const put = async (
    index: MetadataIndex,
    bucket: BucketRecord,
    key: string,
    afterMs = 0,
    tookMs = 0,
  ): Promise<BlobId | undefined> => {
    const times = { atMs: START_MS + afterMs, begunMs: START_MS + afterMs - tookMs };
    const input = latePutOf(bucket, key, times);
    await index.call(bucket.name, 'commitObject', input);
    return input.newReferences[0]?.blobId;
  };
  const stored = async (index: MetadataIndex, bucket: BucketRecord) => {
    const totals = await index.call(bucket.name, 'getStorageTotals', { bucket: refOf(bucket) });
    return totals.map((of) => [of.currentBytes, of.currentCount]);
  };

  describe(`metadata index, late objects: ${subject.name}`, () => {
    test('counts each of many, in whichever order they end', async (index) => {
      const bucket = await makeBucket(index);
      for (let at = 0; at < 70; at++) {
        await put(index, bucket, `k${at}`, at * 10, (at % 7) * 100);
        expect(await stored(index, bucket)).toEqual([[(at + 1) * 100, at + 1]]);
      }
    });

    test('counts one that goes or is replaced as any other', async (index) => {
      const bucket = await makeBucket(index);
      const blobs = [];
      for (const key of ['a', 'b', 'c']) blobs.push(await put(index, bucket, key));
      await deleteKeys(index, bucket, ['b'], START_MS + 10);
      expect(await stored(index, bucket)).toEqual([[200, 2]]);
      await put(index, bucket, 'c', 20);
      await put(index, bucket, 'd', 30);
      expect(await stored(index, bucket)).toEqual([[300, 3]]);
      expect((await get(index, bucket, 'd'))?.sizeBytes).toBe(100);
      const swept = await condemn(index, bucket, START_MS + 21);
      expect(swept).toEqual(expect.arrayContaining(blobs.slice(1)));
    });

    test('counts one once whose commit is repeated', async (index) => {
      const bucket = await makeBucket(index);
      await put(index, bucket, 'first');
      const input = latePutOf(bucket, 'k', { atMs: START_MS + 10 });
      for (let at = 0; at < 3; at++) await index.call(bucket.name, 'commitObject', input);
      expect(await stored(index, bucket)).toEqual([[200, 2]]);
      await deleteKeys(index, bucket, ['k'], START_MS + 20);
      await index.call(bucket.name, 'commitObject', input);
      await put(index, bucket, 'other', 30);
      expect(await stored(index, bucket)).toEqual([[300, 3]]);
    });

    test('brings them to the ledger with their hour', async (index) => {
      const bucket = await makeBucket(index);
      await put(index, bucket, 'first');
      await put(index, bucket, 'k', 1000);
      const input = { name: bucket.name, nowMs: START_MS + 3_600_000, limit: 10 };
      const hours = await index.call(bucket.name, 'closeStorageHours', input);
      // A bucket of several shards has one of each.
      expect(new Set(hours.map(({ of }) => of.kind))).toEqual(new Set(['storage']));
      expect(await stored(index, bucket)).toEqual([[200, 2]]);
      await put(index, bucket, 'later', 3_600_000);
      expect(await stored(index, bucket)).toEqual([[300, 3]]);
    });
  });
}
