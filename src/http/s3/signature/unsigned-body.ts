// Bodies of requests whose signature has no key for chunks: unsigned requests, and Signature
// Version 2. The ways to authenticate call it.
import { StorageError } from '../../../domain/errors.ts';
import type { HttpRequest } from '../../request.ts';
import { type DecodedBody, decodeBody, type Payload, parsePayload } from './payload.ts';

/**
 * The body without the framing of the one kind that needs no key. InvalidRequest for the other
 * kinds; `kind` names the requests in that error.
 */
export function decodeUnsigned(
  request: HttpRequest,
  payloadHash: string,
  kind: string,
): DecodedBody {
  const isFramed = payloadHash.startsWith('STREAMING-');
  if (isFramed && payloadHash !== 'STREAMING-UNSIGNED-PAYLOAD-TRAILER') {
    throw new StorageError('InvalidRequest', {
      detail:
        `${kind} requests don't support this x-amz-content-sha256 value. ` +
        'Please use UNSIGNED-PAYLOAD or STREAMING-UNSIGNED-PAYLOAD-TRAILER.',
    });
  }
  return decodeBody(request, parsePayload(payloadHash), null);
}

/**
 * InvalidRequest for a checksum that is promised in a trailer which the framing has no place for:
 * it would silently go unchecked.
 */
export function checkTrailerIsAnnounced(request: HttpRequest, payload: Payload): void {
  const hasTrailer = payload.kind === 'chunked' && payload.hasTrailer;
  if (hasTrailer || request.header('x-amz-trailer') === null) return;
  throw new StorageError('InvalidRequest', {
    detail: 'x-amz-trailer needs an x-amz-content-sha256 that ends in -TRAILER',
  });
}
