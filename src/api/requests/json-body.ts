// The body of a request to the JSON API: read whole, within a bound and as text,
// before anything else sees it.

import { hasWellFormedTexts } from '../../core/well-formed-texts.ts';
import { joinBytes } from '../../crypto/join-bytes.ts';
import { StorageError } from '../../domain/errors.ts';
import type { HttpRequest } from '../../http/request.ts';

/** Largest body of a request, bytes: a thousand lifecycle rules fit. */
export const BODY_MAX_BYTES = 1024 * 1024;

/**
 * Largest body of a request without a credential, bytes: signing in by a passkey
 * takes about 2 KiB.
 */
export const STRANGERS_BODY_MAX_BYTES = 16 * 1024;

/**
 * Reads the whole body, whatever JSON it is; null when there is none.
 * ContentTooLarge, UnsupportedMediaType; InvalidInput for no UTF-8 and for half a
 * character in an escape.
 */
export async function readJsonBody(
  request: HttpRequest,
  maxBytes = BODY_MAX_BYTES,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const source = request.body();
  if (source.lengthBytes === 0) return null;
  if (source.lengthBytes !== null && source.lengthBytes > maxBytes) throw tooLarge(maxBytes);
  requireJson(request);

  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  await source.pump((chunk) => {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
    // A copy: the platform may use its buffer again.
    chunks.push(chunk.slice());
  });

  if (sizeBytes === 0) return null;
  const whole = joinBytes(chunks, sizeBytes);
  requireText(whole);
  return whole;
}

function requireText(body: Uint8Array): void {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch (cause) {
    throw new StorageError('InvalidInput', { detail: 'The body is not UTF-8.', cause });
  }
  if (!hasWellFormedTexts(text))
    throw new StorageError('InvalidInput', { detail: 'The body has half a character.' });
}

function requireJson(request: HttpRequest): void {
  const type = (request.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  const coding = request.header('content-encoding') ?? 'identity';
  if (type !== 'application/json' || coding !== 'identity')
    throw new StorageError('UnsupportedMediaType');
}

function tooLarge(maxBytes: number): StorageError {
  return new StorageError('ContentTooLarge', {
    detail: `A body may have at most ${maxBytes} bytes.`,
  });
}
