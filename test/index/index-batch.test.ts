// Commands in one batch of Node's writer: one that is refused midway leaves nothing, its neighbours
// are stored.
import { describe, expect, it } from 'vitest';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { isIndexCommand } from '../../src/index/call-kinds.ts';
import { runIndexCall } from '../../src/index/call-outcome.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import {
  addressOf,
  asKey,
  blobIn,
  bucketRecord,
  newReferenceOf,
  objectIn,
  objectOf,
  refOf,
  START_MS,
  segmentsObjectOf,
  wholeOf,
} from '../contract/index/samples.ts';
import { openMigrated } from './kit/open-migrated.ts';

describe('commands in a batch', () => {
  it('are each whole or not at all', () => {
    const sql = openMigrated(INDEX_SCHEMA);
    const index = createBucketIndex(sql);
    const record = index.createBucket({ bucket: bucketRecord() });
    const bucket = refOf(record);
    const freed = blobIn(record);
    const old = segmentsObjectOf('b', [wholeOf(freed)]);
    index.commitObject({
      bucket,
      object: old,
      condition: null,
      newReferences: [newReferenceOf(freed)],
    });

    const [known, unknown] = [blobIn(record), blobIn(record)];
    const commits = [
      { object: objectOf('a'), newReferences: [] },
      {
        object: segmentsObjectOf('b', [wholeOf(known), wholeOf(unknown)]),
        newReferences: [newReferenceOf(known)],
      },
      { object: objectOf('c'), newReferences: [] },
    ];
    const replies = sql.batch(() =>
      commits.map((commit) =>
        runIndexCall(index, 'commitObject', { bucket, condition: null, ...commit }),
      ),
    );
    expect(replies).toMatchObject([
      { isOk: true },
      { isOk: false, code: 'NoSuchBlob' },
      { isOk: true },
    ]);
    const { objects } = index.listObjects({
      bucket,
      prefix: '',
      delimiter: '',
      after: '',
      maxKeys: 10,
    });
    expect(objects.map((object) => object.key)).toEqual(['a', 'b', 'c']);
    expect(objectIn(index.getVersion({ bucket, key: asKey('b'), versionId: null }))).toEqual(old);
    expect(index.findUnknownBlobs({ blobIds: [known, freed] })).toEqual([known]);
    expect(
      index.condemnBlobs({ bucket: addressOf(record), olderThanMs: START_MS + 9, limit: 9 }).blobs,
    ).toEqual([]);
    expect(isIndexCommand('commitObject') && !isIndexCommand('getVersion')).toBe(true);
  });
});
