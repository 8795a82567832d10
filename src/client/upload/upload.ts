// An upload from its beginning to its end: one PUT or parts, whichever fits, with a
// handle that pauses, goes on and cancels.
import { QuaysideError } from '../errors.ts';
import type { Attributes, Completed } from '../objects/backend.ts';
import { pickAttributes } from '../objects/object-headers.ts';
import { type Piece, type Pieces, piecesOf, type UploadSource } from '../objects/piece.ts';
import { refuseDotSegments } from '../objects/refuse-dot-segments.ts';
import { createMeter, type Progress } from '../progress.ts';
import type { ChecksumChoice, CustomDigest } from './digest.ts';
import { inParts } from './in-parts.ts';
import { partSizeFor, SINGLE_MAX_BYTES } from './part-size.ts';
import { createPauser } from './pauser.ts';
import { putWhole } from './put-whole.ts';
import type { Transport, UploadContext, UploadTarget } from './upload-context.ts';

export type UploadOptions = Attributes & {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Ends it, as `cancel()` does. */
  readonly signal?: AbortSignal | undefined;
  /** `*`: only where the key is free. */
  readonly ifNoneMatch?: '*' | undefined;
  /** Only over the object with that ETag. */
  readonly ifMatch?: string | undefined;
  /** By default `sha256` in one request, and `crc64nvme` in parts. */
  readonly checksum?: ChecksumChoice | undefined;
  /** Digests pieces elsewhere: in a worker, so that a page stays smooth. */
  readonly digest?: CustomDigest | undefined;
  /**
   * 5 MiB at least, and 16 MiB go in one request; chosen by the size unless it is
   * given.
   */
  readonly partSizeBytes?: number | undefined;
  /** Parts under way at once at most, 8; how many of them, the line decides. */
  readonly maxParallel?: number | undefined;
  /** Learns the id of a multipart upload: keep it to go on after a reload. */
  readonly onUploadId?: ((uploadId: string) => void) | undefined;
};

export type UploadResult = UploadTarget &
  Completed & {
    readonly sizeBytes: number;
    /**
     * The checksum that the whole object was sent with. Null: it went in parts, each with
     * its own, or without one.
     */
    readonly checksum: { readonly algorithm: string; readonly value: string } | null;
  };

/** Resolves when the object is there. */
export type UploadTask = Promise<UploadResult> & {
  pause(): void;
  resume(): void;
  /** Takes everything back; resolves when nothing is left on the server. */
  cancel(): Promise<void>;
  progress(): Progress;
};

const MAX_PARALLEL = 8;

/** Begins an upload, or goes on with the one that has that id. */
export function startUpload(
  transport: Transport,
  target: UploadTarget,
  source: UploadSource,
  options: UploadOptions = {},
  uploadId: string | null = null,
): UploadTask {
  const stop = new AbortController();
  const pieces = piecesOf(source, stop.signal);
  const meter = createMeter(pieces.sizeBytes, options.onProgress);
  const pauser = createPauser(stop.signal);
  const context: UploadContext = {
    ...transport,
    target,
    attributes: { ...pickAttributes(options), contentType: options.contentType ?? typeOf(source) },
    condition: { ifNone: options.ifNoneMatch === '*', ifMatch: options.ifMatch ?? null },
    checksum: options.checksum,
    digest: options.digest,
    maxParallel: options.maxParallel ?? MAX_PARALLEL,
    meter,
    pauser,
    stopped: stop.signal,
  };
  const cancelled = new QuaysideError('Cancelled', 'The upload was cancelled.');
  const onAbort = () => stop.abort(options.signal?.reason);
  if (options.signal?.aborted) onAbort();
  options.signal?.addEventListener('abort', onAbort, { once: true });

  const done = run(context, pieces, options, uploadId).finally(() =>
    options.signal?.removeEventListener('abort', onAbort),
  );
  return Object.assign(done, {
    pause: pauser.pause,
    resume: pauser.resume,
    async cancel() {
      stop.abort(cancelled);
      await done.catch((error: unknown) => {
        if (error !== stop.signal.reason) throw error;
      });
    },
    progress: meter.now,
  });
}

async function run(
  context: UploadContext,
  { sizeBytes, cut }: Pieces,
  options: UploadOptions = {},
  uploadId: string | null,
): Promise<UploadResult> {
  const { meter, target } = context;
  refuseDotSegments(target.key);
  const { onUploadId } = options;
  const singleMaxBytes = options.partSizeBytes ?? SINGLE_MAX_BYTES;
  const isSmall = uploadId === null && sizeBytes !== null && sizeBytes <= singleMaxBytes;
  const layout = isSmall
    ? () => Math.max(1, sizeBytes)
    : partSizeFor(sizeBytes, options.partSizeBytes);
  const finish = (completed: Completed) => {
    const sentBytes = meter.now().sentBytes;
    meter.setTotal(sentBytes);
    meter.flush();
    return { ...target, checksum: null, ...completed, sizeBytes: sentBytes };
  };
  if (uploadId !== null) {
    return finish(await inParts(context, { cut, sizeBytes, layout, onUploadId, uploadId }));
  }
  const pieces = cut(layout);
  const first = await pieces.next();
  const second = isSmall ? null : await pieces.next();
  context.stopped.throwIfAborted();
  if (first.value !== undefined && (second === null || second.done)) {
    return finish(await putWhole(context, first.value));
  }
  const begun = [first.value, second?.value].filter((piece) => piece !== undefined);
  const all = () => chain(begun, pieces);
  return finish(await inParts(context, { cut: all, sizeBytes, layout, onUploadId, uploadId }));
}

async function* chain(begun: readonly Piece[], rest: AsyncGenerator<Piece, void, undefined>) {
  yield* begun;
  yield* rest;
}

/** A file knows its own type. */
const typeOf = (source: UploadSource): string | undefined =>
  source instanceof Blob && source.type !== '' ? source.type : undefined;
