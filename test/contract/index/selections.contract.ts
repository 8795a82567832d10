// Selections of objects, as every platform's index must keep them: for as long as they last, as
// many as a bucket may have, and gone with it.
import { describe, expect } from 'vitest';
import { SELECTIONS_MAX } from '../../../src/index/objects/selections.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import { addressOf, expectCode, makeBucket, refOf, START_MS } from './samples.ts';

/** Runs the family. */
export function indexSelectionsContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);
  const SELECTION = { base: 'ü/', keys: ['ü/a', 'ü/😀'], prefixes: ['ü/b/'] };
  const TIMES = { nowMs: START_MS, expiresAtMs: START_MS + 1000 };

  async function withBucket(index: MetadataIndex) {
    const record = await makeBucket(index);
    const bucket = refOf(record);
    const { name } = bucket;
    return {
      bucket,
      address: addressOf(record),
      add: (id: string, selection = SELECTION, times = TIMES) =>
        index.call(name, 'addSelection', { bucket, id, selection, ...times }),
      get: (id: string, nowMs = START_MS) =>
        index.call(name, 'getSelection', { bucket, id, nowMs }),
      endsMs: async () =>
        (await index.call(name, 'listIncarnations', { name }))[0]?.selectionEndsMs,
    };
  }

  describe(`metadata index, selections: ${subject.name}`, () => {
    test('are what they were until they expire, and of one bucket', async (index) => {
      const [one, other] = [await withBucket(index), await withBucket(index)];
      await one.add('s');
      await one.add('s');
      expect(await one.get('s')).toEqual(SELECTION);
      expect(await one.get('s', START_MS + 999)).toEqual(SELECTION);
      expect(await one.get('s', START_MS + 1000)).toBeNull();
      expect(await one.get('t')).toBeNull();
      expect(await other.get('s')).toBeNull();
    });

    test('go with the sweep, which hears when there is something to do', async (index) => {
      const { bucket, address, add, get, endsMs } = await withBucket(index);
      expect(await endsMs()).toBeNull();
      await add('s');
      await add('later', SELECTION, { nowMs: START_MS, expiresAtMs: START_MS + 2000 });
      expect(await endsMs()).toBe(START_MS + 1000);
      const drop = (nowMs: number) =>
        index.call(bucket.name, 'dropSelections', { bucket: address, nowMs });
      await drop(START_MS + 999);
      expect(await endsMs()).toBe(START_MS + 1000);
      await drop(START_MS + 1000);
      expect([await endsMs(), await get('later')]).toEqual([START_MS + 2000, SELECTION]);
    });

    test('are bounded by number, and by length', async (index) => {
      const { add, get } = await withBucket(index);
      for (let at = 0; at < SELECTIONS_MAX; at++) await add(`s${at}`);
      await expectCode(add('more'), 'SlowDown');
      await add('s0');
      expect(await get('more')).toBeNull();
      // Expired selections make room.
      await add('more', SELECTION, { nowMs: START_MS + 1000, expiresAtMs: START_MS + 3000 });
      expect(await get('more', START_MS + 1000)).toEqual(SELECTION);

      const large = await withBucket(index);
      const selection = { base: '', keys: ['x'.repeat(1_000_000)], prefixes: [] };
      for (let at = 0; at < 16; at++) await large.add(`s${at}`, selection);
      await expectCode(large.add('more', selection), 'SlowDown');
    });

    test('are refused for a bucket that has changed, and gone with it', async (index) => {
      const { bucket, add, get, endsMs } = await withBucket(index);
      await add('s');
      await index.call(bucket.name, 'setBucketAccess', { bucket, access: {} });
      await expectCode(add('t'), 'BucketChanged');
      await expectCode(get('s'), 'BucketChanged');
      const changed = { ...bucket, revision: bucket.revision + 1 };
      await index.call(bucket.name, 'deleteBucket', { bucket: changed, nowMs: START_MS });
      expect(await endsMs()).toBeNull();
    });
  });
}
