// Splits shards that have become too large, and joins neighbours that have become small,
// behind the calls that made them so (ADR 53). It looks at a bucket now and then as its
// keys change, and remembers nothing that may not get lost. Made by the roots of a
// platform, for the router to report to.
import { PRIVATE_ACCESS } from '../../domain/bucket-access.ts';
import { NO_SETTINGS } from '../../domain/bucket-settings.ts';
import { hasCode } from '../../domain/errors.ts';
import type { AccountId, BucketName, BucketRecord, BucketRef } from '../../domain/nouns.ts';
import type { ShardState } from '../../ports/index-calls/shard-calls.ts';
import type { MetadataIndex } from '../../ports/metadata-index.ts';
import type { Background, Clock } from '../../ports/system.ts';
import { type BucketWatcher, createGrowthWatcher } from './growth-watcher.ts';
import { countRows, finishMoves, type MovingPorts, moveSlice, refOfShard } from './move-slices.ts';
import {
  idOfShard,
  nameOfShard,
  type ShardMap,
  shardIn,
  shardsWithKeys,
  withState,
} from './shard-map.ts';

export type SplitterOptions = {
  readonly index: Pick<MetadataIndex, 'call'>;
  readonly clock: Clock;
  readonly background: Background;
  /** Versions, markers not counted, that a shard may have before it is split. */
  readonly rows: number;
  /** Ends splitting and joining behind the slice under way; the next start goes on. */
  readonly stopping?: AbortSignal;
};
type SplittingPorts = MovingPorts & { readonly isStopping: () => boolean };

/** Rows of a slice: writes to it wait some 10 ms. Our own number. */
const SLICE_ROWS = 300;
/** Neighbours are joined when both have less than such a share of the rows of a shard. */
const JOINED_SHARE = 0.25;
/** Splits of one look; the next goes on. */
const SPLITS_MAX = 100;

export type ShardSplitter = BucketWatcher & {
  /**
   * Splits and joins the shards of a bucket until none is too large, or too small, or the
   * bucket is needed in one index.
   */
  balance(bucket: BucketName): Promise<void>;
};

/** A splitter of all buckets of an index. */
export function createShardSplitter(options: SplitterOptions): ShardSplitter {
  const { index, clock, background, rows, stopping } = options;
  const isStopping = () => stopping?.aborted === true;
  const underWay = new Set<BucketName>();
  const watcher = createGrowthWatcher(options, (name) => {
    if (!isStopping()) background.run('balance-shards', () => balance(name));
  });

  async function balance(bucket: BucketName): Promise<void> {
    if (underWay.has(bucket)) return;
    underWay.add(bucket);
    try {
      const isOver = () => isStopping() || watcher.isTogether(bucket);
      await balanceShards({ index, clock, bucket, isStopping: isOver }, rows);
    } catch (error) {
      // Another mover was faster: the next look sees what is left to do.
      if (!hasCode(error, 'BucketChanged')) throw error;
    } finally {
      underWay.delete(bucket);
    }
  }

  return { ...watcher, balance };
}

/** Splits the shards that are too large, and their halves; then joins two small ones. */
async function balanceShards(ports: SplittingPorts, rows: number): Promise<void> {
  for (let splits = 0; splits < SPLITS_MAX; splits++) {
    if (ports.isStopping()) return;
    const map = await openMap(ports, rows);
    if (map === null) return;
    const large = await findLarge(ports, map, rows);
    if (large === null) break;
    await splitShard(ports, large.shard, large.count, rows);
  }
  await joinSmall(ports, rows);
}

async function findLarge(ports: MovingPorts, map: ShardMap, rows: number) {
  for (const shard of shardsWithKeys(map)) {
    const count = await countRows(ports, refOfShard(shard));
    if (count > rows) return { shard, count };
  }
  return null;
}

/** The shards of a bucket; one that is large enough has its first. Null: it is small. */
async function openMap(ports: MovingPorts, rows: number): Promise<ShardMap | null> {
  const { index, bucket: name } = ports;
  const known = await finishMoves(ports);
  if (known !== null) return known;
  const record = await index.call(name, 'getBucket', { name });
  if (record === null) return null;
  const bucket: BucketRef = { id: record.id, name, revision: record.revision };
  if ((await countRows(ports, bucket)) <= rows) return null;
  return [await index.call(name, 'noteShards', { bucket, made: 0 })];
}

