// Copies of another bucket's objects that are committed again, because nobody heard that they were:
// meanwhile their small bodies may have moved into a pack of that bucket.
import { expect, it } from 'vitest';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import type { CopyToCommit } from '../../../src/ports/index-calls/key-job-calls.ts';
import {
  asKey,
  blobIn,
  bucketRecord,
  newReferenceOf,
  objectOf,
  refOf,
  segmentsObjectOf,
  wholeOf,
} from '../../contract/index/samples.ts';
import { openMigrated } from '../../index/kit/open-migrated.ts';

it('copies are made once, also of bodies that move into a pack meanwhile', () => {
  const index = createBucketIndex(openMigrated(INDEX_SCHEMA));
  const bucket = bucketRecord();
  index.createBucket({ bucket });
  const blobId = blobIn(bucketRecord());
  const toKeys = [asKey('to'), asKey('to (1)')];
  const inline = objectOf('from');
  const { etag, sizeBytes } = inline;
  const packed = segmentsObjectOf('from', [wholeOf(blobId, sizeBytes)], { etag, sizeBytes });
  const commit = (copy: Omit<CopyToCommit, 'toKeys' | 'mayReplace'>) =>
    index.commitCopies({
      bucket: refOf(bucket),
      copies: [{ ...copy, toKeys, mayReplace: false }],
      sinceMs: 0,
    });
  const first = commit({ object: inline, newReferences: [] });
  expect(first).toMatchObject([{ toKey: 'to' }]);
  expect(commit({ object: inline, newReferences: [] })).toEqual(first);
  const newReferences = [newReferenceOf(blobId, sizeBytes)];
  expect(commit({ object: packed, newReferences })).toEqual(first);
  const other = { ...packed, etag: 'another' };
  expect(commit({ object: other, newReferences })).toMatchObject([{ toKey: 'to (1)' }]);
});
