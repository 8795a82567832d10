// Invalidation watermarks of purges.
import { describe, expect, it } from 'vitest';
import type { ObjectKey, Pointer } from '../../src/domain/nouns.ts';
import {
  addWatermarks,
  isPurged,
  type PurgeScope,
  WATERMARKS_MAX,
  WATERMARKS_MAX_LENGTH,
} from '../../src/domain/purge.ts';

const tagged = (tags: string) => ({ userMetadata: { 'cache-tag': tags } }) as unknown as Pointer;
const plain = { userMetadata: {} } as unknown as Pointer;
const key = (text: string) => text as ObjectKey;
const prefix = (value: string): PurgeScope => ({ scope: 'prefix', value });

describe('floors', () => {
  it('are above what was read before the purge, and only what it names', () => {
    const floors = addWatermarks(
      null,
      [{ scope: 'key', value: 'a' }, prefix('img/'), { scope: 'tag', value: 'News' }],
      5,
    );
    const isBelow = (name: string, pointer: Pointer | null = plain) =>
      isPurged(floors, key(name), pointer, 4);
    expect([isBelow('a'), isBelow('img/x'), isBelow('b', tagged('sport, NEWS'))]).toEqual([
      true,
      true,
      true,
    ]);
    expect([
      isBelow('ab'),
      isBelow('img'),
      isBelow('b', tagged('newspaper')),
      isBelow('b'),
    ]).toEqual(Array.from({ length: 4 }, () => false));
    expect([isBelow('a', null), isBelow('b', null)]).toEqual([true, false]);
    expect(isPurged(floors, key('a'), plain, 5)).toBe(false);
  });

  it('move with each purge, each for what it names', () => {
    const first = addWatermarks(null, [prefix('a'), prefix('b')], 2);
    const second = addWatermarks(first, [prefix('a')], 3);
    expect(second).toEqual({
      latest: 3,
      bucket: 0,
      others: [
        { scope: 'prefix', value: 'b', revision: 2 },
        { scope: 'prefix', value: 'a', revision: 3 },
      ],
    });
    expect([isPurged(second, key('a'), plain, 2), isPurged(second, key('b'), plain, 2)]).toEqual([
      true,
      false,
    ]);
  });

  it('of the whole bucket take the place of all others', () => {
    const floors = addWatermarks(
      addWatermarks(null, [prefix('a')], 2),
      [prefix('b'), { scope: 'bucket' }],
      3,
    );
    expect(floors).toEqual({ latest: 3, bucket: 3, others: [] });
    expect(isPurged(floors, key('z'), null, 2)).toBe(true);
  });

  it('merge into that of the bucket when too many, oldest first, and lose nothing', () => {
    let floors = addWatermarks(null, [prefix('first')], 2);
    for (let revision = 3; revision < 203; revision++) {
      floors = addWatermarks(floors, [prefix(`${revision}-`.padEnd(100, 'x'))], revision);
    }
    const length = floors.others.reduce((sum, { value }) => sum + value.length, 0);
    expect(length).toBeLessThanOrEqual(WATERMARKS_MAX_LENGTH);
    expect(length).toBeGreaterThan(WATERMARKS_MAX_LENGTH - 200);
    expect(isPurged(floors, key('first/1'), plain, 1)).toBe(true);
    expect(isPurged(floors, key('untouched'), plain, 202)).toBe(false);
    for (let revision = 3; revision < 203; revision++) {
      expect(isPurged(floors, key(`${revision}-`.padEnd(101, 'x')), plain, revision - 1)).toBe(
        true,
      );
    }
    const huge = addWatermarks(null, [prefix('x'.repeat(WATERMARKS_MAX_LENGTH + 1))], 2);
    expect(huge).toEqual({ latest: 2, bucket: 2, others: [] });
  });

  it('become part of it too when they are many and short: each takes room besides its text', () => {
    const names = Array.from({ length: 3000 }, (_, at) => at.toString(36));
    let floors = addWatermarks(null, names.slice(0, 10).map(prefix), 2);
    floors = addWatermarks(floors, names.slice(10, WATERMARKS_MAX).map(prefix), 3);
    expect([floors.bucket, floors.others.length]).toEqual([0, WATERMARKS_MAX]);
    floors = addWatermarks(floors, [prefix('one more')], 4);
    expect(floors.bucket).toBe(2);
    expect(isPurged(floors, key('~untouched'), plain, 2)).toBe(false);
    const all = addWatermarks(null, names.map(prefix), 2);
    expect(JSON.stringify(all).length).toBeLessThan(
      WATERMARKS_MAX_LENGTH + WATERMARKS_MAX * 50 + 100,
    );
    expect(names.every((name) => isPurged(all, key(name), plain, 1))).toBe(true);
  });
});
