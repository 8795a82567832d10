// The parts of a multipart upload: several at once, each with its checksum, each
// repeated until it arrives. Parts that the server has already, with the same size
// and digest, are not sent again.
import { QuaysideError } from '../errors.ts';
import type { Algorithm, StoredPart, UploadRef } from '../objects/backend.ts';
import { checksumHeader, unquoted } from '../objects/object-headers.ts';
import { type Piece, sizeOf } from '../objects/piece.ts';
import { retrying } from '../retry.ts';
import { createDigest } from './digest.ts';
import { createParallel } from './parallel.ts';
import { type UploadContext, withLimit } from './upload-context.ts';

/** Bytes of parts that may be in memory at once. */
const MEMORY_MAX_BYTES = 256 * 1024 * 1024;

export type PartsToSend = {
  readonly upload: UploadRef;
  readonly pieces: AsyncIterator<Piece, void, undefined>;
  readonly largestBytes: number;
  readonly algorithm: Algorithm | null;
  readonly stored: readonly StoredPart[];
};

/**
 * Resolves with all parts in order; rejects with the first failure, when nothing is
 * under way.
 */
export async function sendParts(
  context: UploadContext,
  { upload, pieces, largestBytes, algorithm, stored }: PartsToSend,
): Promise<StoredPart[]> {
  const { meter } = context;
  const inMemory = Math.max(1, Math.floor(MEMORY_MAX_BYTES / largestBytes));
  const parallel = createParallel(Math.min(context.maxParallel, inMemory));
  const failed = new AbortController();
  const stopped = AbortSignal.any([context.stopped, failed.signal]);
  const digest = algorithm === null ? null : createDigest(algorithm, context.digest);
  const before = new Map(stored.map((part) => [part.partNumber, part]));

  async function sendOne(partNumber: number, body: Piece): Promise<StoredPart> {
    const sizeBytes = sizeOf(body);
    const value = (await digest?.(body)) ?? null;
    const known = before.get(partNumber);
    if (known !== undefined && value !== null && isSame(known, sizeBytes, algorithm, value)) {
      meter.skip(partNumber, sizeBytes);
      parallel.leave(0);
      return known;
    }
    const response = await put(partNumber, body, value);
    meter.set(partNumber, sizeBytes);
    parallel.leave(sizeBytes);
    const checksum = algorithm === null || value === null ? null : { algorithm, value };
    const etag = unquoted(response.headers.get('etag') ?? '');
    if (etag === '') throw hiddenEtag();
    return { partNumber, sizeBytes, etag, checksum };
  }

  const put = (partNumber: number, body: Piece, value: string | null) =>
    context.pauser.run((running) => {
      const signal = AbortSignal.any([running, failed.signal]);
      const attempt = () =>
        context
          .send(
            {
              method: 'PUT',
              bucket: upload.bucket,
              key: upload.key,
              part: { uploadId: upload.uploadId, partNumber },
              headers:
                algorithm === null || value === null ? {} : { [checksumHeader(algorithm)]: value },
            },
            {
              body,
              signal: withLimit(signal, sizeOf(body)),
              onSent: (bytes) => meter.set(partNumber, bytes),
            },
          )
          .catch((error: unknown) => {
            meter.set(partNumber, 0);
            parallel.slow();
            throw error;
          });
      return retrying(attempt, { policy: context.policy, signal });
    });

  const sending: Promise<StoredPart>[] = [];
  try {
    for (let partNumber = 1; ; partNumber++) {
      await parallel.enter();
      stopped.throwIfAborted();
      const { done, value: body } = await pieces.next();
      stopped.throwIfAborted();
      if (done) break;
      const part = sendOne(partNumber, body);
      // Whoever waits for a permit learns of it; the failure itself is thrown
      // below.
      void part.catch((error: unknown) => {
        failed.abort(error);
        parallel.leave(0);
      });
      sending.push(part);
    }
    return await Promise.all(sending);
  } catch (error) {
    failed.abort(error);
    await Promise.allSettled(sending);
    throw context.stopped.aborted ? context.stopped.reason : failed.signal.reason;
  } finally {
    await pieces.return?.();
  }
}

function isSame(
  part: StoredPart,
  sizeBytes: number,
  algorithm: string | null,
  value: string,
): boolean {
  const { checksum } = part;
  return (
    part.sizeBytes === sizeBytes && checksum?.algorithm === algorithm && checksum?.value === value
  );
}

const hiddenEtag = () =>
  new QuaysideError('HiddenEtag', 'Name ETag in ExposeHeaders of the CORS rule.');
