// The calls to its platform that a read makes, where a request may make only so
// many (subrequests of a Worker). A read that can't be finished is refused before
// its response begins. Pure. Called by openBody and by snapshots of selections.

import { StorageError } from '../../domain/errors.ts';
import type { Segment } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import type { ReadableVersion } from './read-object.ts';

/**
 * Calls for a slice that no near tier has: a look into the cache, a read from the
 * blob store, a write to the cache. See workers-edge-cache.ts.
 */
const CALLS_OF_SLICE = 3;
/**
 * Calls for a compressed run: its own, and one for its seek table;
 * decompressing-blob-store.ts.
 */
const CALLS_OF_COMPRESSED = 2;
/**
 * Calls for the rest of a request: caller, bucket, version, usage, and retries
 * after failures. Estimate.
 */
const CALLS_BESIDES = 100;

/** Counts the calls of a read that streams segments past the tiers. */
export function callsToStream(segments: readonly Segment[]): number {
  return segments.reduce(
    (calls, { packing }) => calls + (packing === undefined ? 1 : CALLS_OF_COMPRESSED),
    0,
  );
}

/** Counts the calls that openBody of the whole version makes at most. */
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

/** Whether a request may make so many calls besides its usual ones. */
export function mayMakeCalls({ settings }: Core, calls: number): boolean {
  return calls + CALLS_BESIDES <= settings.subrequestsMax;
}

/**
 * Refuses more calls than a request may make. `instead`: what its client can do.
 * InvalidRequest.
 */
export function requireCalls(core: Core, calls: number, instead: string): void {
  if (mayMakeCalls(core, calls)) return;
  const { subrequestsMax } = core.settings;
  throw new StorageError('InvalidRequest', {
    detail: [
      `This would take more reads than one request may make here (${subrequestsMax}).`,
      instead,
    ].join(' '),
  });
}
