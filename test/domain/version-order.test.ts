// Ids of versions sort as the index saw their writes, whatever the clocks of the writers say.
import { expect, it } from 'vitest';
import type { VersionId } from '../../src/domain/nouns.ts';
import { isSameWrite, orderedAfter } from '../../src/domain/version-order.ts';

const REST = 'the-rest';
const idOf = (time: string) => `${time}${REST}` as VersionId;

it.each([
  ['000000001', '000000000'],
  ['000000009', '00000000a'],
  ['000000000', '00000000z'],
  ['000000000', '0000000zz'],
])('an id of the time %s moves behind one of %s, and is the same write', (late, newest) => {
  const moved = orderedAfter(idOf(late), idOf(newest));
  expect(moved > idOf(newest)).toBe(true);
  expect(moved.endsWith(REST)).toBe(true);
});

it('an id that sorts behind already, or has nothing before it, stays as it is', () => {
  expect(orderedAfter(idOf('000000002'), idOf('000000001'))).toBe(idOf('000000002'));
  expect(orderedAfter(idOf('000000002'), null)).toBe(idOf('000000002'));
});

it('a moved id is known as the write that it was', () => {
  const moved = orderedAfter(idOf('000000000'), idOf('00000000z'));
  expect(isSameWrite(moved, idOf('000000000'))).toBe(true);
  expect(isSameWrite(moved, `00000000zanother` as VersionId)).toBe(false);
});
