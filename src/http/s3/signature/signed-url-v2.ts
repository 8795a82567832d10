// URLs that are signed by Signature Version 2: what such a URL claims, and what its
// signer has signed. boto3 and the AWS CLI still presign so for the old regions of
// AWS. authenticate.ts calls it. No header is ever read for a signature of this
// version. The signature covers neither the host nor parameters that are no
// sub-resource. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/RESTAuthentication.html
import { hmacSha1Base64, isEqualInConstantTime } from '../../../crypto/hash.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { AccessKeyId } from '../../../domain/nouns.ts';
import type { HttpRequest } from '../../request.ts';
import { latin1Bytes, textToHeader } from '../../semantics/header-text.ts';
import { RESPONSE_OVERRIDES } from '../../semantics/object-headers.ts';
import { parseQuery } from '../../semantics/raw-path.ts';
import { unsupportedMechanism } from './authorization-header.ts';
import { requireBefore } from './request-time.ts';
import { SIGNED_SUBRESOURCES } from './signed-subresources.ts';

/** Parts of a request that such a signature covers, or is read with. */
export type UrlParts = Pick<
  HttpRequest,
  'method' | 'rawPath' | 'rawQuery' | 'header' | 'headerNames'
>;

/** Claims of a URL; nothing of it is proven yet. */
export type UrlV2 = {
  readonly accessKeyId: AccessKeyId;
  readonly signature: string;
  readonly payloadHash: string;
  /** What its signer must have signed. */
  readonly signed: SignedPartsV2;
};

/** Pieces of the signed text: bytes, one character each. */
export type SignedPartsV2 = {
  readonly method: string;
  readonly contentMd5: string;
  readonly contentType: string;
  /** Seconds since 1970, as sent. */
  readonly expires: string;
  /** Headers that begin with `x-amz-`, sorted. */
  readonly amzHeaders: readonly (readonly [name: string, value: string])[];
  /** Path with the bucket, as it was sent. */
  readonly path: string;
  /** Sub-resources and overrides of headers, decoded and sorted. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
};

/**
 * Further headers that the query of such a URL may carry, as botocore writes them
 * there.
 */
export const QUERY_HEADERS_V2: readonly string[] = ['content-md5', 'content-type'];

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);
/** A key id comes back in error documents. Characters; S3's have at most 128. */
const ACCESS_KEY_ID = /^[!-~]{1,128}$/;
const BARE_BUCKET = /^\/[^/]+$/;
const SECONDS = /^\d{1,12}$/;
/**
 * A line break in a value could stand for lines that the signer meant as others.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

/**
 * Parameters that are signed: those that S3 lists, and every other that makes a
 * request another operation here. A signed URL of one operation must be good for no
 * other.
 */
const SIGNED_PARAMETERS: ReadonlySet<string> = new Set([
  ...SIGNED_SUBRESOURCES,
  'partNumber',
  'uploadId',
  'versionId',
  ...RESPONSE_OVERRIDES,
]);

const denied = (detail: string): StorageError => new StorageError('AccessDenied', { detail });

/**
 * Reads a URL. `path`: path of the target with its bucket, whatever host named
 * that. InvalidRequest (another method), AccessDenied (a parameter is missing or
 * malformed, or the URL has expired), NotImplemented (session tokens), InvalidURI.
 * Unlike a URL of Version 4 it may live as long as its signer chose, as with S3.
 */
