// Work of the sweep on a bucket that is split: its shards are swept as buckets of their
// own, their hours of storage count for the bucket, and blobs are found where they were
// written (ADR 53). Called by shard-router.ts.
import { hasCode } from '../../domain/errors.ts';
import type { BucketName } from '../../domain/nouns.ts';
import type { IndexApi, MetadataIndex } from '../../ports/metadata-index.ts';
import { locateBlobs } from './by-key.ts';
import { shardNames } from './shard-hours.ts';
import { isShardOf, readShardMap } from './shard-map.ts';

type Index = Pick<MetadataIndex, 'call'>;
type Input<Name extends keyof IndexApi> = Parameters<IndexApi[Name]>[0];
type Result<Name extends keyof IndexApi> = ReturnType<IndexApi[Name]>;

/**
 * Incarnations of the name, and behind them those of its shards. Idle uploads of any
 * shard are said to be the root's, by which they are looked for in all.
 */
export async function listIncarnations(
  index: Index,
  input: Input<'listIncarnations'>,
): Promise<Result<'listIncarnations'>> {
  const { name } = input;
  const own = await index.call(name, 'listIncarnations', input);
  if (own.length === 0) return own;
  const ofShards: Incarnation[] = [];
  for (const shard of await shardNames(index, name))
    ofShards.push(...(await index.call(name, 'listIncarnations', { name: shard })));
  return [...own.map((root) => withIdleUploads(root, ofShards)), ...ofShards];
}

type Incarnation = Result<'listIncarnations'>[number];

function withIdleUploads(root: Incarnation, ofShards: readonly Incarnation[]): Incarnation {
  const times = ofShards
    .filter(({ bucket, isDeleted }) => !isDeleted && isShardOf(bucket.id, root.bucket.id))
    .flatMap(({ idleUploadMs }) => idleUploadMs ?? []);
  if (times.length === 0) return root;
  return { ...root, idleUploadMs: Math.min(...times, root.idleUploadMs ?? Infinity) };
}

/** A root stays until nothing of its shards is left: it alone knows how many there are. */
export async function forgetIncarnation(
  index: Index,
  input: Input<'forgetIncarnation'>,
): Promise<void> {
  const { id, name } = input.bucket;
  for (const shard of await shardNames(index, name)) {
    const left = await index.call(name, 'listIncarnations', { name: shard });
    if (left.some(({ bucket }) => isShardOf(bucket.id, id))) return;
  }
  await index.call(name, 'forgetIncarnation', input);
}

/**
 * Blobs that no shard knows: a blob has the id of its bucket, and stands in the shard
 * that committed it.
 */
export async function findUnknownBlobs(
  index: Index,
  input: Input<'findUnknownBlobs'>,
  name: BucketName,
): Promise<Result<'findUnknownBlobs'>> {
  let unknown = await index.call(name, 'findUnknownBlobs', input);
  const shards = unknown.length === 0 ? [] : await shardNames(index, name);
  for (const shard of shards) {
    if (unknown.length === 0) break;
    unknown = await index.call(shard, 'findUnknownBlobs', { blobIds: unknown });
  }
  return unknown;
}

/**
 * Takes remote references where the blobs are: who has read a version of a split bucket
 * knows the bucket alone. NoSuchBlob.
 */
export async function addRemoteReferences(
  index: Index,
  input: Input<'addRemoteReferences'>,
): Promise<void> {
  const { name } = input.ownerBucket;
  try {
    await index.call(name, 'addRemoteReferences', input);
  } catch (error) {
    const map = hasCode(error, 'NoSuchBlob') ? await readShardMap(index, name) : null;
    if (map === null) throw error;
    const located = await locateBlobs(index, map, input.blobIds);
    if (located.length < input.blobIds.length) throw error;
    for (const ofOwner of Map.groupBy(located, ({ ownerBucket }) => ownerBucket?.id).values()) {
      const ownerBucket = ofOwner[0]?.ownerBucket;
      if (ownerBucket == null) continue;
      const blobIds = ofOwner.map(({ blobId }) => blobId);
      await index.call(ownerBucket.name, 'addRemoteReferences', { ...input, ownerBucket, blobIds });
    }
  }
}

/** Releases remote references at the bucket, and at each shard that may have them. */
export async function releaseRemoteReferences(
  index: Index,
  input: Input<'releaseRemoteReferences'>,
): Promise<void> {
  const { name, id } = input.ownerBucket;
  await index.call(name, 'releaseRemoteReferences', input);
  for (const shard of await shardNames(index, name)) {
    const states = await index.call(name, 'listIncarnations', { name: shard });
    for (const { bucket } of states) {
      if (!isShardOf(bucket.id, id)) continue;
      await index.call(name, 'releaseRemoteReferences', { ...input, ownerBucket: bucket });
    }
  }
}
