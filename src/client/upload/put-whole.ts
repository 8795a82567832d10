// A small object in one PUT. An attempt whose response was lost may have written it, or may
// write it yet: before the next one the object is looked at, and the next one counts only
// over what was seen there. So a bucket with versions gets one of them.
import { QuaysideError, unusableResponse } from '../errors.ts';
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
    ...(algorithm === null ? {} : { [checksumHeader(algorithm)]: value }),
  };
  const hasOwnCondition = condition.ifNone || condition.ifMatch !== null;
  const sizeBytes = sizeOf(body);
  let mayBeThere = false;
  let guard = condition;

  async function attempt(signal: AbortSignal): Promise<Completed> {
    const limited = withLimit(signal, sizeBytes);
    try {
      const onSent = (bytes: number) => meter.set(1, bytes);
      const sent = { ...headers, ...conditionHeaders(guard) };
      const call = { ...target, method: 'PUT', headers: sent } as const;
      const said = completedOf((await send(call, { body, signal: limited, onSent })).headers);
      if (said.etag !== '' || algorithm === null) return said;
      // A page of another origin may not see it; whatever else took the bytes has none.
      const written = await findSame(signal);
      if (written !== null) return written;
      throw unusableResponse();
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

  /** The current object, if it is exactly what is sent here; else only that is written over. */
  async function findSame(signal: AbortSignal): Promise<Completed | null> {
    const found = await backend.find(target, signal);
    if (!hasOwnCondition) guard = { ifNone: !found, ifMatch: found?.completed.etag ?? null };
    if (algorithm === null || found === null || found.sizeBytes !== sizeBytes) return null;
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
      // Somebody else wrote between the look and the write: it is looked at again.
      mayRepeat: ({ retryable, status }) => retryable || (status === 412 && !hasOwnCondition),
    }),
  );
  meter.set(1, sizeBytes);
  return { ...completed, checksum: algorithm && { algorithm, value } };
}
