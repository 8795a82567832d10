// A small object in one PUT. An attempt whose response was lost may have written it:
// before the next one the object is looked at, so that a bucket with versions gets
// one of them.
import { QuaysideError } from '../errors.ts';
import type { Completed } from '../objects/backend.ts';
import {
  attributeHeaders,
  checksumHeader,
  completedOf,
  conditionHeaders,
} from '../objects/object-headers.ts';
import { type Piece, sizeOf } from '../objects/piece.ts';
import { retrying } from '../retry.ts';
import { algorithmOf, createDigest } from './digest.ts';
import { type UploadContext, withLimit } from './upload-context.ts';

export async function putWhole(context: UploadContext, body: Piece): Promise<Completed> {
  const { backend, send, policy, target, attributes, condition, meter, pauser } = context;
  const algorithm = algorithmOf(context.checksum ?? 'sha256');
  const value = algorithm === null ? '' : await createDigest(algorithm, context.digest)(body);
  const headers = {
    ...attributeHeaders(attributes),
    ...conditionHeaders(condition),
    ...(algorithm === null ? {} : { [checksumHeader(algorithm)]: value }),
  };
  const sizeBytes = sizeOf(body);
  let mayBeThere = false;

  async function attempt(signal: AbortSignal): Promise<Completed> {
    const limited = withLimit(signal, sizeBytes);
    try {
      const onSent = (bytes: number) => meter.set(1, bytes);
      const call = { ...target, method: 'PUT', headers } as const;
      return completedOf((await send(call, { body, signal: limited, onSent })).headers);
    } catch (error) {
      const status = error instanceof QuaysideError ? error.status : null;
      // The first attempt of a pair may have made the condition of the second one
      // fail.
      if (status === 412 && mayBeThere) {
        const written = await findSame(signal);
        if (written !== null) return written;
      }
      mayBeThere ||= status === null || status >= 500;
      meter.set(1, 0);
      throw error;
    }
  }

  /** The current object, if it is exactly what is sent here. */
  async function findSame(signal: AbortSignal): Promise<Completed | null> {
    if (algorithm === null) return null;
    const found = await backend.find(target, signal);
    if (found === null || found.sizeBytes !== sizeBytes) return null;
    const { contentType = found.contentType, metadata = {} } = attributes;
    const isSame =
      found.checksum?.algorithm === algorithm &&
      found.checksum.value === value &&
      found.contentType === contentType &&
      Object.entries(metadata).every(([name, text]) => found.metadata[name.toLowerCase()] === text);
    return isSame ? found.completed : null;
  }

  const completed = await pauser.run((signal) =>
    retrying(async () => (mayBeThere ? await findSame(signal) : null) ?? attempt(signal), {
      policy,
      signal,
    }),
  );
  meter.set(1, sizeBytes);
  return { ...completed, checksum: algorithm && { algorithm, value } };
}
