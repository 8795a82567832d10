// The shards of a split bucket as the router calls them: by the states that it has read,
// each call naming the revision of its shard. What is refused, waits or meets a gap is
// called again by newer states (ADR 53).
import { hasCode, StorageError } from '../../domain/errors.ts';
import type { BucketName, BucketRef } from '../../domain/nouns.ts';
import type { ShardState } from '../../ports/index-calls/shard-calls.ts';
import type { IndexApi, MetadataIndex } from '../../ports/metadata-index.ts';
import type { Clock } from '../../ports/system.ts';
import { bucketChanged } from '../require-bucket.ts';
import { hasKey } from '../shards/key-ranges.ts';
import { createKnownMaps } from './known-maps.ts';
import { carryOut, type MovingPorts } from './move-slices.ts';
import { nextStep } from './next-step.ts';
import { ownerOf, type ShardMap } from './shard-map.ts';

/** An attempt that states did not allow: it begins again once they are read anew. */
export const AGAIN = Symbol('again');

/** How often a call is tried by other states, before its client has to retry. */
export const TRIES_MAX = 400;
/** Tries without a pause: a state that has changed is read again at once. */
const QUICK_TRIES = 5;
/** Between later tries, milliseconds: a slice moves in less than ten. */
const PAUSE_MS = 5;
/** Tries after which a frozen slice is thawed: its mover may have died. */
const THAW_TRIES = 200;

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
  /**
   * Whether a slice is between two shards by this map, or its states do not fit. What was
   * given up is adopted then.
   */
  closeGap(map: ShardMap): Promise<boolean>;
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
  const maps = createKnownMaps(index);
  const portsOf = (bucket: BucketName): MovingPorts => ({ index, clock, bucket });

  async function closeGap(map: ShardMap): Promise<boolean> {
    const step = nextStep(map);
    if (step?.do !== 'adopt') return step?.do === 'read again';
    const state = await carryOut(portsOf(map[0].bucket.name), step);
    if (state !== null) maps.takeIn(map, state);
    return true;
  }

  return {
    knows: maps.has,
    closeGap,

    async attempt(bucket, run) {
      for (let tries = 0; tries < TRIES_MAX; tries++) {
        const map = await maps.find(bucket);
        if (map[0].record !== bucket.revision) {
          maps.forget(bucket.name);
          throw bucketChanged(bucket.name);
        }
        try {
          const result = await run(map, tries);
          if (result !== AGAIN) return result;
        } catch (error) {
          if (!hasCode(error, 'BucketChanged')) throw error;
        }
        if (tries >= QUICK_TRIES) await pause();
        await maps.renew(map, tries);
      }
      throw new StorageError('ServiceUnavailable', { cause: 'the shards keep changing' });
    },

    async ownerFor(map, key, { isWrite, tries }) {
      const name = map[0].bucket.name;
      const owner = ownerOf(map, key);
      if (owner === null) {
        await closeGap(map);
        return AGAIN;
      }
      const { frozen } = owner;
      if (!isWrite || frozen === null || !hasKey(frozen.range, key)) return owner;
      maps.noteOutdated(name, owner);
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
        if (hasCode(error, 'BucketChanged')) maps.noteOutdated(ref.name, shard);
        throw error;
      }
    },
  };
}

/** Lets others go on before the next try. */
export const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
