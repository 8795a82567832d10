// Bodies near the reader: this isolate's memory, then Workers Cache in front of an
// entrypoint of our own (body-slices.ts), then the bucket. Where nothing caches
// that entrypoint (wrangler dev, a plan without Workers Cache), the Cache API takes
// its place. Only plain bytes are shared between requests, never a promise or a
// stream.
import type { ByteRange } from '../../../domain/byte-range.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { Segment } from '../../../domain/nouns.ts';
import { createCircuitBreaker } from '../../../ports/circuit-breaker.ts';
import type { EdgeCache, OpenedRun, SliceBytes } from '../../../ports/edge-cache.ts';
import type { Background, Clock, Log } from '../../../ports/system.ts';
import { type MemoryBodies, sliceName } from '../../shared/memory-bodies.ts';
import {
  type EntrypointAnswer,
  type EntrypointStream,
  fetchSlice,
  openSlice,
} from './body-slices.ts';
import { createCacheApiBodies } from './cache-api-bodies.ts';
import { inLargePieces } from './large-body.ts';

/**
 * Slices pass through memory whole, and an isolate has 128 MB for all its requests.
 * Source: https://developers.cloudflare.com/workers/platform/limits/#memory
 */
const SLICE_BYTES = 1024 * 1024;
/**
 * What so many slices have stands in Workers Cache as one run, and goes out by one call,
 * which is billed as a request is (ADR 54). Where there is no Workers Cache a cold slice
 * costs a class B read of R2, a whole stream only one; and each slice is up to three of
 * the 10,000 subrequests that one request may make (core/objects/read-calls.ts). Source:
 * https://developers.cloudflare.com/workers/platform/limits/#subrequests
 */
const MAX_SLICES_PER_READ = 8;
/**
 * Reads of several slices at once. A reader holds two to four slices while its client
 * is slow, so 96 of them took 365 MiB (measured 2026-11 with 8 MiB files); what comes on
 * top streams, which holds next to nothing.
 */
const SLICED_READS_MAX = 8;
/** How long a read counts at most, for a cancelled request never ends it. */
const SLICED_READ_MS = 300_000;
/**
 * How long the entrypoint is left alone after a response that nothing kept,
 * milliseconds.
 */
const UNCACHED_MS = 60_000;
/**
 * How long the entrypoint is not asked again for a slice for which it gave no
 * response at all.
 */
const SILENT_MS = 5000;

export type WorkersEdgeCacheOptions = {
  readonly memory: MemoryBodies;
  /** The loopback to BodySlices; null where there is none. */
  readonly entrypoint: Pick<Fetcher, 'fetch'> | null;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
  /** A tier that says nothing for so long has failed, milliseconds. */
  readonly limitMs: number;
};

/** An answer that brings bytes. */
type Usable<Answer> = Exclude<Answer, { readonly from: 'refused' | 'uncached' }>;

/**
 * A failing cache is a miss. Cost of a memory hit: no I/O; else one call, and one
 * put behind the response on a miss.
 */
