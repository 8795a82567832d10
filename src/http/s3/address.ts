// The address of an S3 request: as it came, decoded, and as Signature Version 2
// signs it.
import { decodePathSegment } from '../semantics/raw-path.ts';
import type { Target } from './call/call.ts';

/**
 * Target of a request, both parts still percent-encoded. `rawKey` null means the
 * bucket, `bucket` null the service.
 */
export type S3Address = {
  readonly bucket: string | null;
  readonly rawKey: string | null;
  /**
   * Whether the host is the bucket's own, and with it the origin that a browser
   * sees.
   */
  readonly isVirtualHost: boolean;
};

/**
 * InvalidURI, before anything else: what decodes to no text can't be signed either.
 */
export function decodeAddress({ bucket, rawKey }: S3Address): Target {
  return {
    bucket: bucket === null ? null : decodePathSegment(bucket),
    key: rawKey === null ? null : decodePathSegment(rawKey),
  };
}

/**
 * The path with its bucket, whatever host named that: Signature Version 2 signs no
 * host.
 */
export function signedPathOf(
  rawPath: string,
  { bucket, rawKey, isVirtualHost }: S3Address,
): string {
  return isVirtualHost ? `/${bucket ?? ''}/${rawKey ?? ''}` : rawPath;
}
