// The listing of uploads, as the metadata index's contract has it.
import { describe, expect } from 'vitest';
import type { BucketRecord } from '../../../src/domain/nouns.ts';
import type { Upload } from '../../../src/ports/index-calls/upload-calls.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import { makeBucket, refOf, startUpload, UPLOAD_ATTRIBUTES } from './samples.ts';

/** Runs the family. */
export function indexUploadListsContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);

  describe(`metadata index, listing of uploads: ${subject.name}`, () => {
    /** Two uploads of each key, in the order that a listing has. */
    async function filled(index: MetadataIndex, keys: readonly string[]) {
      const bucket = await makeBucket(index);
      const uploads: Upload[] = [];
      for (const key of keys) {
        uploads.push(
          await startUpload(index, bucket, key, UPLOAD_ATTRIBUTES),
          await startUpload(index, bucket, key),
        );
      }
      return { bucket, uploads };
    }
    const list = (
      index: MetadataIndex,
      bucket: BucketRecord,
      query: {
        prefix?: string;
        delimiter?: string;
        afterKey?: string;
        afterUploadId?: string;
        maxUploads?: number;
      },
    ) =>
      index.call(bucket.name, 'listUploads', {
        bucket: refOf(bucket),
        prefix: '',
        delimiter: '',
        afterKey: '',
        afterUploadId: '',
        maxUploads: 1000,
        ...query,
      });

    test('lists uploads by key and id, page by page', async (index) => {
      const { bucket, uploads } = await filled(index, [
        '\u0000',
        'a',
        'a\u0000',
        'a/b',
        '\uffff',
        '😀',
      ]);
      expect(await list(index, bucket, { maxUploads: 0 })).toEqual({
        uploads: [],
        commonPrefixes: [],
        isTruncated: false,
        last: null,
      });
      for (const maxUploads of [1, 2, 3, 5, 11, 12, 1000]) {
        const found: Upload[] = [];
        let page = await list(index, bucket, { maxUploads });
        for (;;) {
          found.push(...page.uploads);
          if (!page.isTruncated) break;
          expect(page.uploads).toHaveLength(maxUploads);
          const { key: afterKey = '', uploadId: afterUploadId = '' } = page.last ?? {};
          page = await list(index, bucket, { maxUploads, afterKey, afterUploadId });
        }
        expect(found).toEqual(uploads);
      }
    });

    test('starts behind a whole key, or behind an upload of it', async (index) => {
      const { bucket, uploads } = await filled(index, ['a', 'b']);
      const idsAfter = async (afterKey: string, afterUploadId: string) =>
        (await list(index, bucket, { afterKey, afterUploadId })).uploads.map(
          (upload) => upload.uploadId,
        );
      const ids = uploads.map((upload) => upload.uploadId);
      expect(await idsAfter('a', '')).toEqual(ids.slice(2));
      expect(await idsAfter('a', ids[0] ?? '')).toEqual(ids.slice(1));
      expect(await idsAfter('a', ids[1] ?? '')).toEqual(ids.slice(2));
      expect(await idsAfter('a', ' ')).toEqual(ids);
      expect(await idsAfter('aa', ids[3] ?? '')).toEqual(ids.slice(2));
      expect(await idsAfter('b', '')).toEqual([]);
    });

    test('starts inside a key only when that is listed', async (index) => {
      const { bucket, uploads } = await filled(index, ['a', 'a\u0000', 'a/b']);
      const idsOf = async (query: { prefix?: string; delimiter?: string; afterKey: string }) =>
        (await list(index, bucket, { ...query, afterUploadId: ' ' })).uploads.map(
          (upload) => upload.uploadId,
        );
      const ids = uploads.map((upload) => upload.uploadId);
      expect(await idsOf({ prefix: 'a\u0000', afterKey: 'a' })).toEqual(ids.slice(2, 4));
      expect(await idsOf({ prefix: 'a', afterKey: 'b' })).toEqual([]);
      expect(await idsOf({ delimiter: '/', afterKey: 'a/b' })).toEqual([]);
      expect(await idsOf({ afterKey: 'a/b' })).toEqual(ids.slice(4));
    });

    test('rolls uploads up under a delimiter', async (index) => {
      const { bucket, uploads } = await filled(index, ['a', 'a/1', 'a/2', 'b', 'c/']);
      const page = await list(index, bucket, { delimiter: '/' });
      expect(page).toMatchObject({
        commonPrefixes: ['a/', 'c/'],
        isTruncated: false,
        last: { key: 'c/', uploadId: '' },
      });
      expect(page.uploads).toEqual([...uploads.slice(0, 2), ...uploads.slice(6, 8)]);
      const cut = await list(index, bucket, { delimiter: '/', maxUploads: 3 });
      expect(cut).toMatchObject({
        commonPrefixes: ['a/'],
        isTruncated: true,
        last: { key: 'a/', uploadId: '' },
      });
      const rest = await list(index, bucket, { delimiter: '/', afterKey: 'a/' });
      expect(rest.uploads.map((upload) => upload.key)).toEqual(['b', 'b']);
      expect(rest.commonPrefixes).toEqual(['c/']);
      const inside = await list(index, bucket, { prefix: 'a/', delimiter: '/' });
      expect(inside.uploads).toEqual(uploads.slice(2, 6));
    });
  });
}