export function readUrlV2(request: UrlParts, path: string, nowMs: number): UrlV2 {
  if (!METHODS.has(request.method)) throw unsupportedMechanism();
  const query = parseQuery(request.rawQuery);
  const accessKeyId = query.get('AWSAccessKeyId') ?? '';
  const signature = query.get('Signature') ?? '';
  const expires = query.get('Expires') ?? '';
  if (!ACCESS_KEY_ID.test(accessKeyId) || signature === '' || expires === '') {
    throw denied(
      'Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters',
    );
  }
  if (!SECONDS.test(expires)) {
    throw denied(`Invalid date (should be seconds since epoch): ${expires.slice(0, 40)}`);
  }
  const headers = headersOf(request, query.entries);
  if (headers.has('x-amz-security-token')) {
    throw new StorageError('NotImplemented', {
      detail: 'Session tokens (x-amz-security-token) are not implemented.',
    });
  }
  requireBefore(Number(expires) * 1000, nowMs);
  const parameters = query.entries.filter(([name]) => SIGNED_PARAMETERS.has(name));
  for (const [, value] of parameters) requireUnambiguous(value);
  return {
    // The only maker of an AccessKeyId out of such a URL: it is good for nothing
    // but asking the directory.
    accessKeyId: accessKeyId as AccessKeyId,
    // Base64 has no spaces: these were pluses that a client did not escape.
    signature: signature.replaceAll(' ', '+'),
    payloadHash: headers.get('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD',
    signed: {
      method: request.method,
      contentMd5: headers.get('content-md5') ?? '',
      contentType: headers.get('content-type') ?? '',
      expires,
      amzHeaders: [...headers].filter(([name]) => name.startsWith('x-amz-')).toSorted(byName),
      path,
      parameters: parameters
        .map(([name, value]) => [name, textToHeader(value)] as const)
        .toSorted(byName),
    },
  };
}

/**
 * Whether the signature is the one of these parts, under this secret. botocore
 * sends a bucket as `/bucket` and signs it as `/bucket/`, which are the same. Cost:
 * one HMAC-SHA-1, of a bucket two at most.
 */
export function isSignatureV2(parts: SignedPartsV2, secret: string, signature: string): boolean {
  const isRight = (path: string): boolean => {
    const bytes = latin1Bytes(stringToSignV2({ ...parts, path }));
    return bytes !== null && isEqualInConstantTime(hmacSha1Base64(secret, bytes), signature);
  };
  return isRight(parts.path) || (BARE_BUCKET.test(parts.path) && isRight(`${parts.path}/`));
}

/** The text that is signed. */
export function stringToSignV2(parts: SignedPartsV2): string {
  const { method, contentMd5, contentType, expires, amzHeaders, path, parameters } = parts;
  const lines = amzHeaders.map(([name, value]) => `${name}:${value}\n`).join('');
  const query = parameters
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`))
    .join('&');
  const head = `${method}\n${contentMd5}\n${contentType}\n${expires}\n${lines}`;
  return query === '' ? `${head}${path}` : `${head}${path}?${query}`;
}

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
  a < b ? -1 : a > b ? 1 : 0;

/**
 * Headers that are signed, of the request and of its query: what was sent as a
 * header wins, then what came first.
 */
function headersOf(
  request: UrlParts,
  parameters: readonly (readonly [name: string, value: string])[],
): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const keep = (name: string, value: string): void => {
    if (headers.has(name) || !(name.startsWith('x-amz-') || QUERY_HEADERS_V2.includes(name)))
      return;
    if (CONTROL.test(value)) throw denied('A signed header must not contain control characters.');
    headers.set(name, value.trim());
  };
  for (const name of request.headerNames()) keep(name, request.header(name) ?? '');
  for (const [name, value] of parameters) keep(name.toLowerCase(), textToHeader(value));
  return headers;
}

/**
 * The signed text has parameters decoded, with `&` between. A value that holds what
 * reads as a further one could swallow that one: `?a=1&versionId=2` and
 * `?a=1%26versionId%3D2` have one signature. AccessDenied.
 */
function requireUnambiguous(value: string): void {
  const isAmbiguous = value
    .split('&')
    .slice(1)
    .some((piece) => SIGNED_PARAMETERS.has(piece.split('=', 1)[0] ?? ''));
  if (isAmbiguous || CONTROL.test(value)) {
    throw denied(
      'A signed parameter must not contain control characters, nor what reads as another ' +
        'parameter.',
    );
  }
}
