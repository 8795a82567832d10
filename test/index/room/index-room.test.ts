// The room of an index that may only grow so far: bodies leave it first, then nothing more is
// stored, and deletions are never refused.
import { describe, expect, it } from 'vitest';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import {
  bucketRecord,
  deletionOf,
  expectCode,
  keyJobOf,
  objectOf,
  refOf,
} from '../../contract/index/samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';

const MAX_BYTES = 1000;

/** An index with one object, and so many of 1,000 bytes in use. */
function openIndex() {
  const room = { usedBytes: 0, maxBytes: MAX_BYTES };
  const index = createBucketIndex({ ...openMigrated(INDEX_SCHEMA), room: () => room });
  const bucket = index.createBucket({ bucket: bucketRecord() });
  const commit = (key: string) =>
    index.commitObject({
      bucket: refOf(bucket),
      object: objectOf(key),
      condition: null,
      newReferences: [],
    });
  commit('a');
  return { room, index, bucket, commit };
}

describe('the room of an index', () => {
  it('asks for no more bodies from 60 % in use on, until there is room again', () => {
    const { room, index, bucket } = openIndex();
    const isCrowded = () => index.getBucket({ name: bucket.name })?.isIndexCrowded;
    room.usedBytes = 599;
    expect(isCrowded()).toBeUndefined();
    room.usedBytes = 600;
    expect(isCrowded()).toBe(true);
    room.usedBytes = 10;
    expect(isCrowded()).toBeUndefined();
    expect(index.getIndexRoom({ bucket: refOf(bucket) })).toEqual(room);
  });

  it('refuses to store more from 97 % on, and nothing that makes room', async () => {
    const { room, index, bucket, commit } = openIndex();
    room.usedBytes = 969;
    commit('b');
    room.usedBytes = 970;
    await expectCode(
      Promise.resolve().then(() => commit('c')),
      'StorageFull',
    );
    const job = { bucket: refOf(bucket), job: keyJobOf('job') };
    index.createKeyJob(job);
    index.deleteObjects({ bucket: refOf(bucket), ...deletionOf(['a', 'b']) });
    index.deleteBucket({ bucket: refOf(bucket), nowMs: 1 });
  });

  it('has no bound where the database has none', () => {
    const index = createBucketIndex(openMigrated(INDEX_SCHEMA));
    const bucket = index.createBucket({ bucket: bucketRecord() });
    expect(index.getIndexRoom({ bucket: refOf(bucket) })).toBeNull();
    expect(index.getBucket({ name: bucket.name })).not.toHaveProperty('isIndexCrowded');
  });
});
