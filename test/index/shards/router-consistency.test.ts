// Random histories of readers and writers through the router while the bucket is split and joined
// all the time, in shards of some hundred rows: every key is one register to look-ups and to lists,
// of pages that go over borders, too. Each call of the index comes in random order.
import { expect, test } from 'vitest';
import { createDirectMetadataIndex } from '../../../src/adapters/memory/direct-metadata-index.ts';
import type { BucketRecord } from '../../../src/domain/nouns.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { finishMoves, moveSlice } from '../../../src/index/router/move-slices.ts';
import { shardsWithKeys } from '../../../src/index/router/shard-map.ts';
import { createShardRouter } from '../../../src/index/router/shard-router.ts';
import { createShardSplitter } from '../../../src/index/router/split-shards.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
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
} from '../../contract/index/samples.ts';
import { FUZZ_SEED, fuzzRuns } from '../../fuzz-seed.ts';
import { flawOf, type RegisterEvent } from '../../register-history.ts';
import { openMigrated } from '../kit/open-migrated.ts';
import { openRestlessShards, reopening } from './restless-shards.ts';
import { createTurns, pickOf, randomOf } from './shard-world.ts';

const LIMIT_MS = fuzzRuns(120_000);
/** Rows from which a shard is split. */
const ROWS = 100;
/** Keys that nobody changes, between which the others lie. */
const FILL = Array.from({ length: 240 }, (_, at) => `f${String(at).padStart(3, '0')}/x`);
const KEYS = Array.from({ length: 12 }, (_, at) => `f${String(at * 20).padStart(3, '0')}/y`);
const WRITES = 60;

const isOdd = (value: number) => value % 2 === 1;

/** A read of one key that begins now; to be ended with the entity tag that it has shown. */
function beginRead(history: RegisterEvent[]) {
  const read = {};
  history.push({ kind: 'read-begun', read });
  return (etag: string | null) =>
    history.push({
      kind: 'read-ended',
      read,
      matches: (value) => (isOdd(value) ? etag === `${value}` : etag === null),
    });
}

function openHistory(seed: number) {
  const random = randomOf(seed);
  const turns = createTurns(random);
  const clock = { nowMs: () => START_MS };
  const sql = openMigrated(INDEX_SCHEMA);
  const direct = createDirectMetadataIndex(createBucketIndex(sql));
  const slow: MetadataIndex = {
    async call(bucket, name, input) {
      await turns.turn();
      return direct.call(bucket, name, input);
    },
  };
  const background: Promise<unknown>[] = [];
  const splitter = createShardSplitter({
    index: slow,
    clock,
    rows: ROWS,
    background: { run: (_, work) => background.push(work().catch(() => undefined)) },
  });
  return {
    random,
    turns,
    clock,
    sql,
    direct,
    splitter,
    index: createShardRouter(slow, clock, splitter),
  };
}

type History = ReturnType<typeof openHistory>;

/** Moves slices of any length between shards, as long as others are at work. */
async function moveOn(
  { index, clock, random, splitter }: History,
  name: BucketRecord['name'],
  isOver: () => boolean,
) {
  const ports = { index, clock, bucket: name };
  let moves = 0;
  while (!isOver()) {
    const map = await finishMoves(ports);
    if (map === null || random() < 0.2) {
      await splitter.balance(name);
      continue;
    }
    const source = pickOf(random, shardsWithKeys(map));
    const target = pickOf(random, map).bucket;
    const end = pickOf(random, ['lower', 'upper'] as const);
    const rows = 1 + Math.floor(random() * 60);
    if (target.id === source.bucket.id) continue;
    if (await moveSlice(ports, map, { source, end, target, rows })) moves += 1;
  }
  return moves;
}

/** All names of a bucket by pages. */
async function listAll(
  index: MetadataIndex,
  name: BucketRecord['name'],
  query: { readonly delimiter: string; readonly maxKeys: number },
): Promise<{ readonly etags: Map<string, string>; readonly prefixes: string[] }> {
  const etags = new Map<string, string>();
  const prefixes: string[] = [];
  for (let after = ''; ; ) {
    const page = await reopening(index, name, (bucket) =>
      index.call(name, 'listObjects', { bucket: refOf(bucket), prefix: '', after, ...query }),
    );
    for (const { key, etag } of page.objects) {
      expect(etags.has(key), `${key} twice`).toBe(false);
      etags.set(key, etag);
    }
    prefixes.push(...page.commonPrefixes);
    expect(page.objects.length + page.commonPrefixes.length).toBeLessThanOrEqual(query.maxKeys);
    if (!page.isTruncated) return { etags, prefixes };
    after = page.lastName ?? '';
  }
}

