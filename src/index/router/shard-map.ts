// The states of all shards of a bucket as somebody has read them, one after the other: a
// hint, which each call proves by the revision that it names (ADR 53). Read by whoever
// calls shards or moves their slices.
import type { BucketAddress, BucketId, BucketName } from '../../domain/nouns.ts';
import type { MovingSlice, ShardState } from '../../ports/index-calls/shard-calls.ts';
import type { MetadataIndex } from '../../ports/metadata-index.ts';
import { hasKey } from '../shards/key-ranges.ts';

/** The root first, which every bucket has that was split. */
export type ShardMap = readonly [root: ShardState, ...others: ShardState[]];

/** The name of a shard beside the root, which counts from 1; no bucket can have it. */
export const nameOfShard = (bucket: BucketName, number: number): BucketName =>
  `${bucket}~${number}` as BucketName;

/** The bucket of a name that may be a shard's; bucket names have no tilde. */
export function bucketOfShard(name: BucketName): BucketName {
  const at = name.lastIndexOf('~');
  return at < 0 ? name : (name.slice(0, at) as BucketName);
}

/** What calls may name a shard by. */
type Naming = {
  readonly bucket?: { readonly name?: BucketName };
  readonly ownerBucket?: { readonly name?: BucketName };
  readonly name?: BucketName;
};

/**
 * The name of the index that a call is for. Calls of a shard come under the name of
 * its bucket, and name the shard in their input (ADR 53).
 */
export function indexFor(called: BucketName, input: unknown): BucketName {
  const { bucket, ownerBucket, name } = input as Naming;
  const named = bucket?.name ?? ownerBucket?.name ?? name ?? called;
  const isShard = named !== called && bucketOfShard(named) === bucketOfShard(called);
  return isShard ? named : called;
}

/** The states of all shards; null: the bucket was never split. Cost: a call for each. */
export async function readShardMap(
  index: Pick<MetadataIndex, 'call'>,
  bucket: BucketName,
): Promise<ShardMap | null> {
  const root = await index.call(bucket, 'getShard', { name: bucket });
  if (root === null) return null;
  const numbers = Array.from({ length: root.made }, (_, at) => at + 1);
  const others = await Promise.all(
    numbers.map((number) => index.call(bucket, 'getShard', { name: nameOfShard(bucket, number) })),
  );
  // One that was noted may not be made yet, and one of an earlier bucket be there.
  const made = others.filter((state) => state !== null);
  return [root, ...made.filter((state) => isShardOf(state.bucket.id, root.bucket.id))];
}

/** The map with a state that a call gave; the same map where that is not later than its own. */
export function withState(map: ShardMap, state: ShardState): ShardMap {
  const known = shardIn(map, state.bucket.id);
  if (known === null) return [...map, state];
  if (known.revision >= state.revision) return map;
  return map.map((other) => (other === known ? state : other)) as unknown as ShardMap;
}

/**
 * The map with the states of these shards as they are now, and of those that slices of
 * theirs go to or come from. Null: all must be read, for one is gone or others were made.
 * Cost: a call for each, however many shards there are.
 */
export async function renewStates(
  index: Pick<MetadataIndex, 'call'>,
  map: ShardMap,
  changed: ReadonlySet<BucketId>,
): Promise<ShardMap | null> {
  const [{ bucket: root, made }] = map;
  const read = (shards: readonly BucketAddress[]) =>
    Promise.all(shards.map(({ name }) => index.call(root.name, 'getShard', { name })));
  const before = map.filter(({ bucket }) => changed.has(bucket.id));
  const after = await read(before.map(({ bucket }) => bucket));
  const others = new Map<BucketId, BucketAddress>();
  for (const state of [...before, ...after]) {
    for (const slice of [state?.frozen, state?.incoming, state?.gave]) {
      if (slice && !changed.has(slice.shard.id)) others.set(slice.shard.id, slice.shard);
    }
  }
  let renewed = map;
  for (const state of [...after, ...(await read([...others.values()]))]) {
    if (state === null) return null;
    renewed = withState(renewed, state);
  }
  const [{ made: madeNow }, ...shards] = renewed;
  const isOfBucket = shards.every(({ bucket }) => isShardOf(bucket.id, root.id));
  return isOfBucket && madeNow === made ? renewed : null;
}

/** The id of a shard beside the root. */
export const idOfShard = (root: BucketId, number: number): BucketId =>
  `${root}~${number}` as BucketId;

/** The id of the bucket that a shard beside the root is of. */
export const rootOfShard = (shard: BucketId): BucketId =>
  shard.slice(0, shard.lastIndexOf('~')) as BucketId;

/** Whether an id is that of a shard beside the root of that id. */
export const isShardOf = (id: BucketId, root: BucketId): boolean => id.startsWith(`${root}~`);

/** The shard that owns a key; null: by this map none does. */
export function ownerOf(map: ShardMap, key: string): ShardState | null {
  return map.find(({ range }) => range !== null && hasKey(range, key)) ?? null;
}

/** The shards that own any key. */
export const shardsWithKeys = (map: ShardMap): readonly ShardState[] =>
  map.filter(({ range }) => range !== null);

/** The shard of that id; null: the map does not have it. */
export function shardIn(map: ShardMap, id: BucketId): ShardState | null {
  return map.find(({ bucket }) => bucket.id === id) ?? null;
}

/** Says whether a moving slice has this epoch and this shard at its other end. */
export function isSlice(slice: MovingSlice | null, epoch: number, shard: BucketId): boolean {
  return slice?.epoch === epoch && slice.shard.id === shard;
}
