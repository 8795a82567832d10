// Reads the claims out of an Authorization header. authenticate.ts calls it.
// Messages are S3's; none of them repeats the header, which may hold somebody's
// token for another service. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html
import { StorageError } from '../../../domain/errors.ts';
import type { HttpRequest } from '../../request.ts';
import { parseCanonicalQuery } from './canonical-request.ts';
import { type Claims, parseCredential, parseSignedHeaders } from './credential.ts';
import { checkSkew, parseRequestDate, type RequestTime } from './request-time.ts';

/** Who signed, and which headers: what many requests of a client have in common. */
type Signer = Pick<Claims, 'credential' | 'signedHeaders' | 'signedHeadersText'>;

/**
 * Entries of the cache; with more, it begins anew. With the longest headers 4 MB.
 */
const KNOWN_SIGNERS_MAX = 4096;
const SIGNATURE_LENGTH = 64;
const SIGNATURE_NAME = 'Signature=';

/**
 * Cache of parsed headers by their text up to the signature, which many requests of
 * a client share. Reading one takes longer than all other parts of a check.
 */
export type KnownSigners = {
  find(authorization: string): Signer | null;
  /**
   * Remembers who signed so. Called only once the signature was right, so that
   * strangers can't push out good ones.
   */
  keep(authorization: string, signer: Signer): void;
};

export function createKnownSigners(): KnownSigners {
  const known = new Map<string, Signer>();
  /** Null for a header that does not end in a signature of its length. */
  const beginningOf = (authorization: string): string | null => {
    const at = authorization.length - SIGNATURE_LENGTH;
    return authorization.startsWith(SIGNATURE_NAME, at - SIGNATURE_NAME.length)
      ? authorization.slice(0, at)
      : null;
  };
  return {
    find(authorization) {
      const beginning = beginningOf(authorization);
      // A signature that is none of hex digits could be no end of such a header,
      // but of another, longer one.
      if (beginning === null || /[, \t]/.test(authorization.slice(-SIGNATURE_LENGTH))) return null;
      return known.get(beginning) ?? null;
    },
    keep(authorization, { credential, signedHeaders, signedHeadersText }) {
      const beginning = beginningOf(authorization);
      if (beginning === null || known.has(beginning)) return;
      if (known.size === KNOWN_SIGNERS_MAX) known.clear();
      known.set(beginning, { credential, signedHeaders, signedHeadersText });
    },
  };
}

const PARTS = 3;

/**
 * Reads the claims of a request that is signed in its header. InvalidArgument and
 * InvalidRequest (another scheme), NotImplemented (SigV4A, session tokens),
 * AccessDenied (no date), AuthorizationHeaderMalformed, RequestTimeTooSkewed,
 * InvalidRequest (no x-amz-content-sha256). `region` is named to clients that got
 * the header wrong.
 */
export function readAuthorizationHeader(
  request: Pick<HttpRequest, 'header' | 'rawQuery'>,
  authorization: string,
  {
    nowMs,
    region,
    signers,
  }: { readonly nowMs: number; readonly region: string; readonly signers: KnownSigners },
): Claims {
  const known = signers.find(authorization);
  const { credential, signedHeaders, signedHeadersText, signature } =
    known === null
      ? readHeader(authorization, region)
      : { ...known, signature: authorization.slice(-SIGNATURE_LENGTH) };
  if (request.header('x-amz-security-token') !== null) {
    throw new StorageError('NotImplemented', {
      detail: 'Session tokens (x-amz-security-token) are not implemented.',
    });
  }
  const time = readTime(request, nowMs);
  if (!time.amzDate.startsWith(credential.date)) {
    const problem =
      `Invalid credential date "${credential.date}". This date is not the same as ` +
      `X-Amz-Date: "${time.amzDate.slice(0, 8)}".`;
    throw malformed(problem, region);
  }
  const payloadHash = request.header('x-amz-content-sha256');
  if (payloadHash === null) {
    throw new StorageError('InvalidRequest', {
      detail: 'Missing required header for this request: x-amz-content-sha256',
    });
  }
  return {
    credential,
    time,
    signedHeaders,
    signedHeadersText,
    signature,
    payloadHash,
    query: parseCanonicalQuery(request.rawQuery),
    isPresigned: false,
  };
}

function readHeader(
  authorization: string,
  region: string,
): Signer & { readonly signature: string } {
  const parts = splitHeader(authorization, region);
  const credential = parseCredential(parts.credential);
  if ('problem' in credential) throw malformed(credential.problem, region);
  const signed = parseSignedHeaders(parts.signedHeaders);
  if ('problem' in signed) throw malformed(signed.problem, region);
  return { credential, ...signed, signature: parts.signature };
}

function malformed(problem: string, region: string): StorageError {
  return new StorageError('AuthorizationHeaderMalformed', {
    detail: `The authorization header is malformed; ${problem}`,
    fields: { Region: region },
  });
}

/** The rest of a header behind its scheme, which must be AWS4-HMAC-SHA256. */
function schemeRest(authorization: string): string {
  const text = authorization.trim();
  const [scheme = ''] = text.split(/[ \t]/, 1);
  switch (scheme) {
    case 'AWS4-HMAC-SHA256':
      return text.slice(scheme.length).trimStart();
    case 'AWS4-ECDSA-P256-SHA256':
      throw new StorageError('NotImplemented', {
        detail:
          'AWS4-ECDSA-P256-SHA256 (Signature Version 4A) is not implemented. Please use ' +
          'AWS4-HMAC-SHA256.',
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

/** The error for Signature Version 2, in the header or in the query. */
export function unsupportedMechanism(): StorageError {
  return new StorageError('InvalidRequest', {
    detail:
      'The authorization mechanism you have provided is not supported. Please use ' +
      'AWS4-HMAC-SHA256.',
  });
}

type HeaderParts = {
  readonly credential: string;
  readonly signedHeaders: string;
  readonly signature: string;
};

/** The three components, in any order and with any space between them. */
function splitHeader(authorization: string, region: string): HeaderParts {
  const parts = schemeRest(authorization).split(',');
  const components = new Map<string, string>();
  for (const part of parts) {
    const [name = '', ...value] = part.split('=');
    components.set(name.trim(), value.join('=').trim());
  }
  const credential = components.get('Credential');
  const signedHeaders = components.get('SignedHeaders');
  const signature = components.get('Signature');
  if (
    credential === undefined ||
    signedHeaders === undefined ||
    signature === undefined ||
    components.size !== PARTS ||
    parts.length !== PARTS
  ) {
    const problem =
      'the authorization header requires three components: Credential, SignedHeaders, and ' +
      'Signature.';
    throw malformed(problem, region);
  }
  return { credential, signedHeaders, signature };
}

/** X-Amz-Date, or without it Date. */
function readTime(request: Pick<HttpRequest, 'header'>, nowMs: number): RequestTime {
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
