// Moves slices between the shards of a bucket (ADR 53): freezes them, brings them in,
// gives them up, adopts them. It may die between any two calls, and each of these may be
// lost or come late: whoever reads the states goes on from there.
import { hasCode, StorageError } from '../../domain/errors.ts';
import type { BucketAddress, BucketName, BucketRef } from '../../domain/nouns.ts';
import type { ShardState } from '../../ports/index-calls/shard-calls.ts';
import type { MetadataIndex, NewBlobReference } from '../../ports/metadata-index.ts';
import type { Clock } from '../../ports/system.ts';
import { type MoveStep, nextStep } from './next-step.ts';
import { readShardMap, type ShardMap, shardIn, withState } from './shard-map.ts';

/** What moving works with. `bucket`: the name under which all of its shards are called. */
export type MovingPorts = {
  readonly index: Pick<MetadataIndex, 'call'>;
  readonly clock: Clock;
  readonly bucket: BucketName;
};

/** Rows that a key may have to be moved: it goes as a whole. Our own limit. */
export const MOVED_ROWS_MAX = 20_000;

/** A shard as calls name it that decide on its state. */
export const refOfShard = ({ bucket, revision }: ShardState): BucketRef => ({
  ...bucket,
  revision,
});

/** The versions of a bucket, or of one of its shards; markers are not counted. */
export async function countRows(ports: MovingPorts, bucket: BucketRef): Promise<number> {
  const totals = await ports.index.call(ports.bucket, 'getStorageTotals', { bucket });
  return totals.reduce((sum, row) => sum + row.currentCount + row.noncurrentCount, 0);
}

/**
 * Takes remote references for a shard to blobs that others own, and gives those as new
 * references of its rows. NoSuchBlob.
 */
export async function referTo(
  { index, clock, bucket }: MovingPorts,
  referrer: BucketAddress,
  blobs: readonly NewBlobReference[],
): Promise<readonly NewBlobReference[]> {
  const foreign = blobs.filter(
    ({ ownerBucket }) => ownerBucket !== null && ownerBucket.id !== referrer.id,
  );
  for (const ofOwner of Map.groupBy(foreign, ({ ownerBucket }) => ownerBucket?.id).values()) {
    const ownerBucket = ofOwner[0]?.ownerBucket ?? null;
    if (ownerBucket === null) continue;
    const isOfBucket = ownerBucket.name === bucket || ownerBucket.name.startsWith(`${bucket}~`);
    await index.call(isOfBucket ? bucket : ownerBucket.name, 'addRemoteReferences', {
      ownerBucket,
      blobIds: ofOwner.map(({ blobId }) => blobId),
      referrer,
      nowMs: clock.nowMs(),
    });
  }
  return foreign;
}

/**
 * Carries one step out, and gives the state of the shard that it was for; null: the slice
 * to bring in is gone. BucketChanged: a shard is gone.
 */
export async function carryOut(ports: MovingPorts, step: MoveStep): Promise<ShardState | null> {
  const { index, clock, bucket: name } = ports;
  const nowMs = clock.nowMs();
  const { epoch } = step;
  const source = step.source.bucket;
  switch (step.do) {
    case 'thaw':
      return index.call(name, 'thawSlice', { bucket: source, epoch });
    case 'give up':
      return index.call(name, 'giveUpSlice', { bucket: source, epoch, nowMs });
    case 'adopt':
      return index.call(name, 'adoptSlice', { bucket: step.target.bucket, source, epoch, nowMs });
    case 'drop':
      return index.call(name, 'dropSlice', { bucket: step.target.bucket, source, epoch, nowMs });
    default:
      return bringIn(ports, step.source, step.target.bucket);
  }
}

async function bringIn(
  ports: MovingPorts,
  { bucket: source, frozen }: ShardState,
  target: BucketAddress,
): Promise<ShardState | null> {
  const { index, clock, bucket: name } = ports;
  if (frozen === null) return null;
  const { epoch, range } = frozen;
  const slice = await index.call(name, 'exportSlice', { bucket: source, epoch });
  if (slice === null) return null;
  const newReferences = await referTo(ports, target, slice.blobs);
  return index.call(name, 'importSlice', {
    ...{ bucket: target, source, range, epoch, newReferences },
    rows: slice.rows,
    nowMs: clock.nowMs(),
  });
}

/**
 * Steps until nothing is under way, and gives the map. `known`: the states as the caller has
 * seen them; else all are read, and so they are when a step changed nothing. Each step
 * gives the state that it made, so a move costs the same among however many shards.
 * ServiceUnavailable: the states went on changing. NoSuchBlob: a blob is going to be swept,
 * and the slice is thawed.
 */
export async function finishMoves(
  ports: MovingPorts,
  known: ShardMap | null = null,
): Promise<ShardMap | null> {
  let map = known;
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    map ??= await readShardMap(ports.index, ports.bucket);
    const step = map === null ? null : nextStep(map);
    if (map === null || step === null) return map;
    const state = step.do === 'read again' ? null : await stepOrThaw(ports, step);
    const changed: ShardMap = state === null ? map : withState(map, state);
    map = changed === map ? null : changed;
  }
  throw new StorageError('ServiceUnavailable', { cause: 'the shards of a bucket keep changing' });
}

async function stepOrThaw(ports: MovingPorts, step: MoveStep): Promise<ShardState | null> {
  try {
    return await carryOut(ports, step);
  } catch (error) {
    if (step.do !== 'bring in') throw error;
    await carryOut(ports, { do: 'thaw', source: step.source, epoch: step.epoch });
    throw error;
  }
}

/** Steps of one run: a slice takes three, and other movers may work, too. */
const STEPS_MAX = 100;

/** A slice that is to go from one shard to another. */
export type WantedMove = {
  readonly source: ShardState;
  readonly end: 'lower' | 'upper';
  readonly target: BucketAddress;
  /** Rows that it should have; a key that has more goes as a whole. */
  readonly rows: number;
  /** Whether a key may go that has more than MOVED_ROWS_MAX. Default false. */
  readonly mayBeLong?: boolean;
};

/**
 * Moves one slice, and gives the map behind it; null: none can go now, since the source has
 * changed, or the target is sweeping a blob of it. ServiceUnavailable. Cost: seven calls.
 */
export async function moveSlice(
  ports: MovingPorts,
  map: ShardMap,
  move: WantedMove,
): Promise<ShardMap | null> {
  const { source, ...wanted } = move;
  const frozen = await freezeAtEnd(ports, source, wanted);
  if (frozen === null) return null;
  const after = await finishMoves(ports, withState(map, frozen)).catch((error: unknown) => {
    if (!hasCode(error, 'NoSuchBlob')) throw error;
    return null;
  });
  const gave = after === null ? null : shardIn(after, source.bucket.id)?.gave;
  return gave?.epoch === frozen.frozen?.epoch ? after : null;
}

/** Freezes some rows at an end of a shard, and gives its state; null: see `moveSlice`. */
async function freezeAtEnd(
  { index, bucket: name }: MovingPorts,
  source: ShardState,
  { end, target, rows, mayBeLong = false }: Omit<WantedMove, 'source'>,
): Promise<ShardState | null> {
  const bucket = refOfShard(source);
  try {
    const slice = await index.call(name, 'pickSlice', { bucket, end, rows });
    if (slice === null || (slice.rows > MOVED_ROWS_MAX && !mayBeLong)) return null;
    const { range } = slice;
    const state = await index.call(name, 'freezeSlice', { bucket, range, target });
    return state.frozen === null ? null : state;
  } catch (error) {
    if (!hasCode(error, 'BucketChanged')) throw error;
    return null;
  }
}
