// The shards family of the index (ADR 53): the state of a shard, and the steps by which
// a slice of its keys moves to another one. Each step decides on what this database
// alone has stored, so it may come late, again or never. test/index/shards proves the
// protocol; what a mover does next is the router's to say.
import { StorageError } from '../../domain/errors.ts';
import type { BucketAddress } from '../../domain/nouns.ts';
import type { MovingSlice } from '../../ports/index-calls/shard-calls.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { createBucketCalls } from '../buckets/buckets.ts';
import { requireBucket } from '../require-bucket.ts';
import { beginShards } from './begin-shards.ts';
import { exportSlice, locateBlobs, pickSlice } from './export-slice.ts';
import { giveUpRows } from './give-up-rows.ts';
import { adoptIncoming, dropIncoming, writeIncoming } from './import-slice.ts';
import { isAtEnd, joinRanges, withoutSlice } from './key-ranges.ts';
import {
  changeState,
  countShards,
  findShard,
  NO_KEYS,
  publicState,
  requireShard,
  type Shard,
  setCapped,
} from './shard-rows.ts';

type ShardCalls = Pick<
  IndexApi,
  | 'getShard'
  | 'countShards'
  | 'locateBlobs'
  | 'pickSlice'
  | 'exportSlice'
  | 'noteShards'
  | 'makeShard'
  | 'reportRecord'
  | 'freezeSlice'
  | 'thawSlice'
  | 'importSlice'
  | 'dropSlice'
  | 'giveUpSlice'
  | 'adoptSlice'
>;

/** The shard that a caller names with the revision that it knows. BucketChanged. */
function openShard(sql: Sql, bucket: Parameters<typeof requireBucket>[1]): Shard {
  requireBucket(sql, bucket);
  return requireShard(sql, bucket);
}

/** Finds the slice that comes in from a source under an epoch. */
function incomingOf(
  { state }: Shard,
  { source, epoch }: { source: BucketAddress; epoch: number },
): MovingSlice | null {
  const { incoming } = state;
  return incoming?.shard.id === source.id && incoming.epoch === epoch ? incoming : null;
}

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createShardCalls(sql: Sql): ShardCalls {
  return { ...createStateCalls(sql), ...createSourceCalls(sql), ...createTargetCalls(sql) };
}

type StateCalls = Pick<
  ShardCalls,
  'getShard' | 'countShards' | 'locateBlobs' | 'noteShards' | 'makeShard' | 'reportRecord'
>;

/** The calls about the state alone. */
function createStateCalls(sql: Sql): StateCalls {
  return {
    getShard({ name }) {
      const shard = findShard(sql, name);
      return shard === null ? null : publicState(shard);
    },

    countShards: ({ name }) => countShards(sql, name),

    locateBlobs({ bucket, blobIds }) {
      const { n, state } = requireShard(sql, bucket);
      return locateBlobs(sql, n, state.bucket, blobIds);
    },

    noteShards({ bucket, made }) {
      const n = requireBucket(sql, bucket);
      if (findShard(sql, bucket.name) === null) beginShards(sql, n);
      const shard = requireShard(sql, bucket);
      return changeState(sql, shard, { made: Math.max(made, shard.state.made) });
    },

    makeShard({ bucket, record }) {
      const known = findShard(sql, bucket.name);
      if (known !== null) return publicState(requireShard(sql, bucket));
      createBucketCalls(sql).createBucket({ bucket });
      const n = requireBucket(sql, bucket);
      const { id, name, revision } = bucket;
      const state = { ...NO_KEYS, bucket: { id, name }, revision, record };
      return changeState(sql, { n, state }, { record });
    },

    reportRecord({ bucket, record, isCapped = false }) {
      const shard = requireShard(sql, bucket);
      if (record <= shard.state.record) return publicState(shard);
      setCapped(sql, shard, isCapped);
      return changeState(sql, shard, { record });
    },
  };
}

type SourceCalls = Pick<
  ShardCalls,
  'pickSlice' | 'exportSlice' | 'freezeSlice' | 'thawSlice' | 'giveUpSlice'
