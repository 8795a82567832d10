// What is next for slices that are under way between shards, by what the shards say of
// themselves (ADR 53). Whoever moves slices remembers nothing: it may die at any point,
// and another goes on. Pure; move-slices.ts carries the steps out.
import type { ShardState } from '../../ports/index-calls/shard-calls.ts';
import { coverAllKeys, joinRanges } from '../shards/key-ranges.ts';
import { isSlice, type ShardMap, shardIn } from './shard-map.ts';

/** One step of one shard; `epoch` names the slice that it is about. */
export type MoveStep =
  | {
      readonly do: 'adopt';
      readonly target: ShardState;
      readonly source: ShardState;
      readonly epoch: number;
    }
  | {
      readonly do: 'drop';
      readonly target: ShardState;
      readonly source: ShardState;
      readonly epoch: number;
    }
  | {
      readonly do: 'bring in';
      readonly target: ShardState;
      readonly source: ShardState;
      readonly epoch: number;
    }
  | { readonly do: 'give up'; readonly source: ShardState; readonly epoch: number }
  | { readonly do: 'thaw'; readonly source: ShardState; readonly epoch: number };

/**
 * The next step of what is under way; null: nothing is. `read again`: the states were
 * read at times that do not fit.
 */
export function nextStep(map: ShardMap): MoveStep | { readonly do: 'read again' } | null {
  return stepOfGap(map) ?? stepOfFrozen(map) ?? stepOfLeftOver(map);
}

/**
 * What was given up must be adopted before anything else. A target that is not in the map
 * was made behind its time, or deleted since: then others have all keys.
 */
function stepOfGap(map: ShardMap): ReturnType<typeof nextStep> {
  let mayLack = false;
  for (const source of map) {
    const { gave, bucket } = source;
    if (gave === null) continue;
    const target = shardIn(map, gave.shard.id);
    if (target === null) {
      mayLack = true;
      continue;
    }
    const { epoch } = gave;
    if ((target.adopted[bucket.id] ?? 0) >= epoch) continue;
    return isSlice(target.incoming, epoch, bucket.id)
      ? { do: 'adopt', target, source, epoch }
      : { do: 'read again' };
  }
  const ranges = map.flatMap(({ range }) => range ?? []);
  return mayLack && !coverAllKeys(ranges) ? { do: 'read again' } : null;
}

function stepOfFrozen(map: ShardMap): ReturnType<typeof nextStep> {
  for (const source of map) {
    const { frozen, bucket } = source;
    if (frozen === null) continue;
    const { epoch } = frozen;
    const target = shardIn(map, frozen.shard.id);
    if (target === null) return { do: 'thaw', source, epoch };
    if (isSlice(target.incoming, epoch, bucket.id)) return { do: 'give up', source, epoch };
    const isBusy =
      target.frozen !== null ||
      (target.incoming !== null && target.incoming.shard.id !== bucket.id) ||
      joinRanges(target.range, frozen.range) === null;
    if (!isBusy) return { do: 'bring in', target, source, epoch };
    return stepOfLeftOver(map) ?? { do: 'thaw', source, epoch };
  }
  return null;
}

/**
 * What came in and will never be given up. A source that was read before it froze that
 * slice can't tell.
 */
function stepOfLeftOver(map: ShardMap): ReturnType<typeof nextStep> {
  for (const target of map) {
    const { incoming } = target;
    const source = incoming === null ? null : shardIn(map, incoming.shard.id);
    if (incoming === null || source === null) continue;
    const { epoch, shard } = incoming;
    const isAlive =
      source.revision < epoch || source.frozen?.epoch === epoch || source.gave?.epoch === epoch;
    if (!isAlive && shard.id === source.bucket.id) return { do: 'drop', target, source, epoch };
  }
  return null;
}
