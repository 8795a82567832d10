// Slices behind Workers Cache: an entrypoint of the Worker that nobody can reach
// from outside and that Cloudflare caches (wrangler.toml, `exports.BodySlices`), in
// the colo and in an upper tier that all colos share; concurrent misses of one
// slice run it once. A slice has a URL of its own and never changes, so nothing is
// ever purged. Called through ctx.exports by workers-edge-cache.ts, which has
// decided before who may read.
import { WorkerEntrypoint } from 'cloudflare:workers';
import type { ByteRange } from '../../../domain/byte-range.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { BlobId, Segment } from '../../../domain/nouns.ts';
import type { BlobStore } from '../../../ports/blob-store.ts';
import { withTimeout } from '../../../ports/with-timeout.ts';
import { createDecompressingBlobStore } from '../../shared/decompressing-blob-store.ts';
import type { WorkerEnv } from '../env.ts';
import { SLICE_CACHE_CONTROL } from './cache-api-bodies.ts';
import { takeNative } from './large-body.ts';
import { createR2BlobStore } from './r2-blob-store.ts';

/**
 * The host is no part of the cache's key. Source:
 * https://developers.cloudflare.com/workers/cache/cache-keys/
 */
const ORIGIN = 'https://bodies.quayside.invalid';
const PATH =
  /^\/slice\/(\d{1,15})\/(\d{1,8})\/(?:compressed\/(\d{1,8})\/(\d{1,15})\/(\d{1,15})\/)?([^/]+)$/;

function urlOf({ blobId, offsetBytes, lengthBytes, packing }: Segment): string {
  const how =
    packing === undefined
      ? ''
      : `compressed/${packing.frameBytes}/${packing.plainBytes}/${packing.storedBytes}/`;
  return `${ORIGIN}/slice/${offsetBytes}/${lengthBytes}/${how}${encodeURIComponent(blobId)}`;
}

function sliceOf(url: string): Segment | null {
  const [, offset, length, frame, plain, stored, blobId] = PATH.exec(new URL(url).pathname) ?? [];
  if (offset === undefined || length === undefined || blobId === undefined) return null;
  const run = {
    blobId: decodeURIComponent(blobId) as BlobId,
    offsetBytes: Number(offset),
    lengthBytes: Number(length),
  };
  if (frame === undefined || plain === undefined || stored === undefined) return run;
  const packing = {
    frameBytes: Number(frame),
    plainBytes: Number(plain),
    storedBytes: Number(stored),
  };
  return { ...run, packing };
}

/**
 * One for each set of bindings: it remembers the seek tables of compressed blobs,
 * plain values only.
 */
const stores = new WeakMap<R2Bucket, BlobStore>();

function storeOf(bucket: R2Bucket): BlobStore {
  const known = stores.get(bucket) ?? createDecompressingBlobStore(createR2BlobStore(bucket));
  stores.set(bucket, known);
  return known;
}

export class BodySlices extends WorkerEntrypoint<WorkerEnv> {
  /**
   * The slice as a 200, which alone is cached. Failures say that they are not to
   * be. Cost: one class B call of R2.
   */
  override async fetch(request: Request): Promise<Response> {
    const slice = sliceOf(request.url);
    if (slice === null) return uncached(404, 'no slice');
    try {
      const body = await storeOf(this.env.BLOBS).open(slice.blobId, slice);
      const headers = {
        'cache-control': SLICE_CACHE_CONTROL,
        'content-length': `${slice.lengthBytes}`,
        'content-type': 'application/octet-stream',
      };
      // Long bodies go out by the runtime's own stream, unseen.
      return new Response(takeNative(body) ?? body, { headers });
    } catch (error) {
      // The caller reads the bucket itself then, and meets the same failure with
      // its cause.
      return uncached(502, error instanceof StorageError ? error.message : 'failed');
    }
  }
}

const uncached = (status: number, text: string): Response =>
  new Response(text, { status, headers: { 'cache-control': 'no-store' } });

/** `origin`: nothing keeps what this entrypoint answers. */
type Source = 'cache' | 'bucket' | 'origin';
/** What the entrypoint answered is not the slice; why, in words. */
type Refused = { readonly from: 'refused'; readonly reason: string };

