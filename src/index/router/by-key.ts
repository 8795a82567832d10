// Calls about keys of a split bucket: each goes to the owner of its key; one of several
// keys goes to the owners of all, group by group. Called by shard-router.ts.
import { hasCode } from '../../domain/errors.ts';
import type { BlobId, BucketRef, ObjectKey, Segment } from '../../domain/nouns.ts';
import type { ShardState } from '../../ports/index-calls/shard-calls.ts';
import type {
  FilledPack,
  IndexApi,
  MetadataIndex,
  NewBlobReference,
} from '../../ports/metadata-index.ts';
import type { Clock } from '../../ports/system.ts';
import { isIndexCommand } from '../call-kinds.ts';
import { referTo } from './move-slices.ts';
import type { ShardMap } from './shard-map.ts';
import { AGAIN, type SplitBuckets } from './split-bucket.ts';

type Input<Name extends keyof IndexApi> = Parameters<IndexApi[Name]>[0];
type AnyInput = { readonly bucket: BucketRef };
/** What calls of keys are made with. */
export type KeyCallParts = {
  /** For remote references, which other buckets' shards may have to give. */
  readonly index: Pick<MetadataIndex, 'call'>;
  readonly clock: Clock;
  readonly split: SplitBuckets;
};

/** The key that a call is about; null: it is about several. */
function keyOf(name: keyof IndexApi, input: AnyInput): ObjectKey | null {
  if (name === 'commitObject') return (input as Input<'commitObject'>).object.key;
  if (name === 'createUpload') return (input as Input<'createUpload'>).upload.key;
  return (input as { readonly key?: ObjectKey }).key ?? null;
}

/** Calls the owner of the key, or of each key. */
export function callByKey(
  parts: KeyCallParts,
  name: keyof IndexApi,
  input: AnyInput,
): Promise<unknown> {
  const key = keyOf(name, input);
  if (key !== null) return callOwner(parts, key, name, input);
  if (name === 'deleteObjects') return deleteByKey(parts, input as Input<'deleteObjects'>);
  return readByKey(parts, name, input as Input<'getObjects'>);
}

function callOwner(
  parts: KeyCallParts,
  key: ObjectKey,
  name: keyof IndexApi,
  input: AnyInput,
): Promise<unknown> {
  const { split } = parts;
  const isWrite = isIndexCommand(name);
  return split.attempt(input.bucket, async (map, tries) => {
    const owner = await split.ownerFor(map, key, { isWrite, tries });
    if (owner === AGAIN) return AGAIN;
    if (name === 'completeUpload')
      return completeUpload(parts, map, owner, input as Input<'completeUpload'>);
    if (name === 'commitObject' || name === 'commitPart' || name === 'exchangeBody')
      return commitAt(parts, map, owner, name, input);
    return split.callShard(owner, input.bucket, name, input);
  });
}

/** Whoever repeats a completion is answered by the shard that has its result. */
async function completeUpload(
  { split }: KeyCallParts,
  map: ShardMap,
  owner: ShardState,
  input: Input<'completeUpload'>,
): Promise<unknown> {
  try {
    return await split.callShard(owner, input.bucket, 'completeUpload', input);
  } catch (error) {
    if (!hasCode(error, 'NoSuchUpload')) throw error;
    for (const other of map) {
      if (other === owner) continue;
      const found = await split
        .callShard(other, input.bucket, 'completeUpload', input)
        .catch((reason: unknown) => {
          if (!hasCode(reason, 'NoSuchUpload')) throw reason;
          return null;
        });
      if (found !== null) return found;
    }
    throw error;
  }
}

/** The blobs that a commit refers to, and those of them that it brings. */
function blobsOfCommit(name: keyof IndexApi, input: AnyInput) {
  if (name === 'exchangeBody') {
    const { newReference } = input as Input<'exchangeBody'>;
    return { segments: [], newReferences: [newReference] };
  }
  const { newReferences } = input as Input<'commitObject'>;
  const { segments } =
    name === 'commitObject'
      ? (input as Input<'commitObject'>).object
      : (input as Input<'commitPart'>).part;
  return { segments: segments as readonly Segment[], newReferences };
}

/**
 * Commits at a shard, which says whose pack is full with it. A blob of another bucket gets
 * a remote reference of the shard's own, for the core took one for the root; and so does a
 * blob that another shard of this bucket owns.
 */
