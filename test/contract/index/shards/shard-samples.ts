// Two shards of a bucket for the contracts, and the steps of a move by a mover that nothing
// befalls.
import type { BucketAddress, BucketName, BucketRef } from '../../../../src/domain/nouns.ts';
import type {
  ExportedSlice,
  KeyRange,
  ShardState,
} from '../../../../src/ports/index-calls/shard-calls.ts';
import type { MetadataIndex } from '../../../../src/ports/metadata-index.ts';
import { addressOf, bucketRecord, makeBucket, refOf, START_MS } from '../samples.ts';

/** When slices move in these tests. */
export const MOVE_MS = START_MS + 1000;

/** A bucket with all keys, and a shard beside it that has none. */
export async function makeShards(index: MetadataIndex) {
  const record = await makeBucket(index);
  const root = await index.call(record.name, 'noteShards', { bucket: refOf(record), made: 1 });
  const other = bucketRecord({ name: `${record.name}~1` as BucketName });
  const shard = await index.call(other.name, 'makeShard', { bucket: other, record: root.record });
  return { record, root, shard };
}

/** A shard as calls name it. */
export const refTo = (
  { bucket, revision }: ShardState,
  versioning: BucketRef['versioning'] = 'off',
): BucketRef => refOf({ ...bucket, revision, versioning });

export async function stateOf(index: MetadataIndex, { name }: BucketAddress): Promise<ShardState> {
  const state = await index.call(name, 'getShard', { name });
  if (state === null) throw new Error('There is no shard.');
  return state;
}

/** Freezes a slice of a shard that is to go to another one. */
export function freeze(
  index: MetadataIndex,
  source: ShardState,
  target: BucketAddress,
  range: KeyRange,
): Promise<ShardState> {
  const bucket = refTo(source);
  return index.call(bucket.name, 'freezeSlice', { bucket, range, target: addressOf(target) });
}

/** The epoch of the slice that is frozen. */
export function epochOf({ frozen }: ShardState): number {
  if (frozen === null) throw new Error('Nothing is frozen.');
  return frozen.epoch;
}

export async function exported(index: MetadataIndex, source: ShardState): Promise<ExportedSlice> {
  const { bucket } = source;
  const epoch = epochOf(source);
  const slice = await index.call(bucket.name, 'exportSlice', { bucket, epoch });
  if (slice === null) throw new Error('Nothing is frozen under that epoch.');
  return slice;
}

/** Brings what is frozen into the target, with remote references to the blobs. */
export async function bringIn(
  index: MetadataIndex,
  source: ShardState,
  target: BucketAddress,
  slice?: ExportedSlice,
): Promise<ShardState> {
  const { rows, blobs } = slice ?? (await exported(index, source));
  const foreign = blobs.filter(({ ownerBucket }) => ownerBucket.id !== target.id);
  for (const { blobId, ownerBucket } of foreign) {
    await index.call(ownerBucket.name, 'addRemoteReferences', {
      ownerBucket,
      blobIds: [blobId],
      referrer: target,
      nowMs: MOVE_MS,
    });
  }
  return index.call(target.name, 'importSlice', {
    bucket: target,
    source: source.bucket,
    range: source.frozen?.range ?? { from: '', to: null },
    epoch: epochOf(source),
    rows,
    newReferences: foreign,
    nowMs: MOVE_MS,
  });
}

export const giveUp = (
  index: MetadataIndex,
  bucket: BucketAddress,
  epoch: number,
  nowMs = MOVE_MS,
) => index.call(bucket.name, 'giveUpSlice', { bucket, epoch, nowMs });

export const adopt = (
  index: MetadataIndex,
  bucket: BucketAddress,
  source: BucketAddress,
  epoch: number,
  nowMs = MOVE_MS,
) => index.call(bucket.name, 'adoptSlice', { bucket, source, epoch, nowMs });

/** Moves a slice as it should be; gives both shards as they are then. */
export async function move(
  index: MetadataIndex,
  from: BucketAddress,
  to: BucketAddress,
  range: KeyRange,
  nowMs = MOVE_MS,
): Promise<{ readonly source: ShardState; readonly target: ShardState }> {
  const frozen = await freeze(index, await stateOf(index, from), to, range);
  const epoch = epochOf(frozen);
  await bringIn(index, frozen, to);
  const source = await giveUp(index, from, epoch, nowMs);
  return { source, target: await adopt(index, to, from, epoch, nowMs) };
}
