// What is next for slices under way, by what the shards say: the cases that histories seldom meet.
import { expect, test } from 'vitest';
import type { BucketAddress, BucketId, BucketName } from '../../../src/domain/nouns.ts';
import { nextStep } from '../../../src/index/router/next-step.ts';
import type { KeyRange, ShardState } from '../../../src/ports/index-calls/shard-calls.ts';

const addressOf = (name: string): BucketAddress => ({
  id: `${name}~id` as BucketId,
  name: name as BucketName,
});
const LOWER: KeyRange = { from: '', to: 'm' };
const UPPER: KeyRange = { from: 'm', to: null };

function shard(name: string, changes: Partial<ShardState> = {}): ShardState {
  return {
    bucket: addressOf(name),
    revision: 20,
    record: 1,
    range: null,
    frozen: null,
    incoming: null,
    gave: null,
    adopted: {},
    made: 2,
    ...changes,
  };
}
const slice = (name: string, epoch: number, range = UPPER) => ({
  ...{ shard: addressOf(name), epoch, range },
});

test('nothing is next where nothing is under way', () => {
  expect(nextStep([shard('a', { range: { from: '', to: null } }), shard('b')])).toBeNull();
});

test('what came in is dropped only once its source is known to have gone on', () => {
  const target = shard('b', { incoming: slice('a', 10) });
  for (const alive of [
    { revision: 9 },
    { revision: 10, frozen: slice('b', 10) },
    { revision: 12, frozen: slice('b', 10) },
  ])
    expect(nextStep([shard('a', { range: LOWER, ...alive }), target])?.do).not.toBe('drop');
  expect(nextStep([shard('a', { range: LOWER, revision: 11 }), target])).toMatchObject({
    ...{ do: 'drop', epoch: 10 },
  });
});

test('what was given up is adopted before anything else, or read again', () => {
  const source = shard('a', { range: LOWER, gave: slice('b', 10), frozen: slice('c', 20, LOWER) });
  const arrived = shard('b', { incoming: slice('a', 10) });
  expect(nextStep([source, arrived, shard('c')])).toMatchObject({ do: 'adopt', epoch: 10 });
  expect(nextStep([source, shard('b'), shard('c')])).toEqual({ do: 'read again' });
  expect(nextStep([source])).toEqual({ do: 'read again' });
  const whole = { ...source, range: { from: '', to: null }, frozen: null };
  expect(nextStep([whole]), 'the target was deleted').toBeNull();
  const adopted = shard('b', { range: UPPER, adopted: { [source.bucket.id]: 10 } });
  expect(nextStep([source, adopted, shard('c')])).toMatchObject({ do: 'bring in', epoch: 20 });
});

test('what its target cannot take is thawed', () => {
  const source = shard('a', { range: { from: '', to: null }, frozen: slice('b', 20) });
  expect(nextStep([source, shard('b')])?.do).toBe('bring in');
  for (const busy of [
    shard('b', { range: LOWER, frozen: slice('c', 5, LOWER) }),
    shard('b', { range: { from: 'x', to: 'z' } }),
    shard('b', { incoming: slice('c', 30) }),
  ])
    expect(nextStep([source, busy, shard('c', { frozen: slice('b', 30) })])).toMatchObject({
      ...{ do: 'thaw', epoch: 20 },
    });
  expect(nextStep([source])).toMatchObject({ do: 'thaw', epoch: 20 });
});
