// The request headers that can change how a public read is answered: one list for
// the app, which sends a read with some of them to the S3 surface, and for the fast
// path, which leaves every request that has any of them alone. Whoever lets
// delivery read another header adds it here;
// test/http/delivery/deciding-headers.test.ts fails until then.
import type { HttpRequest } from '../request.ts';
import { SERVICE_WORKER_HEADER } from '../semantics/active-content.ts';
import { CORS_REQUEST_HEADERS } from '../semantics/cors.ts';
import { WANT_DIGEST_HEADERS } from '../semantics/digest-fields.ts';

/**
 * Make a GET or HEAD of an object an S3 call, which delivery may still answer:
 * s3/routes.ts looks.
 */
export const S3_READ_HEADERS = [
  'authorization',
  'x-amz-checksum-mode',
  'x-amz-expected-bucket-owner',
  'x-amz-server-side-encryption-customer-algorithm',
] as const;

/**
 * All but Host, If-None-Match, Range and SELECTING_HEADERS, which the fast path
 * itself understands.
 * Names in lower case.
 */
export const DECIDING_HEADERS = [
  ...S3_READ_HEADERS,
  'if-range',
  SERVICE_WORKER_HEADER,
  ...CORS_REQUEST_HEADERS,
  ...WANT_DIGEST_HEADERS,
] as const;

/**
 * Names among the deciding headers that a signed read out of memory understands:
 * s3/fast-read/fast-read.ts.
 */
export const SIGNING_HEADERS = [
  'authorization',
  'x-amz-checksum-mode',
] as const satisfies readonly (typeof S3_READ_HEADERS)[number][];

/** Both lists, for the platforms' fast paths. */
export const FAST_PATH_HEADERS = {
  decidingHeaders: DECIDING_HEADERS,
  signingHeaders: SIGNING_HEADERS,
} as const;

/**
 * An unsigned read of an object without sub-resources: the public path, decided
 * before anything S3.
 */
export function isPlainRead(request: HttpRequest): boolean {
  return (
    (request.method === 'GET' || request.method === 'HEAD') &&
    request.rawQuery === '' &&
    S3_READ_HEADERS.every((name) => request.header(name) === null)
  );
}
