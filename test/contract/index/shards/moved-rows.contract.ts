// What moves with a slice in the metadata index's contract: every row with all that it says, what
// it counts for to the byte, and the bytes of its blobs, which stay where they are (ADR 53).
import { describe, expect } from 'vitest';
import type { BucketRecord, BucketRef, ObjectVersion } from '../../../../src/domain/nouns.ts';
import type { KeyRange, ShardState } from '../../../../src/ports/index-calls/shard-calls.ts';
import type { MetadataIndex, NewBlobReference } from '../../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../../subject.ts';
import {
  asKey,
  blobIn,
  completionOf,
  condemn,
  deleteKeys,
  get,
  newReferenceOf,
  OWNER,
  objectOf,
  put,
  putBlob,
  putBlobPart,
  START_MS,
  segmentsObjectOf,
  startUpload,
  UPLOAD_ATTRIBUTES,
  wholeOf,
} from '../samples.ts';
import {
  adopt,
  bringIn,
  epochOf,
  freeze,
  giveUp,
  MOVE_MS,
  makeShards,
  move,
  refTo,
  stateOf,
} from './shard-samples.ts';

const ALL: KeyRange = { from: '', to: null };

/** Runs the family. */
export function indexMovedRowsContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);

  const versionsOf = (index: MetadataIndex, shard: ShardState) => {
    const bucket = refTo(shard);
    const page = { bucket, prefix: '', delimiter: '', afterKey: '', afterVersionId: '' } as const;
    return index.call(bucket.name, 'listVersions', { ...page, maxKeys: 1000 });
  };
  const uploadsOf = (index: MetadataIndex, shard: ShardState) => {
    const bucket = refTo(shard);
    const page = { bucket, prefix: '', delimiter: '', afterKey: '', afterUploadId: '' };
    return index.call(bucket.name, 'listUploads', { ...page, maxUploads: 1000 });
  };
  const totalsOf = async (index: MetadataIndex, shard: ShardState) => {
    const bucket = refTo(shard);
    const totals = await index.call(bucket.name, 'getStorageTotals', { bucket });
    return totals.filter((row) =>
      Object.values(row).some((value) => typeof value === 'number' && value > 0),
    );
  };
  const wholeVersions = (index: MetadataIndex, shard: ShardState, ids: readonly ObjectVersion[]) =>
    Promise.all(
      ids.map(({ key, versionId }) =>
        index.call(shard.bucket.name, 'getVersion', { bucket: refTo(shard), key, versionId }),
      ),
    );

  /** Rows of every kind; gives the versions that are stored. */
  async function fill(index: MetadataIndex, record: BucketRecord, root: ShardState) {
    const off = refTo(root);
    const on = refTo(root, 'enabled');
    const texts = { contentType: 'text/plain', cacheControl: 'x'.repeat(600) };
    const inline = objectOf('inline', {
      headers: texts,
      userMetadata: { title: 'ä😀' },
      tags: { a: 'b' },
      ownerId: OWNER,
      storageClass: 'STANDARD_IA',
      checksum: { algorithm: 'CRC32', type: 'FULL_OBJECT', value: 'AAAAAA==' },
      acl: [{ grantee: { kind: 'group', group: 'AllUsers' }, permission: 'READ' }],
      lock: { hasLegalHold: true, retention: null },
      encryption: { kind: 'customer', wrappedKey: 'w' },
    });
    const [first, second, large] = [blobIn(record), blobIn(record), blobIn(record)];
    const compressed = {
      ...wholeOf(large, 1000),
      packing: { frameBytes: 1000, plainBytes: 1000, storedBytes: 400 },
    };
    const objects = [
      inline,
      objectOf('null version'),
      segmentsObjectOf('versions', [wholeOf(first)]),
      segmentsObjectOf('versions', [wholeOf(second, 50), wholeOf(first, 20)]),
      objectOf('versions', { lastModifiedMs: START_MS + 5 }),
      segmentsObjectOf('compressed', [compressed], {
        parts: [{ partNumber: 1, sizeBytes: 1000, checksum: null }],
      }),
      objectOf('hidden'),
    ];
    const references: Record<number, readonly NewBlobReference[]> = {
      2: [newReferenceOf(first)],
      3: [newReferenceOf(second)],
      5: [newReferenceOf(large, 400)],
    };
    for (const [at, object] of objects.entries())
      await put(index, at < 2 ? off : on, object, references[at] ?? []);
    await deleteKeys(index, on, ['hidden', 'never there']);
    const upload = await startUpload(index, off, 'uploading', UPLOAD_ATTRIBUTES);
    for (const number of [1, 2, 7])
      await putBlobPart(index, { ...off, id: record.id }, upload, number);
    await startUpload(index, off, 'uploading');
    return { objects, upload };
  }

  describe(`metadata index, moved rows: ${subject.name}`, () => {
    test('say all that they said, and count for as much', async (index) => {
      const { record, root, shard } = await makeShards(index);
      const { objects, upload } = await fill(index, record, root);
      const before = {
        versions: await versionsOf(index, root),
        whole: await wholeVersions(index, root, objects),
        uploads: await uploadsOf(index, root),
        totals: await totalsOf(index, root),
      };
      expect(before.versions.versions).toHaveLength(9);
      expect(before.uploads.uploads).toHaveLength(2);

      const { source, target } = await move(index, root.bucket, shard.bucket, ALL);
      expect(await versionsOf(index, target)).toEqual(before.versions);
      expect(await wholeVersions(index, target, objects)).toEqual(before.whole);
      expect(await uploadsOf(index, target)).toEqual(before.uploads);
      expect(await totalsOf(index, target)).toEqual(before.totals);
      expect(await totalsOf(index, source)).toEqual([]);
      expect((await versionsOf(index, source)).versions).toEqual([]);
      expect((await uploadsOf(index, source)).uploads).toEqual([]);

      const { key, uploadId } = upload;
      const page = { bucket: refTo(target), key, uploadId, afterPartNumber: 0, maxParts: 100 };
      const { parts } = await index.call(shard.bucket.name, 'listParts', page);
      const completed = await index.call(shard.bucket.name, 'completeUpload', {
        bucket: refTo(target),
        ...completionOf(upload, parts, MOVE_MS),
      });
      expect(completed.sizeBytes).toBe(300);

      const back = await move(index, shard.bucket, root.bucket, ALL);
      expect(await wholeVersions(index, back.target, objects)).toEqual(before.whole);
      expect(await get(index, refTo(back.target), 'uploading')).toMatchObject({ sizeBytes: 300 });
      expect(await totalsOf(index, back.source)).toEqual([]);
    });

    test('count for as much in parts, too, and only once', async (index) => {
      const { record, root, shard } = await makeShards(index);
      await fill(index, record, root);
      const sum = async () => {
        const states = [await stateOf(index, root.bucket), await stateOf(index, shard.bucket)];
        const rows = (await Promise.all(states.map((state) => totalsOf(index, state)))).flat();
        return rows.reduce(
          (all, row) => ({
            bytes: all.bytes + row.currentBytes + row.noncurrentBytes + row.partBytes,
            count: all.count + row.currentCount + row.noncurrentCount + row.partCount,
            compressed: all.compressed + row.compressedBytes,
          }),
          { bytes: 0, count: 0, compressed: 0 },
        );
      };
      const before = await sum();
      expect(before).toMatchObject({ count: 10, compressed: 600 });
      for (const from of ['versions', 'uploading', 'null version', 'hidden', '']) {
        const { range } = await stateOf(index, root.bucket);
        const slice = { from, to: range?.to ?? null };
        const frozen = await freeze(index, await stateOf(index, root.bucket), shard.bucket, slice);
        await bringIn(index, frozen, shard.bucket);
        expect(await sum(), from).toEqual(before);
        await giveUp(index, root.bucket, epochOf(frozen));
        await adopt(index, shard.bucket, root.bucket, epochOf(frozen));
        expect(await sum(), from).toEqual(before);
      }
    });

    test('keep their older versions in order, and the rules of deletion', async (index) => {
      const { record, root, shard } = await makeShards(index);
      await fill(index, record, root);
      const { target } = await move(index, root.bucket, shard.bucket, ALL);
      const on = refTo(target, 'enabled');
      await deleteKeys(index, on, ['versions']);
      const { versions } = await versionsOf(index, target);
      const ofKey = versions.filter(({ key }) => key === 'versions');
      expect(ofKey.map(({ isMarker, isLatest }) => [isMarker, isLatest])).toEqual([
        [true, true],
        [false, false],
        [false, false],
        [false, false],
      ]);
    });

    test('leave a pack that they wait for, and stay inline', async (index) => {
      const { record, root, shard } = await makeShards(index);
      const object = objectOf('waits', { headers: { contentType: 'text/plain' } });
      await index.call(record.name, 'commitObject', {
        bucket: refTo(root),
        object,
        condition: null,
        newReferences: [],
        packId: blobIn(record),
      });
      const { target } = await move(index, root.bucket, shard.bucket, ALL);
      expect(await get(index, refTo(target), 'waits')).toEqual(object);
      const back = await move(index, shard.bucket, root.bucket, ALL);
      expect(await get(index, refTo(back.target), 'waits')).toEqual(object);
    });

    const DAY_MS = 86_400_000;
    const own = (state: ShardState, bucket: BucketRef) => ({ ...refTo(state), id: bucket.id });

    test('refer to blobs where these were written', async (index) => {
      const { record, root, shard } = await makeShards(index);
      const blobId = await putBlob(index, own(root, record), 'k');
      const { source, target } = await move(index, root.bucket, shard.bucket, ALL);
      expect(await get(index, refTo(target), 'k')).toMatchObject({
        segments: [wholeOf(blobId)],
      });
      const late = MOVE_MS + 10 * DAY_MS;
      expect(await condemn(index, source.bucket, late)).toEqual([]);
      const referrer = shard.bucket;
      const referenced = (blobIds: (typeof blobId)[]) =>
        index.call(referrer.name, 'findReferencedBlobs', { referrer, blobIds });
      expect(await referenced([blobId])).toEqual([blobId]);
      const located = (bucket: typeof referrer) =>
        index.call(bucket.name, 'locateBlobs', { bucket, blobIds: [blobId, blobIn(record)] });
      for (const bucket of [referrer, root.bucket])
        expect(await located(bucket)).toMatchObject([{ blobId, ownerBucket: root.bucket }]);

      // Once the shard has no use of it, its sweep lets the owner have it.
      await deleteKeys(index, refTo(target), ['k'], MOVE_MS);
      const { blobs } = await index.call(referrer.name, 'condemnBlobs', {
        ...{ bucket: referrer, olderThanMs: late, limit: 10 },
      });
      expect(blobs).toEqual([{ blobId, ownerBucket: root.bucket }]);
      await index.call(record.name, 'releaseRemoteReferences', {
        ...{ ownerBucket: root.bucket, blobIds: [blobId], referrer, takenUpToMs: late },
      });
      expect(await condemn(index, source.bucket, late + 1)).toEqual([blobId]);
    });

    test('keep blobs from the sweep while they wait, and no longer', async (index) => {
      const { record, root, shard } = await makeShards(index);
      const blobId = await putBlob(index, own(root, record), 'k');
      const frozen = await freeze(index, root, shard.bucket, ALL);
      await bringIn(index, frozen, shard.bucket);
      const referrer = shard.bucket;
      const late = MOVE_MS + 10 * DAY_MS;
      expect(await condemn(index, referrer, late)).toEqual([]);
      expect(
        await index.call(referrer.name, 'findReferencedBlobs', { referrer, blobIds: [blobId] }),
      ).toEqual([blobId]);
      await index.call(referrer.name, 'dropSlice', {
        bucket: referrer,
        source: root.bucket,
        epoch: epochOf(frozen),
        nowMs: MOVE_MS,
      });
      expect(await condemn(index, referrer, late)).toEqual([blobId]);
      expect(await get(index, refTo(await stateOf(index, root.bucket)), 'k')).not.toBeNull();
    });

    test('come back to a blob with what is saved by sharing it', async (index) => {
      const { record, root, shard } = await makeShards(index);
      const digest = { sha256Hex: 'same' };
      const share = async (key: string) => {
        const state = await stateOf(index, root.bucket);
        const blobId = blobIn(record);
        await index.call(record.name, 'commitObject', {
          bucket: refTo(state),
          object: segmentsObjectOf(key, [wholeOf(blobId)]),
          condition: null,
          newReferences: [{ ...newReferenceOf(blobId), digest }],
        });
      };
      for (const key of ['a', 'b', 'c']) await share(key);
      const saved = async () => {
        const [row] = await totalsOf(index, await stateOf(index, root.bucket));
        return { saved: row?.deduplicatedBytes, stored: row?.currentBytes };
      };
      expect(await saved()).toEqual({ saved: 200, stored: 300 });
      await move(index, root.bucket, shard.bucket, { from: 'b', to: null });
      expect(await saved()).toEqual({ saved: 0, stored: 100 });

      const upper = { from: 'b', to: null };
      const bring = async () => {
        const frozen = await freeze(index, await stateOf(index, shard.bucket), root.bucket, upper);
        await bringIn(index, frozen, root.bucket);
        return { source: shard.bucket, epoch: epochOf(frozen) };
      };
      const first = await bring();
      const { bucket } = root;
      await index.call(bucket.name, 'dropSlice', { bucket, ...first, nowMs: MOVE_MS });
      expect(await saved()).toEqual({ saved: 0, stored: 100 });
      const thaw = { bucket: shard.bucket, epoch: first.epoch };
      await index.call(shard.bucket.name, 'thawSlice', thaw);

      const { epoch } = await bring();
      await giveUp(index, shard.bucket, epoch);
      await adopt(index, root.bucket, shard.bucket, epoch);
      expect(await saved()).toEqual({ saved: 200, stored: 300 });
      await deleteKeys(index, refTo(await stateOf(index, root.bucket)), ['a', 'b']);
      expect(await saved()).toEqual({ saved: 0, stored: 100 });
      expect(await get(index, refTo(await stateOf(index, root.bucket)), asKey('c'))).not.toBeNull();
    });
  });
}
