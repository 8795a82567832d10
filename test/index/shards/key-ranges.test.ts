// Ranges of keys and slices of them, at their borders.
import { expect, test } from 'vitest';
import {
  coverAllKeys,
  hasKey,
  isAtEnd,
  joinRanges,
  withoutSlice,
} from '../../../src/index/shards/key-ranges.ts';

const rangeOf = (text: string) => {
  const [from = '', to = ''] = text.split('..');
  return { from, to: to === '' ? null : to };
};

test.each<[string, string, boolean]>([
  ['c..m', 'c..f', true],
  ['c..m', 'f..m', true],
  ['c..m', 'c..m', true],
  ['..', 'f..', true],
  ['..', '..f', true],
  ['c..m', 'd..f', false],
  ['c..m', 'b..m', false],
  ['c..m', 'a..c', false],
  ['c..m', 'c..n', false],
  ['c..m', 'c..', false],
  ['c..m', 'f..', false],
  ['c..m', 'm..m', false],
  ['c..m', 'c..c', false],
])('of the range %s the slice %s is at an end: %s', (range, slice, expected) => {
  expect(isAtEnd(rangeOf(range), rangeOf(slice))).toBe(expected);
});

test.each<[string, string, string | null]>([
  ['c..m', 'c..f', 'f..m'],
  ['c..m', 'f..m', 'c..f'],
  ['..', 'f..', '..f'],
  ['..', '..f', 'f..'],
  ['c..m', 'c..m', null],
  ['c..', 'c..', null],
])('the range %s without the slice %s is %s, and joins it again', (range, slice, left) => {
  const rest = withoutSlice(rangeOf(range), rangeOf(slice));
  expect(rest).toEqual(left === null ? null : rangeOf(left));
  expect(joinRanges(rest, rangeOf(slice))).toEqual(rangeOf(range));
});

test('ranges that do not touch are not joined', () => {
  expect(joinRanges(rangeOf('c..f'), rangeOf('g..m'))).toBeNull();
  expect(joinRanges(rangeOf('c..f'), rangeOf('a..b'))).toBeNull();
});

test('a range has its first key, and not its end', () => {
  const has = ['b', 'c', 'l', 'm'].map((key) => hasKey(rangeOf('c..m'), key));
  expect(has).toEqual([false, true, true, false]);
  expect([hasKey(rangeOf('..'), ''), hasKey(rangeOf('c..'), '\u{10ffff}')]).toEqual([true, true]);
});

test.each<[string[], boolean]>([
  [['..c', 'c..m', 'm..'], true],
  [['m..', '..c', 'c..m'], true],
  [['..m', 'c..d', 'm..'], true],
  [['..'], true],
  [['..c', 'd..'], false],
  [['b..'], false],
  [['..m'], false],
  [[], false],
])('%j have each key: %s', (ranges, expected) => {
  expect(coverAllKeys(ranges.map(rangeOf))).toBe(expected);
});
