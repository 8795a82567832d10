// The maps of split buckets that an isolate remembers, and which shards are not as its map
// has them. Each map is a hint (ADR 53). Used by split-bucket.ts, whose attempts go by one
// of them and have it renewed when it was wrong.
import type { BucketId, BucketName, BucketRef } from '../../domain/nouns.ts';
import type { ShardState } from '../../ports/index-calls/shard-calls.ts';
import type { MetadataIndex } from '../../ports/metadata-index.ts';
import { bucketChanged } from '../require-bucket.ts';
import { readShardMap, renewStates, type ShardMap, withState } from './shard-map.ts';

/** Maps that are remembered: each is a hint, so all may be forgotten. */
const MAPS_MAX = 10_000;
/** All states are read each so many tries, should those of a few not tell what is new. */
const ALL_READ_EVERY = 50;

export type KnownMaps = {
  has(bucket: BucketName): boolean;
  /** The map of a bucket, which is read where none is known. BucketChanged: it has none. */
  find(bucket: BucketRef): Promise<ShardMap>;
  forget(bucket: BucketName): void;
  /** Notes that a shard is not as the map has it. */
  noteOutdated(bucket: BucketName, shard: ShardState): void;
  /** Takes a state in that a step has made, if this is still the bucket's map. */
  takeIn(map: ShardMap, state: ShardState): void;
  /**
   * Reads anew what is outdated in the map that an attempt had, unless another attempt did;
   * all of it where that is not known, or no help. Each attempt reads for itself: an isolate
   * must not wait for I/O of another request.
   */
  renew(map: ShardMap, tries: number): Promise<void>;
};

export function createKnownMaps(index: Pick<MetadataIndex, 'call'>): KnownMaps {
  const maps = new Map<BucketName, ShardMap>();
  const outdated = new Map<BucketName, Set<BucketId>>();

  return {
    has: (bucket) => maps.has(bucket),

    async find({ id, name, revision }) {
      const known = maps.get(name);
      const isCurrent = known?.[0].bucket.id === id && known[0].record >= revision;
      if (known !== undefined && isCurrent) return known;
      const map = await readShardMap(index, name);
      if (map === null || map[0].bucket.id !== id) throw bucketChanged(name);
      if (maps.size >= MAPS_MAX) {
        maps.clear();
        outdated.clear();
      }
      maps.set(name, map);
      return map;
    },

    forget: (bucket) => void maps.delete(bucket),

    noteOutdated(bucket, shard) {
      const noted = outdated.get(bucket) ?? new Set();
      outdated.set(bucket, noted.add(shard.bucket.id));
    },

    takeIn(map, state) {
      const { name } = map[0].bucket;
      if (maps.get(name) === map) maps.set(name, withState(map, state));
    },

    async renew(map, tries) {
      const { name } = map[0].bucket;
      if (maps.get(name) !== map) return;
      const noted = outdated.get(name);
      const isLittle = noted !== undefined && tries % ALL_READ_EVERY !== ALL_READ_EVERY - 1;
      const renewed = isLittle ? await renewStates(index, map, noted) : null;
      outdated.delete(name);
      if (renewed === null) maps.delete(name);
      else maps.set(name, renewed);
    },
  };
}
