// Reads the claims out of the query of a presigned URL. authenticate.ts calls it.
// Messages are S3's. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
import { StorageError } from '../../../domain/errors.ts';
import type { HttpRequest } from '../../request.ts';
import { parseCanonicalQuery, type QueryParameter } from './canonical-request.ts';
import { type Claims, parseCredential, parseSignedHeaders } from './credential.ts';
import {
  checkExpiry,
  MAX_EXPIRES_SECONDS,
  parseAmzDate,
  type RequestTime,
} from './request-time.ts';

const V4_PARAMETER = /(?:^|&)X-Amz-(?:Algorithm|Credential|Signature)=/;
const V2_PARAMETER = /(?:^|&)AWSAccessKeyId=/;
/**
 * No authentication parameter needs more, and some come back in error documents.
 */
const PRINTABLE = /^[ -~]*$/;
const NUMBER = /^-?\d{1,15}$/;

/**
 * The way in which a query is signed: `v2` is the old kind, with AWSAccessKeyId.
 */
export type QueryAuth = 'v4' | 'v2' | 'none';

/**
 * Tells from the query alone whether it carries a signature. Cheap for the queries
 * that don't.
 */
export function detectQueryAuth(rawQuery: string): QueryAuth {
  if (rawQuery.includes('X-Amz-') && V4_PARAMETER.test(rawQuery)) return 'v4';
  return rawQuery.includes('AWSAccessKeyId') && V2_PARAMETER.test(rawQuery) ? 'v2' : 'none';
}

/**
 * Reads the claims of a presigned URL. AuthorizationQueryParametersError (400),
 * NotImplemented (SigV4A, session tokens), AccessDenied (403: the URL has expired,
 * or is dated more than 15 minutes ahead).
 */
export function readPresignedQuery(
  request: Pick<HttpRequest, 'header' | 'rawQuery'>,
  nowMs: number,
): Claims {
  const query = parseCanonicalQuery(request.rawQuery);
  const sent = (name: string): string | null => decodedValue(query, name);
  const algorithm = required(sent('X-Amz-Algorithm'));
  const credentialText = required(sent('X-Amz-Credential'));
  const date = required(sent('X-Amz-Date'));
  const expires = required(sent('X-Amz-Expires'));
  const signedHeadersText = required(sent('X-Amz-SignedHeaders'));
  const signature = required(sent('X-Amz-Signature'));
  checkAlgorithm(algorithm);
  const credential = parseCredential(credentialText);
  if ('problem' in credential)
    throw malformed(`Error parsing the X-Amz-Credential parameter; ${credential.problem}`);
  const signed = parseSignedHeaders(signedHeadersText);
  if ('problem' in signed) throw malformed(signed.problem);
  if (sent('X-Amz-Security-Token') !== null || request.header('x-amz-security-token') !== null) {
    throw new StorageError('NotImplemented', {
      detail: 'Session tokens (X-Amz-Security-Token) are not implemented.',
    });
  }
  const time = readTime(date, credential.date);
  checkExpiry(time, readExpires(expires), nowMs);
  return {
    credential,
    time,
    ...signed,
    signature,
    payloadHash:
      sent('X-Amz-Content-Sha256') ?? request.header('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD',
    query,
    isPresigned: true,
  };
}

/**
 * A life that no URL can have opens nothing: 403, as ceph/s3-tests wants it (S3:
 * AuthorizationQueryParametersError).
 */
function outOfRange(detail: string): StorageError {
  return new StorageError('AccessDenied', { detail });
}

function malformed(detail: string): StorageError {
  return new StorageError('AuthorizationQueryParametersError', { detail });
}

/**
 * Value of the first parameter of that name, or null.
 * AuthorizationQueryParametersError for one that none can have.
 */
function decodedValue(query: readonly QueryParameter[], name: string): string | null {
  const parameter = query.find((each) => each.name === name);
  if (parameter === undefined) return null;
  // In canonical encoding, a text without escapes is unreserved characters alone.
  if (!parameter.value.includes('%')) return parameter.value;
  try {
    const value = decodeURIComponent(parameter.value);
    if (PRINTABLE.test(value)) return value;
  } catch {
    // The escapes are no UTF-8: refused below, like any other text that is not
    // printable ASCII.
  }
  throw new StorageError('AuthorizationQueryParametersError');
}

function required(value: string | null): string {
  if (value !== null && value !== '') return value;
  throw malformed(
    'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, ' +
      'X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
  );
}

function checkAlgorithm(algorithm: string): void {
  if (algorithm === 'AWS4-HMAC-SHA256') return;
  if (algorithm === 'AWS4-ECDSA-P256-SHA256') {
    throw new StorageError('NotImplemented', {
      detail:
        'AWS4-ECDSA-P256-SHA256 (Signature Version 4A) is not implemented. Please use ' +
        'AWS4-HMAC-SHA256.',
    });
  }
  throw malformed('X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"');
}

function readTime(date: string, credentialDate: string): RequestTime {
  const time = parseAmzDate(date);
  if (time === null)
    throw malformed(`X-Amz-Date must be in the ISO8601 Long Format "yyyyMMdd'T'HHmmss'Z'"`);
  if (time.amzDate.startsWith(credentialDate)) return time;
  throw malformed(
    `Invalid credential date "${credentialDate}". This date is not the same as X-Amz-Date: ` +
      `"${date.slice(0, 8)}".`,
  );
}

/** 0 is let through: such a URL is well formed, and has expired. */
function readExpires(text: string): number {
  if (!NUMBER.test(text)) throw malformed('X-Amz-Expires should be a number');
  const seconds = Number(text);
  if (seconds < 0) throw outOfRange('X-Amz-Expires must be non-negative');
  if (seconds > MAX_EXPIRES_SECONDS) {
    throw outOfRange(
      'X-Amz-Expires must be less than a week (in seconds); that is, the given ' +
        `X-Amz-Expires must be less than ${MAX_EXPIRES_SECONDS} seconds`,
    );
  }
  return seconds;
}