async function commitAt(
  { index, clock, split }: KeyCallParts,
  map: ShardMap,
  owner: ShardState,
  name: 'commitObject' | 'commitPart' | 'exchangeBody',
  input: AnyInput,
): Promise<unknown> {
  const { bucket } = input;
  const isRoot = owner === map[0];
  const ports = { index, clock, bucket: bucket.name };
  const { segments, newReferences } = blobsOfCommit(name, input);
  if (!isRoot) await referTo(ports, owner.bucket, newReferences);
  const commit = async (commitInput: object) => {
    const result = await split.callShard(owner, bucket, name, commitInput);
    const isFull = (result as FilledPack | null)?.fullPack !== undefined;
    return isFull && !isRoot ? { ...(result as FilledPack), packOwner: owner.bucket } : result;
  };
  try {
    return await commit(input);
  } catch (error) {
    if (!hasCode(error, 'NoSuchBlob')) throw error;
    const brought = new Set(newReferences.map(({ blobId }) => blobId));
    const missing = segments.map(({ blobId }) => blobId).filter((blobId) => !brought.has(blobId));
    const located = await locateBlobs(index, map, [...new Set(missing)]);
    const elsewhere = located.filter(({ ownerBucket }) => ownerBucket?.id !== owner.bucket.id);
    if (elsewhere.length === 0) throw error;
    const referred = await referTo(ports, owner.bucket, elsewhere);
    const all = [...newReferences, ...referred];
    return commit({ ...input, newReferences: all });
  }
}

/** Finds those of some blobs that any shard knows, with the owner of each. */
export async function locateBlobs(
  index: Pick<MetadataIndex, 'call'>,
  map: ShardMap,
  blobIds: readonly BlobId[],
): Promise<readonly NewBlobReference[]> {
  const found = new Map<BlobId, NewBlobReference>();
  for (const { bucket } of map) {
    const left = blobIds.filter((blobId) => !found.has(blobId));
    if (left.length === 0) break;
    const name = map[0].bucket.name;
    const blobs = await index.call(name, 'locateBlobs', { bucket, blobIds: left });
    for (const blob of blobs) found.set(blob.blobId, blob);
  }
  return [...found.values()];
}

/** Runs a part of a call for all keys of an owner, owner by owner; keys go by position. */
async function forEachOwner(
  { split }: KeyCallParts,
  bucket: BucketRef,
  keys: readonly ObjectKey[],
  isWrite: boolean,
  run: (owner: ShardState, positions: readonly number[]) => Promise<void>,
): Promise<void> {
  const left = new Set(keys.keys());
  await split.attempt(bucket, async (map, tries) => {
    // Even without keys it shall be said that the record is another.
    if (keys.length === 0) await split.callShard(map[0], bucket, 'getObjects', { keys });
    while (left.size > 0) {
      const [first = 0] = left;
      const owner = await split.ownerFor(map, keys[first] ?? '', { isWrite, tries });
      if (owner === AGAIN) return AGAIN;
      const positions: number[] = [];
      for (const position of left) {
        const other = await split.ownerFor(map, keys[position] ?? '', { isWrite, tries });
        if (other === owner) positions.push(position);
      }
      await run(owner, positions);
      for (const position of positions) left.delete(position);
    }
    return null;
  });
}

/** Each target is deleted by itself; those of one key stay in their order. */
async function deleteByKey(parts: KeyCallParts, input: Input<'deleteObjects'>): Promise<unknown> {
  const { bucket, targets } = input;
  const keys = targets.map(({ key }) => key);
  const results: unknown[] = [];
  await forEachOwner(parts, bucket, keys, true, async (owner, positions) => {
    const own = positions.flatMap((position) => targets[position] ?? []);
    const deleted = await parts.split.callShard(owner, bucket, 'deleteObjects', {
      ...input,
      targets: own,
    });
    for (const [at, position] of positions.entries()) results[position] = deleted[at];
  });
  return results;
}

/** Reads of several keys: current objects in the order of the keys, or grants. */
async function readByKey(
  parts: KeyCallParts,
  name: keyof IndexApi,
  input: Input<'getObjects'>,
): Promise<unknown> {
  const { bucket, keys } = input;
  const results: unknown[] = [];
  await forEachOwner(parts, bucket, keys, false, async (owner, positions) => {
    const own = positions.flatMap((position) => keys[position] ?? []);
    const read = await parts.split.callShard(owner, bucket, name, { ...input, keys: own });
    const rows = read as readonly unknown[];
    if (name === 'listAcls') results.push(...rows);
    else for (const [at, position] of positions.entries()) results[position] = rows[at];
  });
  return results;
}
