// How many calls of its platform a read takes, where a request may make only so many: what can't be
// finished is refused before anybody was told that it comes. Pure. Asked by openBody and by the
// snapshot of a prefix.

import { StorageError } from '../../domain/errors.ts';
import type { Segment } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import type { ReadableVersion } from './read-object.ts';

/**
 * A slice that nothing near has: a cache is asked, then the bucket, and the cache is filled. See
 * workers-edge-cache.ts.
 */
const CALLS_OF_SLICE = 3;
/** A packed run is a read of its own, and one of its seek table; see decompressing-blob-store.ts. */
const CALLS_OF_PACKED = 2;
/**
 * For all else of a request: who calls, the bucket, the version, usage, and what is repeated after
 * a failure. Estimate.
 */
const CALLS_BESIDES = 100;

/** Calls of a read that streams segments past the tiers. */
export function callsToStream(segments: readonly Segment[]): number {
  return segments.reduce(
    (calls, { packing }) => calls + (packing === undefined ? 1 : CALLS_OF_PACKED),
    0,
  );
}

/** Most calls that openBody of the whole version makes. */
export function callsToRead(
  core: Core,
  { sizeBytes, inlineBytes, segments }: ReadableVersion,
): number {
  if (inlineBytes !== null || sizeBytes === 0) return 0;
  const { sliceBytes, maxSlicesPerRead } = core.ports.edgeCache;
  const streamed = callsToStream(segments);
  if (sliceBytes === 0 || sizeBytes > sliceBytes * maxSlicesPerRead) return streamed;
  return CALLS_OF_SLICE * (Math.floor(sizeBytes / sliceBytes) + streamed);
}

/** InvalidRequest where a request may not make so many calls; `instead`: what its client can do. */
export function requireCalls(core: Core, calls: number, instead: string): void {
  const { subrequestsMax } = core.settings;
  if (calls + CALLS_BESIDES <= subrequestsMax) return;
  throw new StorageError('InvalidRequest', {
    detail: `This would take more reads than one request may make here (${subrequestsMax}). ${instead}`,
  });
}