/** Moves the upper half of a shard to one that has no keys, slice by slice. */
async function splitShard(
  ports: SplittingPorts,
  { bucket: { id } }: ShardState,
  count: number,
  rows: number,
): Promise<void> {
  const ready = await openTarget(ports);
  if (ready === null) return;
  const { target } = ready;
  let map: ShardMap | null = ready.map;
  const slice = Math.max(1, Math.min(SLICE_ROWS, Math.floor(rows / 4)));
  for (let left = Math.floor(count / 2); left > 0; left -= slice) {
    const source = map === null || ports.isStopping() ? null : shardIn(map, id);
    if (map === null || source === null) return;
    const wanted = { source, end: 'upper', target: target.bucket, rows: slice } as const;
    map = await moveSlice(ports, map, wanted);
  }
}

/**
 * Finds a shard without keys, which is made where there is none, and the map that has it; null:
 * others were faster.
 */
async function openTarget(
  ports: MovingPorts,
): Promise<{ readonly map: ShardMap; readonly target: ShardState } | null> {
  const { index, bucket: name } = ports;
  const map = await finishMoves(ports);
  if (map === null) return null;
  const [root, ...others] = map;
  const record = await index.call(name, 'getBucket', { name });
  const isIdle = ({ range, incoming }: ShardState) => range === null && incoming === null;
  const made = others.some(isIdle) ? null : await makeNextShard(ports, root, record);
  let now = await finishMoves(ports);
  if (now?.[0].bucket.id !== root.bucket.id) {
    // The bucket was deleted before its last shard was made: nobody else knows of that.
    const nowMs = ports.clock.nowMs();
    if (made !== null) await index.call(name, 'deleteBucket', { bucket: refOfShard(made), nowMs });
    return null;
  }
  // A change of the record may have missed it while it was made. Hours of a bucket that
  // may be capped are collected sooner, which does no harm.
  const [{ record: latest }, ...shards] = now;
  const isCapped = record?.settings.isCapped === true || record?.revision !== latest;
  for (const { bucket, record: known } of shards) {
    if (known >= latest) continue;
    const report = { bucket, record: latest, isCapped };
    now = withState(now, await index.call(name, 'reportRecord', report));
  }
  const target = now.slice(1).find(isIdle);
  return target === undefined ? null : { map: now, target };
}

/** Makes one more shard, which has no keys. BucketChanged. */
async function makeNextShard(
  ports: MovingPorts,
  root: ShardState,
  record: BucketRecord | null,
): Promise<ShardState> {
  const { index, bucket: name } = ports;
  const made = root.made + 1;
  await index.call(name, 'noteShards', { bucket: refOfShard(root), made });
  const bucket = {
    id: idOfShard(root.bucket.id, made),
    name: nameOfShard(name, made),
    ownerId: record?.ownerId ?? ('' as AccountId),
    createdAtMs: ports.clock.nowMs(),
    revision: 1,
    access: PRIVATE_ACCESS,
    settings: { ...NO_SETTINGS, isCapped: record?.settings.isCapped ?? null },
  };
  return index.call(name, 'makeShard', { bucket, record: root.record });
}

/** Joins the first two neighbours that are both small; the next look joins more. */
async function joinSmall(ports: SplittingPorts, rows: number): Promise<void> {
  const map = await finishMoves(ports);
  if (map === null) return;
  const shards = shardsWithKeys(map);
  for (const target of shards) {
    const source = shards.find(({ range }) => range?.from === target.range?.to && range !== null);
    if (source === undefined || source === target || target.range?.to === null) continue;
    const counts = [
      await countRows(ports, refOfShard(target)),
      await countRows(ports, refOfShard(source)),
    ];
    if (counts.every((count) => count < rows * JOINED_SHARE)) {
      await joinShards(ports, map, { source, target });
      return;
    }
  }
}

/** Moves all that a shard has to its lower neighbour. */
async function joinShards(
  ports: SplittingPorts,
  seen: ShardMap,
  { source, target }: { readonly source: ShardState; readonly target: ShardState },
): Promise<void> {
  let map: ShardMap | null = seen;
  while (map !== null && !ports.isStopping()) {
    const from = shardIn(map, source.bucket.id);
    if (from === null || from.range === null) return;
    const wanted = { end: 'lower', target: target.bucket, rows: SLICE_ROWS } as const;
    map = await moveSlice(ports, map, { source: from, ...wanted });
  }
}
