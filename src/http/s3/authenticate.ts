// Tells who sent an S3 request and gives its body decoded. s3/routes.ts calls it once for each request, before
// authorization. It decides nothing about what the caller may do.
import { createSigningKeys, deriveSigningKey } from '../../crypto/signing-keys.ts';
import type { AccessKey, AccessKeyId, Principal } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import type { HttpRequest } from '../request.ts';
import {
  createKnownSigners,
  type KnownSigners,
  readAuthorizationHeader,
  unsupportedMechanism,
} from './authorization-header.ts';
import { unsignedHeaders } from './canonical-request.ts';
import { createChunkSignatures } from './chunk-signatures.ts';
import type { Claims } from './credential.ts';
import { type DecodedBody, decodeBody, type Payload, parsePayload } from './payload.ts';
import { detectQueryAuth, readPresignedQuery } from './presigned-query.ts';
import { createSignatureDoctor } from './signature-doctor.ts';
import { checkSignature, hasPlainSignature, type KeyFor } from './sigv4.ts';

export type { DecodedBody } from './payload.ts';

/**
 * Who sent a request. `isPresigned`: the signature stands in the URL. `signedAtMs`: the time that
 * the signature covers; null without a signature, or where it covers none.
 */
export type Authenticated = {
  readonly principal: Principal;
  readonly body: DecodedBody;
  readonly isPresigned: boolean;
  readonly signedAtMs: number | null;
};

/** What the authenticator works with. `region` is only named to clients that sign wrongly; any region is accepted. */
export type AuthenticatorOptions = {
  findAccessKey(id: AccessKeyId): Promise<AccessKey | null> | AccessKey | null;
  nowMs(): number;
  readonly region: string;
};

/** Answers at once when the access key is found at once; errors are thrown or rejected accordingly. */
export type Authenticate = (request: HttpRequest) => Authenticated | Promise<Authenticated>;

/** What of a request a signature is checked with. */
export type SignedRequest = Pick<HttpRequest, 'method' | 'rawPath' | 'rawQuery' | 'host' | 'header' | 'headerNames'>;

export type Authenticator = {
  readonly authenticate: Authenticate;
  /**
   * Whose right signature a request without a body has, and the query that it covers, when that can be told at once. Null,
   * or an error: ask the other, which says what is wrong, if anything is. Errors: as of the other.
   */
  readonly signerOf: (request: SignedRequest) => { readonly accessKey: AccessKey; readonly claims: Claims } | null;
};

/**
 * Makes the authenticator of an app; it keeps derived signing keys (see signing-keys.ts), nothing of a request.
 * Cost with a kept key: 5 µs, 2 of them SHA-256 and HMAC (bench/authenticate, November 2026). Errors:
 * InvalidAccessKeyId, SignatureDoesNotMatch, AccessDenied (unsigned headers, no date, URL expired),
 * RequestTimeTooSkewed, AuthorizationHeaderMalformed, AuthorizationQueryParametersError, InvalidArgument,
 * InvalidRequest, MissingContentLength, NotImplemented, and whatever `findAccessKey` fails with.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const keys = createSigningKeys();
  const signers = createKnownSigners();
  const diagnose = createSignatureDoctor(() => options.nowMs(), options.region);

  const prove = (
    request: HttpRequest,
    claims: Claims,
    payload: Payload,
    accessKey: AccessKey | null,
  ): Authenticated => {
    const { credential } = claims;
    if (accessKey === null) {
      throw new StorageError('InvalidAccessKeyId', { fields: { AWSAccessKeyId: credential.accessKeyId } });
    }
    const kept = keys.find(credential.text, accessKey.secret);
    const keyFor: KeyFor = ({ date, region }) => deriveSigningKey(accessKey.secret, { date, region, service: 's3' });
    const key = kept ?? keyFor(credential);
    checkSignature(request, claims, key, { diagnose, keyFor });
    if (kept === null) keys.keep(credential.text, accessKey.secret, key);
    if (!claims.isPresigned) signers.keep(request.header('authorization') ?? '', claims);
    const isSigned = payload.kind === 'chunked' && payload.isSigned;
    return {
      principal: principalOf(accessKey),
      body: decodeBody(request, payload, isSigned ? createChunkSignatures(claims, key) : null),
      isPresigned: claims.isPresigned,
      signedAtMs: claims.time.timeMs,
    };
  };

  return {
    authenticate(request) {
      const claims = readClaims(request, { nowMs: options.nowMs(), region: options.region, signers });
      if (claims === null) return anonymous(request);
      const payload = parsePayload(claims.payloadHash);
      checkUnsignedHeaders(request, claims);
      checkTrailerIsAnnounced(request, payload);
      const found = options.findAccessKey(claims.credential.accessKeyId);
      return found instanceof Promise
        ? found.then((accessKey) => prove(request, claims, payload, accessKey))
        : prove(request, claims, payload, found);
    },

    signerOf(request) {
      const claims = readClaims(request, { nowMs: options.nowMs(), region: options.region, signers });
      if (claims === null || parsePayload(claims.payloadHash).kind === 'chunked') return null;
      checkUnsignedHeaders(request, claims);
      const accessKey = options.findAccessKey(claims.credential.accessKeyId);
      if (accessKey === null || accessKey instanceof Promise) return null;
      // A key that is not kept yet is derived, and kept, by the other.
      const key = keys.find(claims.credential.text, accessKey.secret);
      return key !== null && hasPlainSignature(request, claims, key) ? { accessKey, claims } : null;
    },
  };
}

/** Who an access key speaks for, with what the key may do at most. */
export function principalOf({ account, id, scope = null }: AccessKey): Principal {
  const principal: Principal = { kind: 'account', account, accessKeyId: id };
  return scope === null ? principal : { ...principal, scope };
}

