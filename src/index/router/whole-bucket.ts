// Calls about a split bucket as a whole: sums over its shards, changes of its record, what
// the root alone has, and what needs all keys in one index, which brings the bucket
// together first (ADR 53). Called by shard-router.ts.

import type { StorageTotals } from '../../domain/billing/stored.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BucketAddress, BucketRecord, BucketRef } from '../../domain/nouns.ts';
import type { IndexApi, MetadataIndex } from '../../ports/metadata-index.ts';
import type { Clock } from '../../ports/system.ts';
import {
  countRows,
  finishMoves,
  type MovingPorts,
  moveSlice,
  refOfShard,
  type WantedMove,
} from './move-slices.ts';
import { readShardMap, type ShardMap, shardsWithKeys } from './shard-map.ts';
import { AGAIN, pause, type SplitBuckets, TRIES_MAX } from './split-bucket.ts';

export type WholeBucketParts = {
  readonly index: Pick<MetadataIndex, 'call'>;
  readonly clock: Clock;
  readonly split: SplitBuckets;
  /** Versions of a bucket that may be brought into one index. */
  readonly togetherMaxRows: number;
};

/** Rows of a slice that is brought back to the root. Our own number: some 10 ms. */
const MERGED_ROWS = 1000;

/** What the bucket stores: the sum of its shards, when no slice is between two. */
export function sumTotals(
  { split }: WholeBucketParts,
  input: { readonly bucket: BucketRef },
): Promise<readonly StorageTotals[]> {
  const { bucket } = input;
  return split.attempt(bucket, async (map) => {
    if (await split.closeGap(map)) return AGAIN;
    const sums = new Map<string, StorageTotals>();
    for (const shard of map) {
      const totals = await split.callShard(shard, bucket, 'getStorageTotals', {});
      for (const row of totals)
        sums.set(row.storageClass, addTotals(sums.get(row.storageClass), row));
    }
    return [...sums.values()].sort((a, b) => (a.storageClass < b.storageClass ? -1 : 1));
  });
}

function addTotals(sum: StorageTotals | undefined, row: StorageTotals): StorageTotals {
  if (sum === undefined) return row;
  const { storageClass, ...numbers } = row;
  const added = Object.entries(numbers).map(([name, value]) => [
    name,
    value + sum[name as keyof typeof numbers],
  ]);
  return { storageClass, ...Object.fromEntries(added) } as StorageTotals;
}

/** A call about what stands at the root alone. */
export function callRoot(
  { split }: WholeBucketParts,
  name: keyof IndexApi,
  input: { readonly bucket: BucketRef },
): Promise<unknown> {
  return split.attempt(input.bucket, ([root]) => split.callShard(root, input.bucket, name, input));
}

/**
 * Changes the record at the root, and then tells every other shard its number: from then
 * on nobody can act on an older one.
 *
 * A shard is made while the record changes, and stands in no map that was read before: it
 * would take calls that were decided on the old record. Guard: which shards there are is
 * read behind the change; whoever makes one later reads the record behind that.
 */
export async function changeRecord(
  parts: WholeBucketParts,
  name: keyof IndexApi,
  input: { readonly bucket: BucketRef },
): Promise<BucketRecord> {
  const { index, split } = parts;
  const { bucket } = input;
  return split.attempt(bucket, async ([root]) => {
    const changed = (await split.callShard(root, bucket, name, input)) as BucketRecord;
    const report = { record: changed.revision, isCapped: changed.settings.isCapped === true };
    const [, ...others] = (await readShardMap(index, bucket.name)) ?? [root];
    for (const shard of others)
      await index.call(bucket.name, 'reportRecord', { bucket: shard.bucket, ...report });
    return changed;
  });
}

/** A call that needs all keys in one index: the root's, where the bucket is together. */
export async function callTogether(
  parts: WholeBucketParts,
  name: keyof IndexApi,
  input: { readonly bucket: BucketRef },
): Promise<unknown> {
  const { split } = parts;
  const { bucket } = input;
  return split.attempt(bucket, async (map) => {
    if (!isTogether(map)) {
      await bringTogether({ ...parts, bucket: bucket.name });
      return AGAIN;
    }
    return split.callShard(map[0], bucket, name, input);
  });
}

/**
 * Whether the root has all keys, and none is about to go. What was given up to it and is
 * not adopted is not in its range, though no other shard has keys by then.
 */
