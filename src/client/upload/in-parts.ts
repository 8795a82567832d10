// An object in parts: begun or found again, sent, completed; taken back where it
// cannot be.
import { QuaysideError } from '../errors.ts';
import type { Completed, UploadRef } from '../objects/backend.ts';
import type { Pieces } from '../objects/piece.ts';
import { algorithmOf } from './digest.ts';
import { type PartSize, partSizeOfStored } from './part-size.ts';
import { sendParts } from './send-parts.ts';
import type { UploadContext } from './upload-context.ts';

export type Multipart = Pick<Pieces, 'cut' | 'sizeBytes'> & {
  readonly layout: PartSize;
  readonly onUploadId: ((uploadId: string) => void) | undefined;
  readonly uploadId: string | null;
};

/** Begins an upload in parts, or goes on with one, and ends it. */
export async function inParts(
  context: UploadContext,
  { cut, sizeBytes, layout, onUploadId, uploadId: known }: Multipart,
): Promise<Completed> {
  const { backend, target, attributes, condition, stopped } = context;
  // CRC-64 is the one checksum of parts that becomes one of the whole object, which a
  // download can verify.
  const chosen = algorithmOf(context.checksum ?? 'crc64nvme');
  // Never stopped halfway: an upload whose id nobody knows could not be taken back.
  const uploadId = known ?? (await backend.begin(target, attributes, chosen));
  const upload: UploadRef = { ...target, uploadId };
  onUploadId?.(uploadId);
  try {
    stopped.throwIfAborted();
    const stored = known === null ? [] : await backend.parts(upload, stopped);
    const partSize = known === null ? layout : partSizeOfStored(stored, sizeBytes, layout);
    const parts = await sendParts(context, {
      upload,
      pieces: cut(partSize),
      largestBytes: partSize(1),
      algorithm: algorithmOfStored(stored, chosen),
      stored,
    });
    return await backend.complete(upload, parts, condition);
  } catch (error) {
    const isRefused = error instanceof QuaysideError && error.code === 'PreconditionFailed';
    if (stopped.aborted || isRefused) await giveUp(context, upload);
    throw stopped.aborted ? stopped.reason : error;
  }
}

/** Takes the upload back; one that is gone already is fine. */
async function giveUp({ backend }: UploadContext, upload: UploadRef): Promise<void> {
  await backend.abort(upload).catch((error: unknown) => {
    if (!(error instanceof QuaysideError) || error.code !== 'NoSuchUpload') throw error;
  });
}

function algorithmOfStored(
  stored: readonly { readonly checksum: { readonly algorithm: string } | null }[],
  chosen: ReturnType<typeof algorithmOf>,
): ReturnType<typeof algorithmOf> {
  const [first] = stored;
  if (first === undefined) return chosen;
  const { algorithm } = first.checksum ?? {};
  return algorithm === 'SHA256' || algorithm === 'CRC64NVME' ? algorithm : null;
}