export type EntrypointAnswer = { readonly from: Source; readonly bytes: Uint8Array } | Refused;
/**
 * `body` is exactly what was asked for, if it does not end short. `uncached`: nothing
 * caches the entrypoint, and so nothing cuts what it answers.
 */
export type EntrypointStream =
  | { readonly from: Source; readonly body: ReadableStream }
  | { readonly from: 'uncached' }
  | Refused;

/**
 * What the cache says when it gave a response of its own.
 * Source: https://developers.cloudflare.com/cache/concepts/cache-responses/
 */
const GIVEN_BY_CACHE: ReadonlySet<string> = new Set(['HIT', 'STALE', 'UPDATING', 'REVALIDATED']);
/** And when it took one to keep. */
const TAKEN_BY_CACHE: ReadonlySet<string> = new Set(['MISS', 'EXPIRED']);

function sourceOf({ headers }: Response): Source {
  const status = headers.get('cf-cache-status') ?? '';
  if (GIVEN_BY_CACHE.has(status)) return 'cache';
  return TAKEN_BY_CACHE.has(status) ? 'bucket' : 'origin';
}

/** A slice, and the part of it that is asked for; null: all. */
type Wanted = { readonly slice: Segment; readonly part: ByteRange | null };

const requestSlice = (
  entrypoint: Pick<Fetcher, 'fetch'>,
  { slice, part }: Wanted,
): Promise<Response> =>
  entrypoint.fetch(urlOf(slice), part === null ? {} : { headers: { range: rangeOf(part) } });

/**
 * Asks the entrypoint for a slice, or with `part` for no more than that of it: the
 * cache cuts what it keeps whole. Gives the whole slice all the same where nothing
 * cuts. Throws when it gives no response: it failed itself, or hangs. Cost: one call,
 * a request's price. Source:
 * https://developers.cloudflare.com/workers/cache/configuration/#range-requests
 */
export function fetchSlice(
  entrypoint: Pick<Fetcher, 'fetch'>,
  wanted: Wanted,
  limitMs: number,
): Promise<EntrypointAnswer> {
  const { slice, part } = wanted;
  const read = async (): Promise<EntrypointAnswer> => {
    const answer = await requestSlice(entrypoint, wanted);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const isWhole = answer.status === 200 && bytes.length === slice.lengthBytes;
    const isPart = answer.status === 206 && bytes.length === part?.lengthBytes;
    if (!isWhole && !isPart) {
      return {
        from: 'refused',
        reason: `A slice came as ${answer.status} of ${bytes.length} bytes.`,
      };
    }
    return { bytes, from: sourceOf(answer) };
  };
  return withTimeout(limitMs, 'the cached entrypoint', read);
}

/**
 * Asks the entrypoint for a long slice or a part of it, as `fetchSlice` does, and
 * leaves the body unread. Cost: one call.
 */
export function openSlice(
  entrypoint: Pick<Fetcher, 'fetch'>,
  wanted: Wanted,
  limitMs: number,
): Promise<EntrypointStream> {
  const open = async (): Promise<EntrypointStream> => {
    const answer = await requestSlice(entrypoint, wanted);
    const { status, body, headers } = answer;
    const { lengthBytes } = wanted.part ?? wanted.slice;
    const length = headers.get('content-length');
    const isIt =
      status === (wanted.part === null ? 200 : 206) &&
      (length === null || Number(length) === lengthBytes);
    if (isIt && body !== null) return { from: sourceOf(answer), body };
    await body?.cancel();
    if (status === 200 && sourceOf(answer) === 'origin') return { from: 'uncached' };
    return { from: 'refused', reason: `A run came as ${status} of ${length} bytes.` };
  };
  return withTimeout(limitMs, 'the cached entrypoint', open, (late) => {
    if ('body' in late) void late.body.cancel().catch(() => undefined);
  });
}

const rangeOf = ({ offsetBytes, lengthBytes }: ByteRange): string =>
  `bytes=${offsetBytes}-${offsetBytes + lengthBytes - 1}`;