function isTogether([{ range, frozen }]: ShardMap): boolean {
  return range?.from === '' && range.to === null && frozen === null;
}

/**
 * Moves all keys to the root. NotImplemented: they are more than one index takes.
 * ServiceUnavailable: others go on moving them away.
 */
export async function bringTogether(
  ports: MovingPorts & Pick<WholeBucketParts, 'togetherMaxRows'>,
): Promise<void> {
  await requireFewRows(ports);
  let map: ShardMap | null = null;
  for (let failures = 0; failures < TRIES_MAX; ) {
    map ??= await finishMoves(ports);
    if (map === null || shardsWithKeys(map).every((shard) => shard === map?.[0])) return;
    const move = nextToRoot(map);
    map = move === null ? null : await moveSlice(ports, map, move);
    if (map !== null) continue;
    failures += 1;
    await pause();
  }
  throw new StorageError('ServiceUnavailable', { cause: 'the bucket was not brought together' });
}

/** A slice next to the root's range that is to go to the root; null: no other shard touches it. */
function nextToRoot(map: ShardMap): WantedMove | null {
  const [root] = map;
  const others = shardsWithKeys(map).filter((shard) => shard !== root);
  const above = others.find(({ range }) => root.range === null || range?.from === root.range.to);
  const source = above ?? others.find(({ range }) => range?.to === root.range?.from);
  if (source === undefined) return null;
  const end = above === undefined ? 'upper' : 'lower';
  return { source, end, target: root.bucket, rows: MERGED_ROWS, mayBeLong: true };
}

async function requireFewRows(ports: Parameters<typeof bringTogether>[0]): Promise<void> {
  const { index, bucket: name, togetherMaxRows } = ports;
  const isBounded = togetherMaxRows !== Number.POSITIVE_INFINITY;
  const map = isBounded ? await readShardMap(index, name) : null;
  const shards = map === null ? [] : shardsWithKeys(map);
  if (shards.every((shard) => shard === map?.[0])) return;
  let rows = 0;
  for (const shard of shards) rows += await countRows(ports, refOfShard(shard));
  if (rows <= togetherMaxRows) return;
  throw new StorageError('NotImplemented', {
    detail: `The bucket is split into shards, and this needs its ${rows} versions in one index.`,
  });
}

/**
 * Deletes a bucket whose shards are all empty: first the shards, then the root, in which
 * they are counted as long as anything of them is left. BucketNotEmpty, BucketChanged.
 */
export async function deleteSplitBucket(
  parts: WholeBucketParts,
  input: Parameters<IndexApi['deleteBucket']>[0],
): Promise<void> {
  const { split } = parts;
  const { bucket, nowMs } = input;
  await requireNoVersions(parts, bucket);
  await split.attempt(bucket, async (map) => {
    const [root, ...others] = map;
    // The root may have given keys up behind its state, of which only their new owner tells.
    // Uploads that have come in would be counted, though uploads prevent no deletion.
    const isElsewhere = others.some(({ range }) => range !== null);
    if (!isTogether(map) || isElsewhere || map.some(({ incoming }) => incoming !== null)) {
      await bringTogether({ ...parts, bucket: bucket.name });
      return AGAIN;
    }
    for (const shard of others) await split.callShard(shard, bucket, 'deleteBucket', { nowMs });
    await split.callShard(root, bucket, 'deleteBucket', { nowMs });
    return null;
  });
}

/** BucketNotEmpty, before anything is moved for a deletion that will be refused. */
async function requireNoVersions({ split }: WholeBucketParts, bucket: BucketRef): Promise<void> {
  const page = { prefix: '', delimiter: '', afterKey: '', afterVersionId: '', maxKeys: 1 };
  await split.attempt(bucket, async (map) => {
    for (const shard of map) {
      const { versions } = await split.callShard(shard, bucket, 'listVersions', page);
      if (versions.length > 0)
        throw new StorageError('BucketNotEmpty', { fields: { BucketName: bucket.name } });
    }
    return null;
  });
}

/** Brings a bucket together for a call that names no revision. */
export async function bringTogetherFor(
  parts: WholeBucketParts,
  { bucket: { name } }: { readonly bucket: BucketAddress },
): Promise<void> {
  await bringTogether({ ...parts, bucket: name });
}
