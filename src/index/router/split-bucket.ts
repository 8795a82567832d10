// The shards of a split bucket as the router calls them: by the states that it has read,
// each call naming the revision of its shard. What is refused, waits or meets a gap is
// called again by newer states (ADR 53).
import { hasCode, StorageError } from '../../domain/errors.ts';
import type { BucketId, BucketName, BucketRef } from '../../domain/nouns.ts';
import type { ShardState } from '../../ports/index-calls/shard-calls.ts';
import type { IndexApi, MetadataIndex } from '../../ports/metadata-index.ts';
import type { Clock } from '../../ports/system.ts';
import { bucketChanged } from '../require-bucket.ts';
import { hasKey } from '../shards/key-ranges.ts';
import { carryOut, type MovingPorts } from './move-slices.ts';
import { nextStep } from './next-step.ts';
import { ownerOf, readShardMap, renewStates, type ShardMap } from './shard-map.ts';

/** An attempt that states did not allow: it begins again once they are read anew. */
export const AGAIN = Symbol('again');

/** How often a call is tried by other states, before its client has to retry. */
export const TRIES_MAX = 400;
/** Tries without a pause: a state that has changed is read again at once. */
const QUICK_TRIES = 5;
/** Between later tries, milliseconds: a slice moves in less than ten. */
const PAUSE_MS = 5;
/** All states are read each so many tries, should those of a few not tell what is new. */
const ALL_READ_EVERY = 50;
/** Tries after which a frozen slice is thawed: its mover may have died. */
const THAW_TRIES = 200;

/** Maps that are remembered: each is a hint, so all may be forgotten. */
const MAPS_MAX = 10_000;

export type SplitBuckets = {
  /** Whether a bucket of that name was split when it was called last. */
  knows(bucket: BucketName): boolean;
  /**
   * Runs an attempt by a map until it gives a result. BucketChanged: the caller decided
   * on another record, or the bucket is not split. ServiceUnavailable.
   */
  attempt<Result>(
    bucket: BucketRef,
    run: (map: ShardMap, tries: number) => Promise<Result | typeof AGAIN>,
  ): Promise<Result>;
  /** The owner of a key; AGAIN: there was a gap, which is closed by now, or a freeze. */
  ownerFor(
    map: ShardMap,
    key: string,
    use: { readonly isWrite: boolean; readonly tries: number },
  ): Promise<ShardState | typeof AGAIN>;
  /** Calls one shard in the place of the bucket. */
  callShard<Name extends keyof IndexApi>(
    shard: ShardState,
    ref: BucketRef,
    name: Name,
    input: object,
  ): Promise<ReturnType<IndexApi[Name]>>;
};

/** All shards are called under the name of their bucket, by which caches know it. */
export function createSplitBuckets(index: Pick<MetadataIndex, 'call'>, clock: Clock): SplitBuckets {
  const maps = new Map<BucketName, ShardMap>();
  /** Shards of each bucket that are not as its map has them. */
  const outdated = new Map<BucketName, Set<BucketId>>();

  function noteOutdated(bucket: BucketName, ...shards: readonly ShardState[]): void {
    const noted = outdated.get(bucket) ?? new Set();
    outdated.set(bucket, noted);
    for (const shard of shards) noted.add(shard.bucket.id);
  }

  /**
   * Reads anew what is outdated in the map that an attempt had, unless another attempt did;
   * all of it where that is not known, or no help. Each attempt reads for itself: an isolate
   * must not wait for I/O of another request.
   */
  async function renew(bucket: BucketName, map: ShardMap, tries: number): Promise<void> {
    if (maps.get(bucket) !== map) return;
    const noted = outdated.get(bucket);
    const isLittle = noted !== undefined && tries % ALL_READ_EVERY !== ALL_READ_EVERY - 1;
    const renewed = isLittle ? await renewStates(index, map, noted) : null;
    outdated.delete(bucket);
    if (renewed === null) maps.delete(bucket);
    else maps.set(bucket, renewed);
  }

  async function findMap(bucket: BucketRef): Promise<ShardMap> {
    const known = maps.get(bucket.name);
    const isCurrent = known?.[0].bucket.id === bucket.id && known[0].record >= bucket.revision;
    if (known !== undefined && isCurrent) return known;
    const map = await readShardMap(index, bucket.name);
    if (map === null || map[0].bucket.id !== bucket.id) throw bucketChanged(bucket.name);
    if (maps.size >= MAPS_MAX) {
      maps.clear();
      outdated.clear();
    }
    maps.set(bucket.name, map);
    return map;
  }

  const portsOf = (bucket: BucketName): MovingPorts => ({ index, clock, bucket });

  return {
    knows: (bucket) => maps.has(bucket),

    async attempt(bucket, run) {
      for (let tries = 0; tries < TRIES_MAX; tries++) {
        const map = await findMap(bucket);
        if (map[0].record !== bucket.revision) {
          maps.delete(bucket.name);
          throw bucketChanged(bucket.name);
        }
        try {
          const result = await run(map, tries);
          if (result !== AGAIN) return result;
        } catch (error) {
          if (!hasCode(error, 'BucketChanged')) throw error;
        }
        if (tries >= QUICK_TRIES) await pause();
        await renew(bucket.name, map, tries);
      }
      throw new StorageError('ServiceUnavailable', { cause: 'the shards keep changing' });
    },

    async ownerFor(map, key, { isWrite, tries }) {
      const name = map[0].bucket.name;
      const owner = ownerOf(map, key);
      if (owner === null) {
        const step = nextStep(map);
        if (step?.do !== 'adopt') return AGAIN;
        await carryOut(portsOf(name), step);
        noteOutdated(name, step.target, step.source);
        return AGAIN;
      }
      const { frozen } = owner;
      if (!isWrite || frozen === null || !hasKey(frozen.range, key)) return owner;
      noteOutdated(name, owner);
      if (tries >= THAW_TRIES)
        await carryOut(portsOf(name), { do: 'thaw', source: owner, epoch: frozen.epoch });
      return AGAIN;
    },

    async callShard(shard, ref, name, input) {
      // The shard knows of a later record than its caller has decided on.
      if (ref.revision < shard.record) throw bucketChanged(ref.name);
      const bucket = { ...ref, ...shard.bucket, revision: shard.revision };
      try {
        return await index.call(ref.name, name, { ...input, bucket } as never);
      } catch (error) {
        if (hasCode(error, 'BucketChanged')) noteOutdated(ref.name, shard);
        throw error;
      }
    },
  };
}

/** Lets others go on before the next try. */
export const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
