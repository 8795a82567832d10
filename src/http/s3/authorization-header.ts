// Reads the claims out of an Authorization header. authenticate.ts calls it. Messages are S3's; none of them repeats
// the header, which may hold somebody's token for another service.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html
import { StorageError } from '../../ports/errors.ts';
import type { HttpRequest } from '../request.ts';
import { parseQuery } from './canonical-request.ts';
import { type Claims, parseCredential } from './credential.ts';
import { checkSkew, parseRequestDate, type RequestTime } from './request-time.ts';

/** What nearly every client sends; anything else goes the long way. */
const USUAL_FORM = /^AWS4-HMAC-SHA256 Credential=([^, \t]+), ?SignedHeaders=([^, \t]+), ?Signature=([^, \t]+)$/;
const SCHEME_AND_REST = /^([^ \t]+)(?:[ \t]+(.*))?$/;
const PARTS = 3;

/**
 * InvalidArgument and InvalidRequest (another scheme), NotImplemented (SigV4A, session tokens), AccessDenied (no
 * date), AuthorizationHeaderMalformed, RequestTimeTooSkewed, InvalidRequest (no x-amz-content-sha256).
 * `region` is named to clients that got the header wrong.
 */
export function readAuthorizationHeader(
  request: HttpRequest,
  authorization: string,
  nowMs: number,
  region: string,
): Claims {
  const parts = splitHeader(authorization, region);
  const credential = parseCredential(parts.credential);
  if ('problem' in credential) throw malformed(credential.problem, region);
  if (request.header('x-amz-security-token') !== null) {
    throw new StorageError('NotImplemented', { detail: 'Session tokens (x-amz-security-token) are not implemented.' });
  }
  const time = readTime(request, nowMs);
  if (!time.amzDate.startsWith(credential.date)) {
    const problem = `Invalid credential date "${credential.date}". This date is not the same as X-Amz-Date: "${time.amzDate.slice(0, 8)}".`;
    throw malformed(problem, region);
  }
  const payloadHash = request.header('x-amz-content-sha256');
  if (payloadHash === null) {
    throw new StorageError('InvalidRequest', {
      detail: 'Missing required header for this request: x-amz-content-sha256',
    });
  }
  const signedHeadersText = parts.signedHeaders.toLowerCase();
  return {
    credential,
    time,
    signedHeaders: signedHeadersText.split(';'),
    signedHeadersText,
    signature: parts.signature,
    payloadHash,
    query: parseQuery(request.rawQuery),
    isPresigned: false,
  };
}

function malformed(problem: string, region: string): StorageError {
  return new StorageError('AuthorizationHeaderMalformed', {
    detail: `The authorization header is malformed; ${problem}`,
    fields: { Region: region },
  });
}

/** What follows the scheme, which must be AWS4-HMAC-SHA256. */
function schemeRest(authorization: string): string {
  const [, scheme, rest] = SCHEME_AND_REST.exec(authorization.trim()) ?? [];
  switch (scheme) {
    case 'AWS4-HMAC-SHA256':
      return rest ?? '';
    case 'AWS4-ECDSA-P256-SHA256':
      throw new StorageError('NotImplemented', {
        detail: 'AWS4-ECDSA-P256-SHA256 (Signature Version 4A) is not implemented. Please use AWS4-HMAC-SHA256.',
      });
    case 'AWS':
      throw unsupportedMechanism();
    default:
      throw new StorageError('InvalidArgument', {
        detail: 'Unsupported Authorization Type',
        fields: { ArgumentName: 'Authorization' },
      });
  }
}

/** The answer to Signature Version 2, in the header or in the query. */
export function unsupportedMechanism(): StorageError {
  return new StorageError('InvalidRequest', {
    detail: 'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.',
  });
}

type HeaderParts = { readonly credential: string; readonly signedHeaders: string; readonly signature: string };

/** The three components, in any order and with any space between them. */
function splitHeader(authorization: string, region: string): HeaderParts {
  const [, usualCredential, usualHeaders, usualSignature] = USUAL_FORM.exec(authorization) ?? [];
  if (usualCredential !== undefined && usualHeaders !== undefined && usualSignature !== undefined) {
    return { credential: usualCredential, signedHeaders: usualHeaders, signature: usualSignature };
  }
  const parts = schemeRest(authorization).split(',');
  const found = new Map<string, string>();
  for (const part of parts) {
    const equals = part.indexOf('=');
    found.set(part.slice(0, Math.max(equals, 0)).trim(), part.slice(equals + 1).trim());
  }
  const credential = found.get('Credential');
  const signedHeaders = found.get('SignedHeaders');
  const signature = found.get('Signature');
  if (
    credential === undefined ||
    signedHeaders === undefined ||
    signature === undefined ||
    found.size !== PARTS ||
    parts.length !== PARTS
  ) {
    const problem = 'the authorization header requires three components: Credential, SignedHeaders, and Signature.';
    throw malformed(problem, region);
  }
  return { credential, signedHeaders, signature };
}

/** X-Amz-Date, or without it Date. */
function readTime(request: HttpRequest, nowMs: number): RequestTime {
  const sent = request.header('x-amz-date') ?? request.header('date');
  const time = sent === null ? null : parseRequestDate(sent.trim());
  if (sent === null || time === null) {
    throw new StorageError('AccessDenied', {
      detail: 'AWS authentication requires a valid Date or x-amz-date header',
    });
  }
  checkSkew(time, sent, nowMs);
  return time;
}
