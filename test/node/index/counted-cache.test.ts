// Caches of threads that do not write: what they hold counts only while no change was begun.
import { beforeEach, describe, expect, it } from 'vitest';
import {
  CHANGE_COUNTERS_BYTES,
  type ChangeCounters,
  createChangeCounters,
} from '../../../src/adapters/node/index/change-counters.ts';
import { countedCaches } from '../../../src/adapters/node/index/counted-cache.ts';
import type { FillBarrierCache } from '../../../src/adapters/node/index/fill-barrier-cache.ts';
import type { BucketName, ObjectKey } from '../../../src/domain/nouns.ts';

type Value = { readonly text: string };

describe('a cache that compares counts', () => {
  /** The thread that writes, and this one's view of its counts. */
  let writer: ChangeCounters;
  let cache: FillBarrierCache<string, Value>;
  beforeEach(() => {
    const memory = new SharedArrayBuffer(CHANGE_COUNTERS_BYTES);
    writer = createChangeCounters(memory);
    const make = countedCaches(createChangeCounters(memory));
    cache = make<string, Value>({ max: 3, nameOf: (key) => key });
  });
  const of = (text: string) => () => ({ text });

  it('gives what it has read until a change of that name begins', () => {
    expect(cache.peek('a')).toBeUndefined();
    expect(cache.get('a', of('1'))).toEqual({ text: '1' });
    expect(cache.get('a', of('2'))).toEqual({ text: '1' });
    writer.begin('other');
    writer.end('other');
    expect(cache.peek('a')).toEqual({ text: '1' });
    writer.begin('a');
    expect(cache.peek('a')).toBeUndefined();
    writer.end('a');
    expect(cache.peek('a')).toBeUndefined();
    expect(cache.get('a', of('3'))).toEqual({ text: '3' });
    expect(cache.peek('a')).toEqual({ text: '3' });
  });

  it('keeps nothing that was read while a change was under way, or none', () => {
    writer.begin('a');
    writer.begin('a');
    expect(cache.fill('a', of('1'))).toEqual({ text: '1' });
    writer.end('a');
    cache.fill('a', of('1'));
    writer.end('a');
    expect(cache.peek('a')).toBeUndefined();
    expect(cache.fill('a', () => null)).toBeNull();
    expect(cache.peek('a')).toBeUndefined();
  });

  it('keeps nothing that a change came in between', () => {
    cache.fill('a', () => {
      writer.begin('a');
      writer.end('a');
      return { text: 'before' };
    });
    expect(cache.peek('a')).toBeUndefined();
  });

  it('has room for so many, and drops what it is told to', () => {
    for (const key of ['a', 'b', 'c', 'd']) cache.fill(key, of(key));
    expect(cache.peek('a')).toBeUndefined();
    cache.block('b');
    expect([cache.peek('b'), cache.peek('c')]).toEqual([undefined, { text: 'c' }]);
    cache.blockAll();
    expect([cache.peek('c'), cache.peek('d')]).toEqual([undefined, undefined]);
  });

  it('has room for so many bytes', () => {
    const memory = new SharedArrayBuffer(CHANGE_COUNTERS_BYTES);
    const sizes = { maxSize: 10, sizeCalculation: ({ text }: Value) => text.length };
    const small = countedCaches(createChangeCounters(memory))<string, Value>({
      max: 100,
      sizes,
      nameOf: (key) => key,
    });
    for (const key of ['a', 'b', 'c']) small.fill(key, of('x'.repeat(4)));
    expect(['a', 'b', 'c'].map((key) => small.peek(key) !== undefined)).toEqual([
      false,
      true,
      true,
    ]);
  });
});

it('a commit counts for its keys, or for its bucket alone', () => {
  const counters = createChangeCounters(new SharedArrayBuffer(CHANGE_COUNTERS_BYTES));
  const [bucket, key] = ['b' as BucketName, 'k' as ObjectKey];
  const names = ['b', 'b/k', 'b/other'];
  const change = (keys: readonly ObjectKey[] | null) => {
    const before = names.map((name) => counters.read(name));
    counters.block(bucket, keys);
    const during = names.map((name) => counters.read(name) !== null);
    counters.unblock(bucket, keys);
    const isSame = before.map((reading) => reading !== null && counters.isCurrent(reading));
    return { during, isSame, isFree: names.every((name) => counters.read(name) !== null) };
  };
  for (const [keys, expected] of [
    [[key], [true, false, true]],
    [null, [false, true, true]],
  ] as const)
    expect(change(keys)).toEqual({ during: expected, isSame: expected, isFree: true });
});