>;

/** The calls to the shard from which a slice goes. */
function createSourceCalls(sql: Sql): SourceCalls {
  return {
    pickSlice({ bucket, end, rows }) {
      const { n, state } = openShard(sql, bucket);
      return state.range === null ? null : pickSlice(sql, n, state.range, end, rows);
    },

    exportSlice({ bucket, epoch }) {
      const { n, state } = requireShard(sql, bucket);
      const { frozen } = state;
      return frozen?.epoch === epoch ? exportSlice(sql, n, state.bucket, frozen.range) : null;
    },

    freezeSlice({ bucket, range, target }) {
      const shard = openShard(sql, bucket);
      const { state } = shard;
      const isFree = state.frozen === null && state.incoming === null;
      if (!isFree || state.range === null || !isAtEnd(state.range, range))
        return publicState(shard);
      const { id, name } = target;
      const frozen = { range, epoch: state.revision + 1, shard: { id, name } };
      return changeState(sql, shard, { frozen });
    },

    thawSlice({ bucket, epoch }) {
      const shard = requireShard(sql, bucket);
      return shard.state.frozen?.epoch === epoch
        ? changeState(sql, shard, { frozen: null })
        : publicState(shard);
    },

    giveUpSlice({ bucket, epoch, nowMs }) {
      const shard = requireShard(sql, bucket);
      const { frozen, range } = shard.state;
      if (frozen?.epoch !== epoch || range === null) return publicState(shard);
      giveUpRows(sql, shard.n, frozen.range, nowMs);
      return changeState(sql, shard, {
        range: withoutSlice(range, frozen.range),
        frozen: null,
        gave: frozen,
      });
    },
  };
}

type ImportInput = Parameters<IndexApi['importSlice']>[0];
type TargetCalls = Pick<ShardCalls, 'importSlice' | 'dropSlice' | 'adoptSlice'>;

/** Whether a slice may come in: see `ShardCommands.importSlice`. */
function isWelcome({ state }: Shard, { source, range, epoch }: ImportInput): boolean {
  const { incoming, frozen, adopted } = state;
  if (frozen !== null || epoch <= (adopted[source.id] ?? 0)) return false;
  if (incoming !== null && (incoming.shard.id !== source.id || epoch <= incoming.epoch))
    return false;
  return joinRanges(state.range, range) !== null;
}

/** The calls to the shard to which a slice goes. */
function createTargetCalls(sql: Sql): TargetCalls {
  return {
    importSlice(input) {
      const shard = requireShard(sql, input.bucket);
      if (!isWelcome(shard, input)) return publicState(shard);
      const { incoming, withheld } = shard.state;
      if (incoming !== null) dropIncoming(sql, shard.n, withheld, input.nowMs);
      const { id, name } = input.source;
      return changeState(sql, shard, {
        incoming: { range: input.range, epoch: input.epoch, shard: { id, name } },
        withheld: writeIncoming(sql, shard.n, input.rows, input.newReferences),
      });
    },

    dropSlice(input) {
      const shard = requireShard(sql, input.bucket);
      if (incomingOf(shard, input) === null) return publicState(shard);
      dropIncoming(sql, shard.n, shard.state.withheld, input.nowMs);
      return changeState(sql, shard, { incoming: null, withheld: {} });
    },

    adoptSlice(input) {
      const shard = requireShard(sql, input.bucket);
      const { range, withheld, adopted } = shard.state;
      const incoming = incomingOf(shard, input);
      if (incoming === null) return publicState(shard);
      const joined = joinRanges(range, incoming.range);
      if (joined === null)
        throw new StorageError('InternalError', { cause: 'a slice does not touch its shard' });
      adoptIncoming(sql, shard.n, withheld, input.nowMs);
      return changeState(sql, shard, {
        range: joined,
        incoming: null,
        adopted: { ...adopted, [input.source.id]: incoming.epoch },
        withheld: {},
      });
    },
  };
}
