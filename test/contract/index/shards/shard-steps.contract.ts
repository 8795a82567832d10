// The state of shards in the metadata index's contract: what each step of a move decides on, and
// that one which comes late or again changes nothing (ADR 53).
import { describe, expect } from 'vitest';
import type { BucketName } from '../../../../src/domain/nouns.ts';
import type { KeyRange } from '../../../../src/ports/index-calls/shard-calls.ts';
import { RECORD_AHEAD } from '../../../../src/ports/index-calls/shard-calls.ts';
import type { MetadataIndex } from '../../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../../subject.ts';
import {
  bucketRecord,
  expectCode,
  get,
  makeBucket,
  objectOf,
  put,
  refOf,
  startUpload,
} from '../samples.ts';
import {
  adopt,
  bringIn,
  epochOf,
  exported,
  freeze,
  giveUp,
  MOVE_MS,
  makeShards,
  move,
  refTo,
  stateOf,
} from './shard-samples.ts';

const ALL: KeyRange = { from: '', to: null };
const UPPER: KeyRange = { from: 'm', to: null };

/** Runs the family. */
export function indexShardStepsContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);

  describe(`metadata index, steps of shards: ${subject.name}`, () => {
    test('a bucket that was never split has no state', async (index) => {
      const { name } = await makeBucket(index);
      expect(await index.call(name, 'getShard', { name })).toBeNull();
      expect(await index.call(name, 'countShards', { name })).toBe(0);
    });

    test('the record of a root has a revision by which nobody can call', async (index) => {
      const { record, root, shard } = await makeShards(index);
      expect(root).toMatchObject({ range: ALL, made: 1, record: record.revision + RECORD_AHEAD });
      expect(shard).toMatchObject({ range: null, record: root.record });
      const shown = await index.call(record.name, 'getBucket', { name: record.name });
      expect(shown).toEqual({ ...record, revision: root.record });

      const object = objectOf('k');
      for (const ref of [record, { ...record, revision: root.record }])
        await expectCode(put(index, ref, object), 'BucketChanged');
      await put(index, refTo(root), object);
      expect(await get(index, refTo(root), 'k')).toEqual(object);
      const key = object.key;
      const resolved = await index.call(record.name, 'resolve', { name: record.name, key });
      expect(resolved.bucket?.revision).toBe(root.record);
    });

    test('a change of the record moves both revisions on', async (index) => {
      const { record, root } = await makeShards(index);
      const scopes = [{ scope: 'bucket' }] as const;
      const purged = await index.call(record.name, 'purgeBucket', { bucket: refTo(root), scopes });
      expect(purged.revision).toBe(root.record + 1);
      expect(purged.settings.purges).toMatchObject({ bucket: purged.revision });
      expect(await stateOf(index, record)).toMatchObject({
        revision: root.revision + 1,
        record: purged.revision,
      });
    });

    test('a shard takes a later record in, and never an older one', async (index) => {
      const { root, shard } = await makeShards(index);
      const report = (record: number) =>
        index.call(shard.bucket.name, 'reportRecord', { bucket: shard.bucket, record });
      const told = await report(root.record + 3);
      expect(told).toEqual({ ...shard, revision: shard.revision + 1, record: root.record + 3 });
      for (const record of [root.record + 3, root.record])
        expect(await report(record)).toEqual(told);
    });

    test('a shard is made once, and the root counts them', async (index) => {
      const { root, shard } = await makeShards(index);
      const bucket = bucketRecord({ name: shard.bucket.name, id: shard.bucket.id });
      const again = await index.call(bucket.name, 'makeShard', { bucket, record: root.record });
      expect(again).toEqual(shard);
      const other = bucketRecord({ name: shard.bucket.name });
      await expectCode(
        index.call(other.name, 'makeShard', { bucket: other, record: root.record }),
        'BucketChanged',
      );
      const noted = await index.call(root.bucket.name, 'noteShards', {
        bucket: refTo(root),
        made: 3,
      });
      expect(noted).toMatchObject({ made: 3, range: ALL, record: root.record });
      const { name } = root.bucket;
      expect(await index.call(name, 'countShards', { name })).toBe(3);
      await index.call(name, 'deleteBucket', { bucket: refTo(noted), nowMs: MOVE_MS });
      expect(await index.call(name, 'getShard', { name })).toBeNull();
      expect(await index.call(name, 'countShards', { name })).toBe(3);
    });

    test('a slice moves over and back, and its keys are where the range is', async (index) => {
      const { root, shard } = await makeShards(index);
      for (const key of ['a', 'm', 'z']) await put(index, refTo(root), objectOf(key));
      const over = await move(index, root.bucket, shard.bucket, UPPER);
      expect(over.source).toMatchObject({ range: { from: '', to: 'm' }, frozen: null });
      expect(over.target).toMatchObject({ range: UPPER, incoming: null });
      expect(await get(index, refTo(over.source), 'm')).toBeNull();
      expect(await get(index, refTo(over.target), 'm')).not.toBeNull();
      expect(await get(index, refTo(over.source), 'a')).not.toBeNull();

      const back = await move(index, shard.bucket, root.bucket, UPPER);
      expect(back.source.range).toBeNull();
      expect(back.target.range).toEqual(ALL);
      for (const key of ['a', 'm', 'z'])
        expect(await get(index, refTo(back.target), key), key).not.toBeNull();
    });

    test('whoever knows an older state is refused', async (index) => {
      const { root, shard } = await makeShards(index);
      await put(index, refTo(root), objectOf('z'));
      const frozen = await freeze(index, root, shard.bucket, UPPER);
      await expectCode(put(index, refTo(root), objectOf('z')), 'BucketChanged');
      await expectCode(freeze(index, root, shard.bucket, UPPER), 'BucketChanged');
      const pick = { bucket: refTo(root), end: 'upper', rows: 1 } as const;
      await expectCode(index.call(root.bucket.name, 'pickSlice', pick), 'BucketChanged');
      // Reads of the slice go on, by the new state.
      expect(await get(index, refTo(frozen), 'z')).not.toBeNull();
    });

    test('only a slice at an end is frozen, and one at a time', async (index) => {
      const { root, shard } = await makeShards(index);
      for (const range of [
        { from: 'b', to: 'c' },
        { from: 'm', to: 'm' },
      ])
        expect(await freeze(index, root, shard.bucket, range)).toEqual(root);
      const frozen = await freeze(index, root, shard.bucket, { from: '', to: 'm' });
      expect(frozen.frozen).toMatchObject({ epoch: frozen.revision, shard: shard.bucket });
      expect(await freeze(index, frozen, shard.bucket, UPPER)).toEqual(frozen);
    });

    test('what came in is shown to nobody before it is adopted', async (index) => {
      const { root, shard } = await makeShards(index);
      await put(index, refTo(root), objectOf('z'));
      const frozen = await freeze(index, root, shard.bucket, UPPER);
      const held = await bringIn(index, frozen, shard.bucket);
      expect(held).toMatchObject({ range: null, incoming: { epoch: epochOf(frozen) } });
      expect(await get(index, refTo(held), 'z')).toBeNull();
      const bucket = refTo(held);
      const page = { bucket, prefix: '', delimiter: '', after: '', maxKeys: 10 };
      expect((await index.call(bucket.name, 'listObjects', page)).objects).toEqual([]);
      expect(await index.call(bucket.name, 'getStorageTotals', { bucket })).toEqual([]);
      await expectCode(
        index.call(bucket.name, 'deleteBucket', { bucket, nowMs: MOVE_MS }),
        'BucketNotEmpty',
      );
    });

    test('each step that comes again changes nothing', async (index) => {
      const { root, shard } = await makeShards(index);
      await put(index, refTo(root), objectOf('z'));
      const frozen = await freeze(index, root, shard.bucket, UPPER);
      const epoch = epochOf(frozen);
      const slice = await exported(index, frozen);
      const held = await bringIn(index, frozen, shard.bucket, slice);
      expect(await bringIn(index, frozen, shard.bucket, slice)).toEqual(held);
      const source = await giveUp(index, root.bucket, epoch);
      expect(await giveUp(index, root.bucket, epoch)).toEqual(source);
      expect(source.gave).toEqual(frozen.frozen);
      expect(await bringIn(index, frozen, shard.bucket, slice)).toEqual(held);
      const target = await adopt(index, shard.bucket, root.bucket, epoch);
      expect(target.adopted).toEqual({ [root.bucket.id]: epoch });
      expect(await adopt(index, shard.bucket, root.bucket, epoch)).toEqual(target);
      expect(await bringIn(index, frozen, shard.bucket, slice)).toEqual(target);
      const late = { bucket: root.bucket, epoch };
      expect(await index.call(root.bucket.name, 'thawSlice', late)).toEqual(source);
      expect(await index.call(root.bucket.name, 'exportSlice', late)).toBeNull();
    });

    test('a thawed slice can be written, and not given up any more', async (index) => {
      const { root, shard } = await makeShards(index);
      const frozen = await freeze(index, root, shard.bucket, UPPER);
      await bringIn(index, frozen, shard.bucket);
      const epoch = epochOf(frozen);
      const thawed = await index.call(root.bucket.name, 'thawSlice', {
        bucket: root.bucket,
        epoch,
      });
      expect(thawed).toMatchObject({ frozen: null, revision: frozen.revision + 1 });
      await put(index, refTo(thawed), objectOf('z'));
      expect(await giveUp(index, root.bucket, epoch)).toEqual(thawed);

      // What is frozen next takes the place of what came in.
      const again = await freeze(index, thawed, shard.bucket, UPPER);
      const held = await bringIn(index, again, shard.bucket);
      expect(held.incoming?.epoch).toBe(epochOf(again));
      await giveUp(index, root.bucket, epochOf(again));
      const target = await adopt(index, shard.bucket, root.bucket, epochOf(again));
      expect(await get(index, refTo(target), 'z')).not.toBeNull();
    });

    test('a slice that nobody will give up is dropped', async (index) => {
      const { root, shard } = await makeShards(index);
      const frozen = await freeze(index, root, shard.bucket, UPPER);
      const epoch = epochOf(frozen);
      const held = await bringIn(index, frozen, shard.bucket);
      const drop = (of: number) =>
        index.call(shard.bucket.name, 'dropSlice', {
          bucket: shard.bucket,
          source: root.bucket,
          epoch: of,
          nowMs: MOVE_MS,
        });
      expect(await drop(epoch - 1)).toEqual(held);
      const third = { ...frozen, bucket: { ...root.bucket, id: shard.bucket.id } };
      expect(await bringIn(index, third, shard.bucket, { rows: [], blobs: [] })).toEqual(held);
      const dropped = await drop(epoch);
      expect(dropped).toMatchObject({ incoming: null, range: null });
      expect(await drop(epoch)).toEqual(dropped);
    });

    test('a shard freezes nothing while something has come in', async (index) => {
      const { root, shard } = await makeShards(index);
      await move(index, root.bucket, shard.bucket, UPPER);
      const rest = await freeze(index, await stateOf(index, root.bucket), shard.bucket, {
        from: 'c',
        to: 'm',
      });
      const held = await bringIn(index, rest, shard.bucket);
      expect(await freeze(index, held, root.bucket, UPPER)).toEqual(held);
    });

    test('a shard takes in what touches its keys, and nothing while it freezes', async (index) => {
      const { root, shard } = await makeShards(index);
      const over = await move(index, root.bucket, shard.bucket, { from: 't', to: null });
      const apart = await freeze(index, over.source, shard.bucket, { from: '', to: 'c' });
      expect(await bringIn(index, apart, shard.bucket)).toEqual(over.target);
      const busy = await freeze(index, over.target, root.bucket, { from: 't', to: null });
      expect(await bringIn(index, apart, shard.bucket)).toEqual(busy);
    });

    test('slices end where they have enough rows, between two keys', async (index) => {
      const { root, shard } = await makeShards(index);
      const bucket = refTo(root, 'enabled');
      for (const key of ['a', 'b', 'c', 'c', 'c', 'd', 'e'])
        await put(index, bucket, objectOf(key));
      await startUpload(index, refTo(root), 'e');
      const pick = (end: 'lower' | 'upper', rows: number) =>
        index.call(bucket.name, 'pickSlice', { bucket, end, rows });
      expect(await pick('lower', 2)).toEqual({ range: { from: '', to: 'c' }, rows: 2 });
      expect(await pick('lower', 4)).toEqual({ range: { from: '', to: 'c' }, rows: 2 });
      expect(await pick('lower', 5)).toEqual({ range: { from: '', to: 'd' }, rows: 5 });
      expect(await pick('upper', 2)).toEqual({ range: { from: 'e', to: null }, rows: 2 });
      expect(await pick('upper', 4)).toEqual({ range: { from: 'd', to: null }, rows: 3 });
      expect(await pick('upper', 100)).toEqual({ range: ALL, rows: 8 });
      // A key goes as a whole, whatever it has.
      expect(await pick('upper', 1)).toEqual({ range: { from: 'e', to: null }, rows: 2 });
      const { target } = await move(index, root.bucket, shard.bucket, { from: 'c', to: null });
      const first = { bucket: refTo(target), end: 'lower', rows: 1 } as const;
      expect(await index.call(shard.bucket.name, 'pickSlice', first)).toEqual({
        range: { from: 'c', to: 'c\u0000' },
        rows: 3,
      });
    });

    test('a shard of another name or incarnation is none', async (index) => {
      const { root, shard } = await makeShards(index);
      const stranger = { ...shard.bucket, id: root.bucket.id };
      await expectCode(giveUp(index, stranger, 1), 'BucketChanged');
      const nobody = { ...shard.bucket, name: `${shard.bucket.name}0` as BucketName };
      await expectCode(adopt(index, nobody, root.bucket, 1), 'BucketChanged');
      const bucket = refTo(shard);
      await index.call(bucket.name, 'deleteBucket', { bucket: refOf(bucket), nowMs: MOVE_MS });
      await expectCode(adopt(index, shard.bucket, root.bucket, 1), 'BucketChanged');
    });
  });
}
