// The body of a request to the JSON API: read whole, within a bound, before anything else sees it.
import type { HttpRequest } from '../http/request.ts';
import { StorageError } from '../ports/errors.ts';

/** Largest body of a request, bytes: a thousand lifecycle rules fit. */
export const BODY_MAX_BYTES = 1024 * 1024;

/** The body, whatever it is; null when there is none. ContentTooLarge, UnsupportedMediaType. */
export async function readJsonBody(request: HttpRequest): Promise<Uint8Array<ArrayBuffer> | null> {
  const source = request.body();
  if (source.lengthBytes === 0) return null;
  if (source.lengthBytes !== null && source.lengthBytes > BODY_MAX_BYTES) throw tooLarge();
  requireJson(request);
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  await source.pump((chunk) => {
    sizeBytes += chunk.length;
    if (sizeBytes > BODY_MAX_BYTES) throw tooLarge();
    // A copy: the home may use its buffer again.
    chunks.push(chunk.slice());
  });
  if (sizeBytes === 0) return null;
  const whole = new Uint8Array(sizeBytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function requireJson(request: HttpRequest): void {
  const type = (request.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  const coding = request.header('content-encoding') ?? 'identity';
  if (type !== 'application/json' || coding !== 'identity') throw new StorageError('UnsupportedMediaType');
}

function tooLarge(): StorageError {
  return new StorageError('ContentTooLarge', { detail: `A body may have at most ${BODY_MAX_BYTES} bytes.` });
}
