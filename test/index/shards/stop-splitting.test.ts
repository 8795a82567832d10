// A splitter that has to stop, or whose bucket is needed in one index or deleted: it ends
// behind the slice under way, and another one goes on.
import { expect, test } from 'vitest';
import { createDirectMetadataIndex } from '../../../src/adapters/memory/direct-metadata-index.ts';
import type { BucketRecord } from '../../../src/domain/nouns.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { nextStep } from '../../../src/index/router/next-step.ts';
import { readShardMap, shardsWithKeys } from '../../../src/index/router/shard-map.ts';
import { createShardRouter } from '../../../src/index/router/shard-router.ts';
import { createShardSplitter } from '../../../src/index/router/split-shards.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import type { IndexApi, MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { deleteKeys, makeBucket, objectOf, put, START_MS } from '../../contract/index/samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';
import { reopening } from './restless-shards.ts';

const ROWS = 8;
const ALL = { prefix: '', delimiter: '', after: '', maxKeys: 1000 };

/** A bucket that is large enough for some shards, and calls behind each of which a test acts. */
async function openLarge(onCall: (name: keyof IndexApi) => unknown) {
  const direct = createDirectMetadataIndex(createBucketIndex(openMigrated(INDEX_SCHEMA)));
  const clock = { nowMs: () => START_MS };
  const record = await makeBucket(direct);
  for (let at = 0; at < 40; at++) await put(direct, record, objectOf(`k${at + 10}`));
  const index: Pick<MetadataIndex, 'call'> = {
    async call(bucket, call, input) {
      await onCall(call);
      return direct.call(bucket, call, input);
    },
  };
  const background = { run: (_: string, work: () => Promise<unknown>) => void work() };
  return { direct, record, options: { index, clock, background, rows: ROWS } };
}

async function countShards(index: MetadataIndex, { name }: BucketRecord): Promise<number> {
  const map = await readShardMap(index, name);
  return map === null ? 0 : shardsWithKeys(map).length;
}

test('splitting ends behind the slice under way, and goes on later', async () => {
  const stopping = new AbortController();
  const freezes = { count: 0 };
  const { direct, record, options } = await openLarge((name) => {
    if (name === 'freezeSlice') freezes.count += 1;
    if (freezes.count === 3) stopping.abort();
  });
  const { name } = record;

  const stopped = createShardSplitter({ ...options, stopping: stopping.signal });
  await stopped.balance(name);
  expect(freezes.count).toBe(3);
  const left = await readShardMap(direct, name);
  expect(left === null ? null : nextStep(left)).toBeNull();
  for (let at = 0; at < 10; at++) stopped.onDone(name, 'commitObject', record);
  expect(freezes.count).toBe(3);

  await createShardSplitter(options).balance(name);
  expect(await countShards(direct, record)).toBeGreaterThan(4);
});

test('splitting ends when the bucket is needed in one index', async () => {
  const freezes = { count: 0 };
  const { direct, record, options } = await openLarge((name) => {
    if (name !== 'freezeSlice') return;
    freezes.count += 1;
    if (freezes.count === 2) splitter.onTogether(record.name);
  });
  const splitter = createShardSplitter(options);
  await splitter.balance(record.name);
  expect(freezes.count).toBe(2);
  expect(await countShards(direct, record)).toBe(2);
});

test('a bucket that is deleted while its first shard is made leaves its name free', async () => {
  let isDeleted = false;
  const { direct, record, options } = await openLarge(async (call) => {
    if (call !== 'makeShard' || isDeleted) return;
    isDeleted = true;
    await reopening(router, record.name, async (bucket) => {
      const keys = await router.call(bucket.name, 'listObjects', { bucket, ...ALL });
      await deleteKeys(
        router,
        bucket,
        keys.objects.map(({ key }) => key),
      );
      await router.call(bucket.name, 'deleteBucket', { bucket, nowMs: START_MS });
    });
  });
  const router = createShardRouter(direct, options.clock);
  const { name } = record;
  await createShardSplitter(options).balance(name);
  expect(isDeleted).toBe(true);

  const next = await makeBucket(direct, { name });
  for (let at = 0; at < 40; at++) await put(direct, next, objectOf(`k${at + 10}`));
  await createShardSplitter(options).balance(name);
  expect(await countShards(direct, next)).toBeGreaterThan(4);
});
