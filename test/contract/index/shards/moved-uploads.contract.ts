// Uploads that move with a slice in the metadata index's contract: with parts in rows of their own
// and in the rows of their blobs (ADR 56), over and back, whatever becomes of them at either place.
import { describe, expect } from 'vitest';
import type { BlobId, BucketRecord } from '../../../../src/domain/nouns.ts';
import type { KeyRange, ShardState } from '../../../../src/ports/index-calls/shard-calls.ts';
import type { Upload, UploadedPart } from '../../../../src/ports/index-calls/upload-calls.ts';
import type { MetadataIndex } from '../../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../../subject.ts';
import {
  blobIn,
  completionOf,
  deleteKeys,
  get,
  newReferenceOf,
  partBlobIn,
  partOf,
  putPart,
  startUpload,
  wholeOf,
} from '../samples.ts';
import {
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
const DAY_MS = 86_400_000;
/** The last is counted at once, the first ones of a late upload are not. */
const JOINED = [2, 3, 40];
const SEPARATE = [1, 7];

/** Runs the family. */
export function indexMovedUploadsContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);

  const sendTo = async (
    index: MetadataIndex,
    { record, state }: { readonly record: BucketRecord; readonly state: ShardState },
    upload: Upload,
    partNumber: number,
    rows: 'joined' | 'separate',
  ): Promise<UploadedPart> => {
    const isJoined = rows === 'joined';
    const blobId = isJoined ? partBlobIn(record, upload, partNumber) : blobIn(record);
    const sizeBytes = 100 + partNumber;
    const part = partOf(partNumber, [wholeOf(blobId, sizeBytes)]);
    return putPart(index, refTo(state), upload, part, [newReferenceOf(blobId, sizeBytes)]);
  };
  /** A late upload with parts of both formats at the root. */
  async function fill(index: MetadataIndex, record: BucketRecord, root: ShardState) {
    const upload = await startUpload(index, refTo(root), 'k', {}, 'joined');
    const parts: UploadedPart[] = [];
    const at = { record, state: root };
    for (const number of JOINED) parts.push(await sendTo(index, at, upload, number, 'joined'));
    for (const number of SEPARATE) parts.push(await sendTo(index, at, upload, number, 'separate'));
    return { upload, parts: parts.toSorted((a, b) => a.partNumber - b.partNumber) };
  }
  const partsOf = async (index: MetadataIndex, shard: ShardState, upload: Upload) => {
    const { key, uploadId } = upload;
    const page = { bucket: refTo(shard), key, uploadId, afterPartNumber: 0, maxParts: 1000 };
    return (await index.call(shard.bucket.name, 'listParts', page)).parts;
  };
  /** Bytes and number of objects and parts that a shard counts. */
  const totalsOf = async (index: MetadataIndex, shard: ShardState) => {
    const bucket = refTo(shard);
    const [row] = await index.call(bucket.name, 'getStorageTotals', { bucket });
    const { currentBytes = 0, currentCount = 0, partBytes = 0, partCount = 0 } = row ?? {};
    return { objects: [currentBytes, currentCount], parts: [partBytes, partCount] };
  };
  const NOTHING = { objects: [0, 0], parts: [0, 0] };
  const bytesOf = (parts: readonly UploadedPart[]) =>
    parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const blobsOf = (parts: readonly UploadedPart[]) =>
    parts.flatMap(({ segments }) => segments.map(({ blobId }) => blobId)).toSorted();

  /** The blobs that a sweep of both shards deletes, each once. */
  async function sweep(index: MetadataIndex, states: readonly ShardState[]): Promise<BlobId[]> {
    const deleted: BlobId[] = [];
    for (let round = 1; round <= 3; round++) {
      const olderThanMs = MOVE_MS + round * DAY_MS;
      for (const { bucket } of states) {
        const input = { bucket, olderThanMs, limit: 1000 };
        const { blobs } = await index.call(bucket.name, 'condemnBlobs', input);
        for (const { blobId, ownerBucket } of blobs) {
          if (ownerBucket === null) deleted.push(blobId);
          else {
            await index.call(ownerBucket.name, 'releaseRemoteReferences', {
              ...{ ownerBucket, blobIds: [blobId], referrer: bucket, takenUpToMs: olderThanMs },
            });
          }
        }
        const blobIds = blobs.map(({ blobId }) => blobId);
        await index.call(bucket.name, 'forgetBlobs', { bucket, blobIds });
      }
    }
    return deleted.toSorted();
  }

  /** Completes an upload with some of its parts, or aborts it. */
  async function end(
    index: MetadataIndex,
    shard: ShardState,
    upload: Upload,
    listed: readonly UploadedPart[] | null,
  ): Promise<void> {
    const { key, uploadId } = upload;
    const { name } = shard.bucket;
    const bucket = refTo(shard);
    if (listed === null)
      await index.call(name, 'abortUpload', { bucket, key, uploadId, nowMs: MOVE_MS });
    else {
      const completion = completionOf(upload, listed, MOVE_MS);
      await index.call(name, 'completeUpload', { bucket, ...completion });
    }
  }

  describe(`metadata index, moved uploads: ${subject.name}`, () => {
    for (const way of ['over', 'over and back', 'over and back and over'] as const) {
      for (const ending of ['complete', 'abort'] as const) {
        test(`${ending} as they would have, moved ${way}`, async (index) => {
          const { record, root, shard } = await makeShards(index);
          const { upload, parts } = await fill(index, record, root);
          const stored = { objects: [0, 0], parts: [bytesOf(parts), parts.length] };
          expect(await totalsOf(index, root)).toEqual(stored);

          let [from, to] = [root.bucket, shard.bucket];
          let owner = root;
          for (const _ of way.split(' and ')) {
            const { source, target } = await move(index, from, to, ALL);
            owner = target;
            expect(await partsOf(index, target, upload)).toEqual(parts);
            expect(await totalsOf(index, target)).toEqual(stored);
            expect(await totalsOf(index, source)).toEqual(NOTHING);
            [from, to] = [to, from];
          }
          const listed = parts.filter(({ partNumber }) => partNumber !== 3);
          await end(index, owner, upload, ending === 'complete' ? listed : null);
          const left = ending === 'complete' ? listed : [];
          const objects = [bytesOf(left), left.length === 0 ? 0 : 1];
          expect(await totalsOf(index, owner)).toEqual({ objects, parts: [0, 0] });

          const states = [await stateOf(index, root.bucket), await stateOf(index, shard.bucket)];
          const freed = parts.filter((part) => !left.includes(part));
          expect(await sweep(index, states)).toEqual(blobsOf(freed));
          if (ending === 'abort') return;
          const segments = left.flatMap((part) => part.segments);
          expect(await get(index, refTo(owner), 'k')).toMatchObject({ segments });
          await deleteKeys(index, refTo(owner), ['k'], MOVE_MS);
          expect(await sweep(index, states)).toEqual(blobsOf(left));
        });
      }
    }

    test('go on at either place, with parts of both formats', async (index) => {
      const { record, root, shard } = await makeShards(index);
      const { upload, parts } = await fill(index, record, root);
      const sent = new Map(parts.map((part) => [part.partNumber, part]));
      const replaced: UploadedPart[] = [];
      const send = async (state: ShardState, number: number, rows: 'joined' | 'separate') => {
        const before = sent.get(number);
        if (before !== undefined) replaced.push(before);
        sent.set(number, await sendTo(index, { record, state }, upload, number, rows));
      };
      const inOrder = () => [...sent.values()].toSorted((a, b) => a.partNumber - b.partNumber);
      let [from, to] = [root.bucket, shard.bucket];
      for (let moves = 0; moves < 4; moves++) {
        const { target } = await move(index, from, to, ALL);
        await send(target, 2, 'joined');
        await send(target, 7, 'joined');
        await send(target, 3, 'separate');
        await send(target, 10 + moves, 'joined');
        expect(await partsOf(index, target, upload)).toEqual(inOrder());
        const stored = { objects: [0, 0], parts: [bytesOf(inOrder()), sent.size] };
        expect(await totalsOf(index, target)).toEqual(stored);
        [from, to] = [to, from];
      }
      const owner = await stateOf(index, root.bucket);
      await end(index, owner, upload, inOrder());
      const states = [owner, await stateOf(index, shard.bucket)];
      expect(await sweep(index, states)).toEqual(blobsOf(replaced));
      await deleteKeys(index, refTo(owner), ['k'], MOVE_MS);
      expect(await sweep(index, states)).toEqual(blobsOf(inOrder()));
    });

    test('stay as they are when their slice is thawed', async (index) => {
      const { record, root, shard } = await makeShards(index);
      const { upload, parts } = await fill(index, record, root);
      const frozen = await freeze(index, root, shard.bucket, ALL);
      await bringIn(index, frozen, shard.bucket);
      const epoch = epochOf(frozen);
      const { bucket } = root;
      const thawed = await index.call(bucket.name, 'thawSlice', { bucket, epoch });
      const drop = { bucket: shard.bucket, source: bucket, epoch, nowMs: MOVE_MS };
      const empty = await index.call(shard.bucket.name, 'dropSlice', drop);
      await giveUp(index, bucket, epoch);
      expect(await partsOf(index, thawed, upload)).toEqual(parts);
      const stored = { objects: [0, 0], parts: [bytesOf(parts), parts.length] };
      expect(await totalsOf(index, thawed)).toEqual(stored);
      expect(await totalsOf(index, empty)).toEqual(NOTHING);
      await end(index, thawed, upload, parts);
      expect(await sweep(index, [thawed, empty])).toEqual([]);
    });
  });
}
