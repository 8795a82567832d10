// Calls that need all keys of a bucket in one index, and its deletion, while slices are between two
// shards: they see every key, and a bucket without any goes whatever moves.
import { describe, expect, it } from 'vitest';
import { PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import { hasCode } from '../../../src/domain/errors.ts';
import type { BucketRecord } from '../../../src/domain/nouns.ts';
import { finishMoves, moveSlice } from '../../../src/index/router/move-slices.ts';
import { readShardMap } from '../../../src/index/router/shard-map.ts';
import { createShardRouter } from '../../../src/index/router/shard-router.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import {
  deleteKeys,
  expectCode,
  get,
  makeBucket,
  objectOf,
  put,
  refOf,
  START_MS,
  startUpload,
} from '../../contract/index/samples.ts';
import {
  bringIn,
  epochOf,
  freeze,
  giveUp,
  move,
  stateOf,
} from '../../contract/index/shards/shard-samples.ts';
import { FUZZ_SEED, fuzzRuns } from '../../fuzz-seed.ts';
import { makeShard, openRestlessShards, reopening } from './restless-shards.ts';
import { createTurns, pickOf, randomOf } from './shard-world.ts';

const UPPER = { from: 'm', to: null };

/** A bucket with the keys a and z, of which the latter was given up, and nobody adopted it yet. */
async function openGap() {
  const { index, base } = openRestlessShards(FUZZ_SEED, 0);
  const { name } = await makeBucket(index);
  const record = await index.call(name, 'getBucket', { name });
  const [root, shard] = (await readShardMap(base, name)) ?? [];
  if (record === null || root === undefined || shard === undefined) throw new Error('No shards.');
  for (const key of ['a', 'z']) await put(index, record, objectOf(key));
  const { source } = await move(base, root.bucket, shard.bucket, UPPER);
  const frozen = await freeze(base, await stateOf(base, shard.bucket), source.bucket, UPPER);
  await bringIn(base, frozen, source.bucket);
  await giveUp(base, shard.bucket, epochOf(frozen));
  return { index, record };
}

describe('while a slice is given up and not adopted', () => {
  it('a search finds all keys', async () => {
    const { index, record } = await openGap();
    const search = { prefix: '', needle: '', limit: 10, after: '' };
    const bucket = refOf(record);
    const { objects } = await index.call(record.name, 'searchKeys', { bucket, ...search });
    expect(objects.map(({ key }) => key)).toEqual(['a', 'z']);
  });

  it('a write of a bucket with quotas replaces the object that moves', async () => {
    const { index, record } = await openGap();
    const quotas = { own: { bytes: null, objects: 2 }, isShared: false };
    const bucket = { ...refOf(record), quotas };
    const object = objectOf('z', { etag: 'later' });
    const commit = { bucket, object, condition: null, newReferences: [] };
    await index.call(record.name, 'commitObject', commit);
    expect((await get(index, record, 'z'))?.etag).toBe('later');
    const totals = await index.call(record.name, 'getStorageTotals', { bucket: refOf(record) });
    expect(totals).toMatchObject([{ currentCount: 2 }]);
  });
});

it('a bucket whose deletion was refused behind its shards goes on as before', async () => {
  const { base, index: split } = openRestlessShards(FUZZ_SEED, 0);
  const { name } = await makeBucket(split);
  const open = async () => (await base.call(name, 'getBucket', { name })) as BucketRecord;
  await put(split, await open(), objectOf('z'));
  const [root, shard] = (await readShardMap(base, name)) ?? [];
  if (root === undefined || shard === undefined) throw new Error('No shards.');
  await move(base, root.bucket, shard.bucket, UPPER);
  await deleteKeys(split, await open(), ['z']);
  const late: MetadataIndex = {
    async call(bucket, call, input) {
      const { bucket: to } = input as { readonly bucket?: BucketRecord };
      if (call === 'deleteBucket' && to?.name === name)
        await put(split, await open(), objectOf('a'));
      return base.call(bucket, call, input);
    },
  };
  const router = createShardRouter(late, { nowMs: () => START_MS });
  const bucket = refOf(await open());
  await expectCode(
    router.call(name, 'deleteBucket', { bucket, nowMs: START_MS }),
    'BucketNotEmpty',
  );

  expect((await readShardMap(base, name))?.length).toBe(1);
  const totals = await split.call(name, 'getStorageTotals', { bucket });
  expect(totals).toMatchObject([{ currentCount: 1 }]);
  await deleteKeys(split, await open(), ['a']);
  await split.call(name, 'deleteBucket', { bucket, nowMs: START_MS });
  expect(await base.call(name, 'getBucket', { name })).toBeNull();
});

