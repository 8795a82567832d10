// An index whose buckets are split from the first, and of which slices move before every call: for
// tests that callers of the router never notice.
import { createDirectMetadataIndex } from '../../../src/adapters/memory/direct-metadata-index.ts';
import { PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import { NO_SETTINGS } from '../../../src/domain/bucket-settings.ts';
import { hasCode } from '../../../src/domain/errors.ts';
import type { BucketName, BucketRecord } from '../../../src/domain/nouns.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { finishMoves, moveSlice } from '../../../src/index/router/move-slices.ts';
import {
  idOfShard,
  indexFor,
  nameOfShard,
  shardsWithKeys,
} from '../../../src/index/router/shard-map.ts';
import { createShardRouter } from '../../../src/index/router/shard-router.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import type { ShardState } from '../../../src/ports/index-calls/shard-calls.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { refOf, START_MS } from '../../contract/index/samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';
import { pickOf, randomOf } from './shard-world.ts';

/** Shards beside the root of each bucket. */
const SHARDS = 2;

/** All shards in one database, as on Node. */
const openOneDatabase = (): MetadataIndex =>
  createDirectMetadataIndex(createBucketIndex(openMigrated(INDEX_SCHEMA)));

/** Each bucket and each shard in a database of its own, as Durable Objects are. */
function openDatabases(): MetadataIndex {
  const indexes = new Map<BucketName, MetadataIndex>();
  return {
    call(bucket, name, input) {
      const object = indexFor(bucket, input);
      const index = indexes.get(object) ?? openOneDatabase();
      indexes.set(object, index);
      return index.call(bucket, name, input);
    },
  };
}

export const RESTLESS_WORLDS = {
  'restless shards': openOneDatabase,
  'restless shards in databases of their own': openDatabases,
};

/** Makes the shard of that number beside a root, as a splitter does. */
export function makeShard(
  index: MetadataIndex,
  record: BucketRecord,
  number: number,
  root: ShardState,
): Promise<ShardState> {
  const { id, name } = record;
  const own = { id: idOfShard(id, number), name: nameOfShard(name, number), revision: 1 };
  const bucket = { ...record, ...own, access: PRIVATE_ACCESS, settings: NO_SETTINGS };
  return index.call(name, 'makeShard', { bucket, record: root.record });
}

/** `moves`: how many slices move before each call; absent: one. */
export function openRestlessShards(seed: number, moves = 1, open = openOneDatabase) {
  const random = randomOf(seed);
  const clock = { nowMs: () => START_MS };
  const base = open();
  const router = createShardRouter(base, clock);
  let moved = 0;

  /** Makes the bucket the root of shards, and gives its record as it is then. */
  async function split(record: BucketRecord): Promise<BucketRecord> {
    const { name } = record;
    const root = await base.call(name, 'noteShards', { bucket: refOf(record), made: SHARDS });
    for (let at = 1; at <= SHARDS; at++) {
      await makeShard(base, record, at, root);
    }
    return (await base.call(name, 'getBucket', { name })) ?? record;
  }

  /** Moves some rows of a bucket from a shard that has keys to another one. */
  async function stir(bucket: BucketName): Promise<void> {
    const ports = { index: router, clock, bucket };
    const map = await finishMoves(ports);
    if (map === null) return;
    const source = pickOf(random, shardsWithKeys(map));
    const target = pickOf(
      random,
      map.filter((shard) => shard !== source),
    ).bucket;
    const end = pickOf(random, ['lower', 'upper'] as const);
    const rows = 1 + Math.floor(random() * 3);
    if (await moveSlice(ports, map, { source, end, target, rows })) moved += 1;
  }

  const index: MetadataIndex = {
    async call(bucket, name, input) {
      const { name: named } = input as { readonly name?: BucketName };
      const [root = ''] = (named ?? bucket).split('~');
      for (let at = 0; at < moves; at++) await stir(root as BucketName);
      const result = await router.call(bucket, name, input);
      return (name === 'createBucket' ? await split(result as BucketRecord) : result) as never;
    },
  };
  return { index, router, base, stir, split, moved: () => moved };
}

/** Calls again by the record as it is, as whoever has opened a bucket does. */
export async function reopening<Result>(
  index: MetadataIndex,
  name: BucketName,
  call: (record: BucketRecord) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const record = await index.call(name, 'getBucket', { name });
    if (record === null) throw new Error('The bucket is gone.');
    try {
      return await call(record);
    } catch (error) {
      if (!hasCode(error, 'BucketChanged')) throw error;
    }
  }
}
