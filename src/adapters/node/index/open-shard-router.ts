// The router to the shards of split buckets on Node, where all shards stand in one
// database. Only the first thread splits and joins; each thread has a router of its own.
import { createShardRouter } from '../../../index/router/shard-router.ts';
import { createShardSplitter } from '../../../index/router/split-shards.ts';
import type { MetadataIndex } from '../../../ports/metadata-index.ts';
import type { Background } from '../../../ports/system.ts';
import { systemClock } from '../../shared/system-clock.ts';

/** A router whose buckets are split beyond so many rows, until `stopping`; 0: none is. */
export function openShardRouter(
  index: MetadataIndex,
  background: Background,
  rows: number,
  stopping: AbortSignal,
): MetadataIndex {
  if (rows === 0) return createShardRouter(index, systemClock);
  const routed: Pick<MetadataIndex, 'call'> = {
    call: (bucket, name, input) => router.call(bucket, name, input),
  };
  const options = { index: routed, clock: systemClock, background, rows, stopping };
  const splitter = createShardSplitter(options);
  const router = createShardRouter(index, systemClock, splitter);
  return router;
}