it('a shard that was made behind a map hears of a changed record', async () => {
  const { base, index: split } = openRestlessShards(FUZZ_SEED, 0);
  const { name } = await makeBucket(split);
  const router = createShardRouter(base, { nowMs: () => START_MS });
  const open = async () => (await base.call(name, 'getBucket', { name })) as BucketRecord;
  const [root] = (await readShardMap(base, name)) ?? [];
  if (root === undefined) throw new Error('No shards.');
  const made = root.made + 1;
  await base.call(name, 'noteShards', {
    bucket: { ...root.bucket, revision: root.revision },
    made,
  });
  const record = await open();
  // Reads the map, of which the shard that was noted is no part yet.
  await put(router, record, objectOf('a'));
  const { bucket: shard } = await makeShard(base, record, made, root);

  const changed = await router.call(name, 'setBucketAccess', {
    bucket: refOf(record),
    access: PRIVATE_ACCESS,
  });
  const state = await base.call(name, 'getShard', { name: shard.name });
  expect(state?.record).toBe(changed.revision);
  expect(changed.revision).toBeGreaterThan(record.revision);
});

const RUNS = fuzzRuns(40);
/** In its history a shard is read with a slice of a root that was read before it froze that. */
const READ_APART = 1799;
const SEEDS = [READ_APART, ...Array.from({ length: RUNS }, (_, at) => FUZZ_SEED + at)];
const LIMIT_MS = fuzzRuns(60_000);
/** Moves of each mover while the bucket is deleted: it can't go as long as they go on. */
const MOVES = 12;

/** Deletes a bucket without objects, in which uploads move between shards. */
async function deleteWhileMoving(seed: number): Promise<void> {
  const random = randomOf(seed);
  const turns = createTurns(random);
  const { base, index: split } = openRestlessShards(seed, 0);
  const clock = { nowMs: () => START_MS };
  const slow: MetadataIndex = {
    async call(bucket, name, input) {
      await turns.turn();
      return base.call(bucket, name, input);
    },
  };
  const index = createShardRouter(slow, clock);
  const { name } = await makeBucket(split);
  for (const key of ['a', 'g', 'm', 's', 'z']) {
    const record = await split.call(name, 'getBucket', { name });
    if (record !== null && random() < 0.8) await startUpload(split, record, key);
  }
  const ports = { index, clock, bucket: name };

  const moveOn = async () => {
    for (let moves = 0; moves < MOVES; moves++) {
      const map = await finishMoves(ports);
      if (map === null) return;
      const source = pickOf(random, map);
      const target = pickOf(random, map).bucket;
      const end = pickOf(random, ['lower', 'upper'] as const);
      if (target.id === source.bucket.id) continue;
      await moveSlice(ports, map, { source, end, target, rows: 1 + Math.floor(random() * 3) });
    }
  };
  const mover = () =>
    moveOn().catch((error: unknown) => {
      if (!hasCode(error, 'BucketChanged')) throw error;
    });
  const remove = () =>
    reopening(index, name, (record: BucketRecord) =>
      index.call(name, 'deleteBucket', { bucket: refOf(record), nowMs: START_MS }),
    );
  await turns.run([mover(), mover(), remove()], () => {});
  expect(await base.call(name, 'getBucket', { name })).toBeNull();
}

it('a bucket without objects is deleted whatever moves', { timeout: LIMIT_MS }, async () => {
  for (const seed of SEEDS) {
    await deleteWhileMoving(seed).catch((error: unknown) => {
      throw new Error(`seed ${seed}`, { cause: error });
    });
  }
});
