// The level family of the metadata index's contract: pages by rank and by name, and counts that
// stay exact. test/index/levels/key-levels.test.ts has random programs.
import { expect } from 'vitest';
import type {
  LevelSort,
  LevelStart,
  SortedRow,
} from '../../../src/ports/index-calls/level-calls.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import { deleteKeys, makeBucket, objectOf, put, refOf, START_MS } from './samples.ts';

const KEYS = ['a', 'b/1', 'b/2', 'c', 'd/x/y', 'é', '\u{1f600}/z'];
/** What a listing of them shows. */
const NAMES = ['a', 'b/', 'c', 'd/', 'é', '\u{1f600}/'];

/** Runs the contract. */
export function indexLevelsContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);

  test('a level begins pages at ranks and names, from both ends, counted or not', async (index) => {
    const bucket = await makeBucket(index);
    for (const key of KEYS) await put(index, bucket, objectOf(key));
    const level = { bucket: refOf(bucket), prefix: '', delimiter: '/' };
    const ask = async (start: LevelStart, maxKeys: number) => {
      const { objects, commonPrefixes, ...facts } = await index.call(bucket.name, 'listLevel', {
        ...level,
        maxKeys,
        start,
      });
      const names = [...objects.map(({ key }) => key as string), ...commonPrefixes];
      return { ...facts, names: NAMES.filter((name) => names.includes(name)) };
    };
    const check = async () => {
      const at = (rank: number) => ask({ by: 'rank', rank, isFromEnd: false }, 2);
      expect(await at(0)).toMatchObject({ names: ['a', 'b/'], rank: 0, total: 6, isExact: true });
      expect(await at(3)).toMatchObject({ names: ['d/', 'é'], rank: 3, lastName: 'é' });
      expect(await at(5)).toMatchObject({ names: ['\u{1f600}/'], rank: 5, isTruncated: false });
      expect(await at(9)).toMatchObject({ names: [], rank: 6 });
      const end = await ask({ by: 'rank', rank: 1, isFromEnd: true }, 3);
      expect(end).toMatchObject({ names: ['c', 'd/', 'é'], rank: 1, total: 6 });
      const from = (name: string) => ask({ by: 'name', name }, 1);
      expect(await from('b/1')).toMatchObject({ names: ['c'], rank: 2 });
      expect(await from('b/')).toMatchObject({ names: ['b/'], rank: 1 });
      expect(await from('e')).toMatchObject({ names: ['é'], rank: 4 });
      expect(await from('\u{10ffff}')).toMatchObject({ names: [], rank: 6 });
    };
    await check();
    const count = { ...level, nowMs: START_MS };
    expect(await index.call(bucket.name, 'countLevel', count)).toEqual({
      isReady: true,
      hasRoom: true,
    });
    await check();
    expect((await ask({ by: 'name', name: '' }, 1)).usedAtMs).toBe(START_MS);

    await deleteKeys(index, bucket, ['b/1', 'c', 'd/x/y']);
    await put(index, bucket, objectOf('b/3'));
    await put(index, bucket, objectOf('f/1'));
    const changed = await ask({ by: 'rank', rank: 0, isFromEnd: false }, 9);
    expect(changed).toMatchObject({ total: 5, names: ['a', 'b/', 'é', '\u{1f600}/'] });

    const forget = { bucket: level.bucket, unusedSinceMs: START_MS + 1 };
    await index.call(bucket.name, 'forgetLevels', forget);
    expect(await ask({ by: 'name', name: 'f' }, 1)).toMatchObject({ rank: 2, usedAtMs: null });
  });

  test('a level selects the first rows of an order, and folders by name', async (index) => {
    const bucket = await makeBucket(index);
    for (const [at, key] of ['a.TXT', 'b.jpg', 'c.txt', 'd', 'e/f.png', 'g/h'].entries())
      await put(index, bucket, objectOf(key, { lastModifiedMs: START_MS + (at % 3) }));
    const sort = async (by: LevelSort, isDescending: boolean, behind: SortedRow | null = null) => {
      const rest = { by, isDescending, behind, before: null, limit: 3, from: '' };
      const input = { bucket: refOf(bucket), prefix: '', delimiter: '/', ...rest };
      const { rows } = await index.call(bucket.name, 'sortLevel', { ...input, what: 'objects' });
      const slice = await index.call(bucket.name, 'sortLevel', { ...input, what: 'folders' });
      expect(slice).toEqual({ rows: [], folders: ['e/', 'g/'], next: null });
      return rows;
    };
    const keys = (rows: readonly SortedRow[]) => rows.map(({ object }) => object.key);
    expect(keys(await sort('type', false))).toEqual(['d', 'b.jpg', 'a.TXT']);
    const latest = await sort('modified', true);
    expect(keys(latest)).toEqual(['c.txt', 'b.jpg', 'a.TXT']);
    expect(keys(await sort('modified', true, latest[2] ?? null))).toEqual(['d']);
    expect(keys(await sort('modified', false, latest[2] ?? null))).toEqual(['d', 'b.jpg', 'c.txt']);
  });
}
