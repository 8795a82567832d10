// Connections of all threads, counted together.
import { expect, it } from 'vitest';
import {
  createCountsMemory,
  openSharedCounts,
} from '../../../src/adapters/node/threads/shared-counts.ts';

it('connections are counted by thread, by network and in all', () => {
  const shared = openSharedCounts(createCountsMemory(2));
  const [one, other] = [shared.ofThread(0), shared.ofThread(1)];
  one.add('192.0.2.1');
  other.add('192.0.2.1');
  other.add('2001:db8::');
  other.add(null);
  for (const counts of [one, other]) {
    expect([counts.all(), counts.of('192.0.2.1'), counts.of('2001:db8::')]).toEqual([4, 2, 1]);
    expect(counts.of('198.51.100.9')).toBe(0);
  }
  expect(shared.byThread()).toEqual([1, 3]);

  other.remove('192.0.2.1');
  other.remove(null);
  expect([one.all(), one.of('192.0.2.1'), shared.byThread()]).toEqual([2, 1, [1, 1]]);
});

it('a thread that died counts no more, and the others as before', () => {
  const shared = openSharedCounts(createCountsMemory(3));
  for (const thread of [0, 1, 2]) shared.ofThread(thread).add('192.0.2.1');
  shared.forget(1);
  const counts = shared.ofThread(1);
  expect([shared.byThread(), counts.of('192.0.2.1')]).toEqual([[1, 0, 1], 2]);
  counts.add('192.0.2.1');
  expect([counts.all(), counts.of('192.0.2.1')]).toEqual([3, 3]);
});

it('nobody can know which networks count together', () => {
  const seeds = Array.from({ length: 4 }, () => new Int32Array(createCountsMemory(1))[0]);
  expect(new Set(seeds).size).toBeGreaterThan(1);
});