async function runHistory(seed: number) {
  const history = openHistory(seed);
  const { index, direct, turns, random, sql } = history;
  const { name } = await makeBucket(direct);
  for (const key of FILL) {
    const bucket = await direct.call(name, 'getBucket', { name });
    if (bucket !== null) await put(direct, bucket, objectOf(key));
  }
  const registers = new Map(KEYS.map((key) => [key, [] as RegisterEvent[]]));
  const historyOf = (key: string) => registers.get(key) ?? [];
  let writing = KEYS.length;
  const isOver = () => writing === 0;
  const counts = { lists: 0, reads: 0 };

  const writers = KEYS.map(async (key) => {
    for (let value = 1; value <= WRITES; value++) {
      historyOf(key).push({ kind: 'write-begun', value });
      await reopening(index, name, async (bucket) => {
        if (isOdd(value)) await put(index, bucket, objectOf(key, { etag: `${value}` }));
        else await deleteKeys(index, bucket, [key]);
      });
      historyOf(key).push({ kind: 'write-ended', value });
    }
    writing -= 1;
  });
  const readers = [0, 1, 2].map(async () => {
    while (!isOver()) {
      const key = pickOf(random, KEYS);
      const end = beginRead(historyOf(key));
      const object = await reopening(index, name, (bucket) => get(index, bucket, key));
      end(object?.etag ?? null);
      counts.reads += 1;
    }
  });
  const listers = [1000, 40].map(async (maxKeys) => {
    while (!isOver()) {
      const ends = KEYS.map((key) => [key, beginRead(historyOf(key))] as const);
      const { etags } = await listAll(index, name, { delimiter: '', maxKeys });
      for (const [key, end] of ends) end(etags.get(key) ?? null);
      expect(FILL.filter((key) => !etags.has(key))).toEqual([]);
      const { prefixes } = await listAll(index, name, { delimiter: '/', maxKeys });
      expect(prefixes).toEqual(FILL.map((key) => key.slice(0, 5)));
      counts.lists += 1;
    }
  });
  const movers = [0, 1].map(() => moveOn(history, name, isOver));
  await turns.run([...writers, ...readers, ...listers, ...movers], () => {});

  for (const [key, events] of registers) expect(flawOf(events), key).toBeNull();
  const [first, second] = await Promise.all(movers);
  sql.close();
  return { ...counts, moves: (first ?? 0) + (second ?? 0) };
}

test('every key is one register to look-ups and lists while slices move', {
  timeout: LIMIT_MS,
}, async () => {
  for (let at = 0; at < fuzzRuns(3); at++) {
    const seed = FUZZ_SEED + at;
    try {
      const { reads, lists, moves } = await runHistory(seed);
      expect(reads).toBeGreaterThan(20);
      expect(lists).toBeGreaterThan(1);
      expect(moves).toBeGreaterThan(2);
    } catch (error) {
      throw new Error(`history ${seed}`, { cause: error });
    }
  }
});

test('once a change of the record is answered, nobody acts on the older one', async () => {
  const { index, base, moved } = openRestlessShards(FUZZ_SEED, 2);
  const { name } = await makeBucket(index);
  const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (let round = 0; round < 12; round++) {
    // Another thread has a router of its own, and knows the shards as they were.
    const elsewhere = createShardRouter(base, { nowMs: () => START_MS });
    const record = await reopening(index, name, async (bucket) => {
      for (const key of keys) await put(elsewhere, bucket, objectOf(key));
      return bucket;
    });
    const changed = await index.call(name, 'setBucketSettings', {
      bucket: refOf(record),
      settings: { cors: [] },
    });
    expect(changed.revision).toBe(record.revision + 1);
    for (const key of keys)
      await expectCode(put(elsewhere, record, objectOf(key)), 'BucketChanged');
    for (const key of keys) await put(elsewhere, changed, objectOf(key));
  }
  expect(moved()).toBeGreaterThan(10);
});
