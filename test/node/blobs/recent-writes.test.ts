import { expect, it } from 'vitest';
import { createRecentWrites } from '../../../src/adapters/node/blobs/recent-writes.ts';

it('the memo of recent writes remembers what was written last, up to so many bytes', () => {
  const written = createRecentWrites(100);
  written.note('a', 40);
  written.note('b', 50);
  expect([written.has('a'), written.has('b'), written.has('c')]).toEqual([true, true, false]);
  written.note('c', 20);
  expect([written.has('a'), written.has('b'), written.has('c')]).toEqual([false, true, true]);
  // Written again, it counts once, and is the newest.
  written.note('b', 60);
  written.note('d', 40);
  expect([written.has('b'), written.has('c'), written.has('d')]).toEqual([true, false, true]);
  written.note('large', 101);
  expect(written.has('large')).toBe(false);
});

it('the memo of recent writes knows few by default when they are many', () => {
  const written = createRecentWrites();
  for (let at = 0; at <= 10_000; at++) written.note(`${at}`, 1);
  expect([written.has('0'), written.has('1'), written.has('10000')]).toEqual([false, true, true]);
});
