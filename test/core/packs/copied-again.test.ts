// Copies of another bucket's objects that are committed again, because nobody heard that they were:
// meanwhile their small bodies may have moved into a pack of that bucket.
import { expect, it } from 'vitest';
import type { KeyAction } from '../../../src/domain/keys/key-jobs.ts';
import type { VersionId } from '../../../src/domain/nouns.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import type { CopyToCommit } from '../../../src/ports/index-calls/key-job-calls.ts';
import {
  addressOf,
  asKey,
  blobIn,
  bucketRecord,
  keyJobOf,
  newReferenceOf,
  objectOf,
  refOf,
  START_MS,
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

it('small bodies of copies get places in packs of their bucket, and are copied once', () => {
  const index = createBucketIndex(openMigrated(INDEX_SCHEMA));
  const bucket = bucketRecord();
  index.createBucket({ bucket });
  const ref = refOf(bucket);
  const sizeBytes = 2 ** 21;
  const bodyOf = (name: string) => new Uint8Array(sizeBytes).fill(name.charCodeAt(0));
  const copyOf = (name: string) => ({
    object: objectOf(name, { inlineBytes: bodyOf(name), sizeBytes, etag: name } as never),
    toKeys: [asKey(name), asKey(`${name} (1)`)],
    mayReplace: false,
    newReferences: [],
  });
  const packIds = [blobIn(bucket), blobIn(bucket)];
  const copies = ['a', 'b', 'c'].map(copyOf);
  const first = index.commitCopies({ bucket: ref, copies, sinceMs: 0, packIds });
  expect(first.map((copy) => copy?.toKey)).toEqual(['a', 'b', 'c']);

  // Two fill a pack, which the sweep writes; the third waits in the next one.
  const nowMs = START_MS + 6 * 60_000;
  const due = index.claimPacks({ name: bucket.name, nowMs, limit: 10 });
  expect(due).toEqual([{ bucket: addressOf(bucket), blobId: packIds[0] }]);
  for (const pack of due) {
    const bodies = index.readPack(pack)?.bodies ?? [];
    expect(bodies.map(({ bytes }) => bytes[0])).toEqual([97, 98]);
    index.adoptPack({ ...pack, bodyIds: bodies.map(({ id }) => id), nowMs });
  }
  const stored = index.getObjects({ bucket: ref, keys: ['a', 'b', 'c'].map(asKey) });
  expect(stored.map((object) => object?.inlineBytes?.[0] ?? object?.segments)).toEqual([
    [{ blobId: packIds[0], offsetBytes: 0, lengthBytes: sizeBytes }],
    [{ blobId: packIds[0], offsetBytes: sizeBytes, lengthBytes: sizeBytes }],
    99,
  ]);

  // Nobody heard of it: the source is inline still, or lies in a pack of its own.
  const more = [blobIn(bucket), blobIn(bucket)];
  expect(index.commitCopies({ bucket: ref, copies, sinceMs: 0, packIds: more })).toEqual(first);
  const foreign = blobIn(bucketRecord());
  const packed = copies.map(({ object, ...copy }) => ({
    ...copy,
    object: { ...object, inlineBytes: null, segments: [wholeOf(foreign, sizeBytes)] } as never,
    newReferences: [newReferenceOf(foreign, sizeBytes)],
  }));
  expect(index.commitCopies({ bucket: ref, copies: packed, sinceMs: 0 })).toEqual(first);
});

it('small bodies that a job copies or moves get places in packs', () => {
  const index = createBucketIndex(openMigrated(INDEX_SCHEMA));
  const bucket = bucketRecord();
  index.createBucket({ bucket });
  const ref = refOf(bucket);
  const object = objectOf('from', {
    inlineBytes: new Uint8Array(300_000),
    sizeBytes: 300_000,
  } as never);
  index.commitObject({ bucket: ref, object, condition: null, newReferences: [] });
  const id = 'job';
  index.createKeyJob({ bucket: ref, job: keyJobOf(id) });
  const action: KeyAction = {
    kind: 'copy',
    key: asKey('from'),
    toKeys: [asKey('to')],
    versionId: 'version-of-copy' as VersionId,
    mayReplace: false,
  };
  const stepped = index.stepKeyJob({
    bucket: ref,
    id,
    revision: 1,
    actions: [action],
    next: { after: '', at: 1 },
    elsewhere: {},
    isLast: true,
    packIds: [blobIn(bucket)],
    nowMs: START_MS,
  });
  expect(stepped).not.toBeNull();
  const nowMs = START_MS + 25 * 3_600_000;
  const [pack] = index.claimPacks({ name: bucket.name, nowMs, limit: 10 });
  if (pack === undefined) throw new Error('No pack waits.');
  const bodies = index.readPack(pack)?.bodies ?? [];
  expect(bodies.map(({ subject }) => JSON.parse(subject)[0])).toEqual(['to']);
});
