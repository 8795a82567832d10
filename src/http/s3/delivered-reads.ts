// Reads that delivery serves in place of an operation: plain reads by strangers,
// which have its tiers, and images that the owner of a bucket has signed a request
// for. routes.ts looks here with GetObject and HeadObject alone: before it
// authorizes, and again when the bucket is open.
import type { BucketId, BucketRecord } from '../../domain/nouns.ts';
import type { S3Address } from '../address.ts';
import type { RequestedOptions } from '../delivery/object-read.ts';
import type { HttpRequest } from '../request.ts';
import { hasImageParameters } from '../semantics/image-query.ts';
import type { S3Call } from './call/call.ts';

/**
 * Delivery's response to a read of an object, both parts of its address still
 * percent-encoded.
 */
export type Deliver = (
  request: HttpRequest,
  rawBucket: string,
  rawKey: string,
  requestId: string,
  hasOwnOrigin: boolean,
  options: RequestedOptions,
) => Response | Promise<Response>;

/**
 * Has delivery serve the call. `ownersBucket`: the bucket whose owner has signed
 * it, which opens images of any size; null: nobody's signature.
 */
export function deliverCall(
  deliver: Deliver,
  call: S3Call,
  { bucket, rawKey }: S3Address,
  ownersBucket: BucketId | null,
): Response | Promise<Response> {
  const { request, requestId, hasOwnOrigin, header } = call;
  return deliver(request, bucket ?? '', rawKey ?? '', requestId, hasOwnOrigin, {
    ownersBucket,
    expectedOwner: header('x-amz-expected-bucket-owner'),
    checksumMode: header('x-amz-checksum-mode'),
  });
}

/** Whether a read of an object is unsigned, and one that delivery serves. */
export function isDelivered(call: S3Call): boolean {
  return call.principal.kind === 'anonymous' && isPlainRead(call);
}

/**
 * Whether the owner of the bucket has signed the parameters of an image, as
 * Signature Version 4 does; it may be of any size then. Other accounts may be let
 * in to read, not to have things made and kept.
 */
export function isOwnersImage(call: S3Call, { ownerId, settings }: BucketRecord): boolean {
  const { principal, request, isQuerySigned } = call;
  if (settings.hosting?.images == null || !hasImageParameters(request.rawQuery)) return false;
  if (principal.kind !== 'account' || principal.account.id !== ownerId) return false;
  return isQuerySigned && isPlainRead(call);
}

/**
 * Parameters that delivery does not have; unsigned-headers.ts keeps the owner's
 * rules for them.
 */
const INDEX_READ_PARAMETERS = /^(?:versionId|partNumber|response-.*)$/;
const KEY_HEADER = 'x-amz-server-side-encryption-customer-algorithm';

function isPlainRead({ query, header }: S3Call): boolean {
  return (
    !query.entries.some(([name]) => INDEX_READ_PARAMETERS.test(name)) && header(KEY_HEADER) === null
  );
}
