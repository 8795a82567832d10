// What many shards cost: a move of a slice, and a reader whose map is outdated, take as many calls
// among twelve shards as among three.
import { expect, test } from 'vitest';
import { createDirectMetadataIndex } from '../../../src/adapters/memory/direct-metadata-index.ts';
import type { BucketRecord, ObjectKey } from '../../../src/domain/nouns.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { moveSlice } from '../../../src/index/router/move-slices.ts';
import {
  ownerOf,
  readShardMap,
  type ShardMap,
  shardsWithKeys,
} from '../../../src/index/router/shard-map.ts';
import { createShardRouter } from '../../../src/index/router/shard-router.ts';
import { createShardSplitter } from '../../../src/index/router/split-shards.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import type { IndexApi, MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { makeBucket, objectOf, put, START_MS } from '../../contract/index/samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';

const clock = { nowMs: () => START_MS };
const KEYS = 48;
/** Tries of a writer that waits. */
const TRIES = 8;
const keyOf = (at: number) => `k${at + 10}` as ObjectKey;

/** A bucket in shards of so many rows, and the calls of its index by name. */
async function openSplit(rows: number) {
  const direct = createDirectMetadataIndex(createBucketIndex(openMigrated(INDEX_SCHEMA)));
  const { name } = await makeBucket(direct);
  const calls: (keyof IndexApi)[] = [];
  const index: MetadataIndex = {
    call(bucket, call, input) {
      calls.push(call);
      return direct.call(bucket, call, input);
    },
  };
  const background = { run: () => undefined };
  const router = createShardRouter(direct, clock);
  const splitter = createShardSplitter({ index: router, clock, background, rows });
  const recordNow = async () => (await router.call(name, 'getBucket', { name })) as BucketRecord;
  for (let at = 0; at < KEYS; at++) {
    await put(router, await recordNow(), objectOf(keyOf(at)));
    await splitter.balance(name);
  }
  const readMap = async () => (await readShardMap(direct, name)) as ShardMap;
  return {
    index,
    name,
    calls,
    record: await recordNow(),
    readMap,
    ports: { index, clock, bucket: name },
  };
}

type World = Awaited<ReturnType<typeof openSplit>>;

/** Moves the last row of the first shard to the next one, and gives its key. */
async function moveOne({ ports, readMap, calls }: World): Promise<ObjectKey> {
  const map = await readMap();
  const [source, target] = shardsWithKeys(map).toSorted((a, b) =>
    (a.range?.from ?? '') < (b.range?.from ?? '') ? -1 : 1,
  );
  if (source === undefined || target === undefined) throw new Error('There is no second shard.');
  calls.length = 0;
  const moved = await moveSlice(ports, map, {
    source,
    end: 'upper',
    target: target.bucket,
    rows: 1,
  });
  expect(moved).not.toBeNull();
  const after = await readMap();
  const key = Array.from({ length: KEYS }, (_, at) => keyOf(at)).find(
    (one) =>
      ownerOf(map, one) !== null && ownerOf(map, one)?.bucket.id !== ownerOf(after, one)?.bucket.id,
  );
  if (key === undefined) throw new Error('No key has moved.');
  return key;
}

test.each([16, 4])('a move of a slice takes six calls in shards of %d rows', async (rows) => {
  const world = await openSplit(rows);
  await moveOne(world);
  expect(world.calls).toEqual([
    'pickSlice',
    'freezeSlice',
    'exportSlice',
    'importSlice',
    'giveUpSlice',
    'adoptSlice',
  ]);
});

test.each([16, 4])(
  'a reader with an old map reads two states again in shards of %d rows',
  async (rows) => {
    const world = await openSplit(rows);
    const router = createShardRouter(world.index, clock);
    const read = (key: ObjectKey) =>
      router.call(world.name, 'getVersion', { bucket: world.record, key, versionId: null });
    await read(keyOf(0));
    const key = await moveOne(world);
    world.calls.length = 0;
    expect(await read(key)).toMatchObject({ object: { key } });
    // Refused by the shard that had it, which says where its keys went.
    expect(world.calls).toEqual(['getVersion', 'getShard', 'getShard', 'getVersion']);
  },
);

test('a writer that waits for a frozen slice reads two states a try', async () => {
  const world = await openSplit(4);
  const { index, name, record, calls } = world;
  const [source, target] = shardsWithKeys(await world.readMap());
  if (source === undefined || target === undefined) throw new Error('There is no second shard.');
  const router = createShardRouter(index, clock);
  await put(router, record, objectOf(keyOf(0)));
  const { bucket, revision, range } = (await world.readMap())[0];
  const slice = { range: range ?? { from: '', to: null }, target: target.bucket };
  const { frozen } = await index.call(name, 'freezeSlice', {
    bucket: { ...bucket, revision },
    ...slice,
  });
  calls.length = 0;
  const written = put(router, record, objectOf(keyOf(0)));
  const states = () => calls.filter((call) => call === 'getShard').length;
  await expect.poll(states).toBeGreaterThanOrEqual(2 * TRIES);
  await index.call(name, 'thawSlice', { bucket, epoch: frozen?.epoch ?? 0 });
  await written;
  // Refused once by the old map; then it saw the freeze, and at last that it had ended.
  expect(calls.filter((call) => call === 'commitObject')).toHaveLength(2);
  expect(states() % 2).toBe(0);
});