export function createWorkersEdgeCache(options: WorkersEdgeCacheOptions): EdgeCache {
  const { memory, entrypoint, clock, background, log, limitMs } = options;
  const cacheApi = createCacheApiBodies(log, limitMs);
  /**
   * Each slice for itself: what the bucket can't give now must not cost what
   * Workers Cache still has.
   */
  const silent = createCircuitBreaker(clock, SILENT_MS);
  let leaveEntrypointUntilMs = 0;
  /** The reads of several slices that are under way. */
  const slicedReads = new Set<{ readonly untilMs: number }>();

  /** What the entrypoint answers by `call`; null where it is left alone, or fails. */
  async function callEntrypoint<Answer extends EntrypointAnswer | EntrypointStream>(
    slice: Segment,
    call: (caching: Pick<Fetcher, 'fetch'>) => Promise<Answer>,
  ): Promise<Usable<Answer> | null> {
    if (entrypoint === null || clock.nowMs() < leaveEntrypointUntilMs) return null;
    const name = sliceName(slice);
    if (silent.isOn(name)) return null;
    try {
      const answer = await call(entrypoint);
      if (answer.from === 'refused') {
        // It is well, and asked again by the next reader: one run of it for all of
        // a herd.
        log.error('edge-entrypoint-failed', { blobId: slice.blobId, cause: answer.reason });
        return null;
      }
      if (answer.from === 'origin' || answer.from === 'uncached')
        leaveEntrypointUntilMs = clock.nowMs() + UNCACHED_MS;
      return answer.from === 'uncached' ? null : (answer as Usable<Answer>);
    } catch (cause) {
      silent.begin(name);
      log.error('edge-entrypoint-failed', { blobId: slice.blobId, cause });
      return null;
    }
  }

  async function readEntrypoint(slice: Segment, part: ByteRange): Promise<SliceBytes | null> {
    // What memory does not keep need not pass through it whole.
    const wanted = slice.lengthBytes > memory.maxSliceBytes ? cutOf(slice, part) : null;
    const answer = await callEntrypoint(slice, (caching) =>
      fetchSlice(caching, { slice, part: wanted }, limitMs),
    );
    if (answer === null) return null;
    const { bytes, from } = answer;
    const isPart = bytes.length < slice.lengthBytes;
    if (from === 'origin' && !isPart) keepInColo(slice, bytes);
    return { bytes, isPart, tier: from === 'cache' ? 'edge' : 'bucket' };
  }

  async function openRun(run: Segment, part: ByteRange): Promise<OpenedRun | null> {
    // Slices that memory keeps are nearer.
    if (memory.maxSliceBytes >= SLICE_BYTES) return null;
    const answer = await callEntrypoint(run, (caching) =>
      openSlice(caching, { slice: run, part: cutOf(run, part) }, limitMs),
    );
    if (answer === null) return null;
    return {
      body: inLargePieces(answer.body, part.lengthBytes, () => endedEarly(run)),
      tier: answer.from === 'cache' ? 'edge' : 'bucket',
    };
  }

  async function readColo(slice: Segment, load: () => Promise<Uint8Array>): Promise<SliceBytes> {
    const cached = await cacheApi.match(slice);
    if (cached !== null) return { bytes: cached, isPart: false, tier: 'edge' };
    const bytes = await load();
    keepInColo(slice, bytes);
    return { bytes, isPart: false, tier: 'bucket' };
  }

  function keepInColo(slice: Segment, bytes: Uint8Array): void {
    background.run('fill-edge', () => cacheApi.put(slice, bytes));
  }

  return {
    sliceBytes: SLICE_BYTES,
    maxSlicesPerRead: MAX_SLICES_PER_READ,
    peek: memory.peek,
    openRun,
    // The place has room for all, and what a reader wants of a file there the next
    // one wants too.
    admits: () => true,
    beginSlices() {
      const nowMs = clock.nowMs();
      for (const permit of slicedReads) if (permit.untilMs <= nowMs) slicedReads.delete(permit);
      if (slicedReads.size >= SLICED_READS_MAX) return null;
      const permit = { untilMs: nowMs + SLICED_READ_MS };
      slicedReads.add(permit);
      return () => void slicedReads.delete(permit);
    },
    async read(slice, load, part) {
      const found = (await readEntrypoint(slice, part)) ?? (await readColo(slice, load));
      if (!found.isPart) memory.keep(slice, found.bytes);
      return found;
    },
  };
}

/** The part, or null where it is all of the slice. */
const cutOf = (slice: Segment, part: ByteRange): ByteRange | null =>
  part.lengthBytes < slice.lengthBytes ? part : null;

const endedEarly = (run: Segment): StorageError =>
  new StorageError('InternalError', { detail: `The run ${sliceName(run)} ended early.` });