/** The claims of a signed request, or null when it carries no signature. */
function readClaims(
  request: SignedRequest,
  known: { readonly nowMs: number; readonly region: string; readonly signers: KnownSigners },
): Claims | null {
  const authorization = request.header('authorization');
  const hasHeader = authorization !== null && authorization !== '';
  const queryAuth = detectQueryAuth(request.rawQuery);
  if (hasHeader && queryAuth !== 'none') {
    throw new StorageError('InvalidArgument', {
      detail:
        'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
      fields: { ArgumentName: 'Authorization' },
    });
  }
  if (hasHeader) return readAuthorizationHeader(request, authorization, known);
  if (queryAuth === 'v2') throw unsupportedMechanism();
  return queryAuth === 'v4' ? readPresignedQuery(request, known.nowMs) : null;
}

/** Nobody in particular. The body is what came, without the framing of the one kind of chunks that needs no key. */
function anonymous(request: HttpRequest): Authenticated {
  const contentSha256 = request.header('x-amz-content-sha256') ?? '';
  const isStreaming = contentSha256.startsWith('STREAMING-');
  if (isStreaming && contentSha256 !== 'STREAMING-UNSIGNED-PAYLOAD-TRAILER') {
    throw new StorageError('InvalidRequest', {
      detail:
        "Anonymous requests don't support this x-amz-content-sha256 value. Please use UNSIGNED-PAYLOAD or STREAMING-UNSIGNED-PAYLOAD-TRAILER.",
    });
  }
  return {
    principal: { kind: 'anonymous' },
    body: decodeBody(request, parsePayload(isStreaming ? contentSha256 : 'UNSIGNED-PAYLOAD'), null),
    isPresigned: false,
    signedAtMs: null,
  };
}

function checkUnsignedHeaders(request: SignedRequest, claims: Claims): void {
  const missing = unsignedHeaders(request, claims.signedHeaders);
  if (missing.length === 0) return;
  throw new StorageError('AccessDenied', {
    detail: 'There were headers present in the request which were not signed',
    fields: { HeadersNotSigned: missing.join(', ') },
  });
}

/** A checksum promised in a trailer that the framing has no place for would silently go unchecked. */
function checkTrailerIsAnnounced(request: HttpRequest, payload: Payload): void {
  const hasTrailer = payload.kind === 'chunked' && payload.hasTrailer;
  if (hasTrailer || request.header('x-amz-trailer') === null) return;
  throw new StorageError('InvalidRequest', {
    detail: 'x-amz-trailer needs an x-amz-content-sha256 that ends in -TRAILER',
  });
}
