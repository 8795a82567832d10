// Moves slices between the shards of a bucket (ADR 53): freezes them, brings them in,
// gives them up, adopts them. It may die between any two calls, and each of these may be
// lost or come late: whoever reads the states goes on from there.
import { hasCode, StorageError } from '../../domain/errors.ts';
import type { BucketAddress, BucketName, BucketRef } from '../../domain/nouns.ts';
import type { MovingSlice, ShardState } from '../../ports/index-calls/shard-calls.ts';
import type { MetadataIndex, NewBlobReference } from '../../ports/metadata-index.ts';
import type { Clock } from '../../ports/system.ts';
import { type MoveStep, nextStep } from './next-step.ts';
import { readShardMap, type ShardMap } from './shard-map.ts';

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

/** Carries one step out. BucketChanged: a shard is gone. */
export async function carryOut(ports: MovingPorts, step: MoveStep): Promise<void> {
  const { index, clock, bucket: name } = ports;
  const nowMs = clock.nowMs();
  const { epoch } = step;
  const source = step.source.bucket;
  switch (step.do) {
    case 'thaw':
      await index.call(name, 'thawSlice', { bucket: source, epoch });
      return;
    case 'give up':
      await index.call(name, 'giveUpSlice', { bucket: source, epoch, nowMs });
      return;
    case 'adopt':
      await index.call(name, 'adoptSlice', { bucket: step.target.bucket, source, epoch, nowMs });
      return;
    case 'drop':
      await index.call(name, 'dropSlice', { bucket: step.target.bucket, source, epoch, nowMs });
      return;
    default:
      await bringIn(ports, step.source, step.target.bucket);
  }
}

async function bringIn(
  ports: MovingPorts,
  { bucket: source, frozen }: ShardState,
  target: BucketAddress,
): Promise<void> {
  const { index, clock, bucket: name } = ports;
  if (frozen === null) return;
  const { epoch, range } = frozen;
  const slice = await index.call(name, 'exportSlice', { bucket: source, epoch });
  if (slice === null) return;
  const newReferences = await referTo(ports, target, slice.blobs);
  await index.call(name, 'importSlice', {
    ...{ bucket: target, source, range, epoch, newReferences },
    rows: slice.rows,
    nowMs: clock.nowMs(),
  });
}

/**
 * Steps until nothing is under way, and gives the map. ServiceUnavailable: the states
 * went on changing. NoSuchBlob: a blob is going to be swept, and the slice is thawed.
 */
export async function finishMoves(ports: MovingPorts): Promise<ShardMap | null> {
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    const map = await readShardMap(ports.index, ports.bucket);
    const step = map === null ? null : nextStep(map);
    if (step === null) return map;
    if (step.do === 'read again') continue;
    try {
      await carryOut(ports, step);
    } catch (error) {
      if (step.do !== 'bring in') throw error;
      await carryOut(ports, { do: 'thaw', source: step.source, epoch: step.epoch });
      throw error;
    }
  }
  throw new StorageError('ServiceUnavailable', { cause: 'the shards of a bucket keep changing' });
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
 * Moves one slice. False: none can go now, since the source has changed, or the target is
 * sweeping a blob of it. ServiceUnavailable. Cost: seven calls, and as many as there are
 * shards for each step.
 */
export async function moveSlice(ports: MovingPorts, move: WantedMove): Promise<boolean> {
  const { source, ...wanted } = move;
  const frozen = await freezeAtEnd(ports, source, wanted);
  if (frozen === null) return false;
  const map = await finishMoves(ports).catch((error: unknown) => {
    if (!hasCode(error, 'NoSuchBlob')) throw error;
    return null;
  });
  const after = map?.find((state) => state.bucket.id === source.bucket.id);
  return after?.gave?.epoch === frozen.epoch;
}

/** Freezes some rows at an end of a shard; null: see `moveSlice`. */
async function freezeAtEnd(
  { index, bucket: name }: MovingPorts,
  source: ShardState,
  { end, target, rows, mayBeLong = false }: Omit<WantedMove, 'source'>,
): Promise<MovingSlice | null> {
  const bucket = refOfShard(source);
  try {
    const slice = await index.call(name, 'pickSlice', { bucket, end, rows });
    if (slice === null || (slice.rows > MOVED_ROWS_MAX && !mayBeLong)) return null;
    const { range } = slice;
    const { frozen } = await index.call(name, 'freezeSlice', { bucket, range, target });
    return frozen;
  } catch (error) {
    if (!hasCode(error, 'BucketChanged')) throw error;
    return null;
  }
}
