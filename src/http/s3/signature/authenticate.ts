// Tells who sent an S3 request and gives its body decoded. s3/routes.ts calls it once for each
// request, before authorization. It decides nothing about what the caller may do.
import { createSigningKeys, deriveSigningKey } from '../../../crypto/signing-keys.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { AccessKey, AccessKeyId, Principal } from '../../../domain/nouns.ts';
import type { HttpRequest } from '../../request.ts';
import {
  createKnownSigners,
  type KnownSigners,
  readAuthorizationHeader,
  unsupportedMechanism,
} from './authorization-header.ts';
import { parseQuery, unsignedHeaders } from './canonical-request.ts';
import { createChunkSignatures } from './chunk-signatures.ts';
import type { Claims } from './credential.ts';
import { createDiagnose } from './diagnose.ts';
import { type DecodedBody, decodeBody, type Payload, parsePayload } from './payload.ts';
import { detectQueryAuth, type QueryAuth, readPresignedQuery } from './presigned-query.ts';
import { createSignatureDoctor } from './signature-doctor.ts';
import {
  isSignatureV2,
  readUrlV2,
  type SignedPartsV2,
  stringToSignV2,
  type UrlV2,
} from './signed-url-v2.ts';
import { mistakesV2 } from './signed-url-v2-mistakes.ts';
import { checkSignature, hasPlainSignature, type KeyFor, signatureDoesNotMatch } from './sigv4.ts';

export type { DecodedBody } from './payload.ts';

/**
 * Versions of signatures, as policies name them (`s3:signatureversion`). `AWS` is Signature Version
 * 2.
 */
export type SignatureVersion = 'AWS' | 'AWS4-HMAC-SHA256';

/**
 * Who sent a request. `isPresigned`: the signature stands in the URL. `signatureVersion`: null
 * where nobody signed. `signedAtMs`: the time that the signature covers; null without a signature,
 * or where it covers none.
 */
export type Authenticated = {
  readonly principal: Principal;
  readonly body: DecodedBody;
  readonly isPresigned: boolean;
  readonly signedAtMs: number | null;
  readonly signatureVersion: SignatureVersion | null;
};

/**
 * What the authenticator works with. `region` is only named to clients that sign wrongly; any
 * region is accepted.
 */
export type AuthenticatorOptions = {
  findAccessKey(id: AccessKeyId): Promise<AccessKey | null> | AccessKey | null;
  nowMs(): number;
  readonly region: string;
  /** Hosts of the service, named to clients that signed another. */
  readonly ownHosts: readonly string[];
  /** Whether Signature Version 2 is taken: in URLs and for the policies of forms. */
  readonly isSignatureV2On: boolean;
};

/**
 * Answers at once when the access key is found at once; errors are thrown or rejected accordingly.
 * `path`: of what is asked for, encoded as it came, with its bucket, whatever host named that; by
 * default the request's own.
 */
export type Authenticate = (
  request: HttpRequest,
  path?: string,
) => Authenticated | Promise<Authenticated>;

/** What of a request a signature is checked with. */
export type SignedRequest = Pick<
  HttpRequest,
  'method' | 'rawPath' | 'rawQuery' | 'host' | 'header' | 'headerNames'
>;

export type Authenticator = {
  readonly authenticate: Authenticate;
  /**
   * Whose right signature a request without a body has, when that can be told at once. Null, or an
   * error: ask the other, which says what is wrong, if anything is. Errors, and `path`: as of the
   * other.
   */
  readonly signerOf: (request: SignedRequest, path: string) => Signer | null;
};

/** Who signed a request, and its query in canonical encoding. */
export type Signer = Pick<Claims, 'query' | 'isPresigned'> & { readonly accessKey: AccessKey };

/**
 * Makes the authenticator of an app; it keeps derived signing keys (see signing-keys.ts), nothing
 * of a request. Cost with a kept key: 5 µs, 2 of them SHA-256 and HMAC (bench/authenticate,
 * November 2026). Errors: InvalidAccessKeyId, SignatureDoesNotMatch, AccessDenied (unsigned
 * headers, no date, URL expired), RequestTimeTooSkewed, AuthorizationHeaderMalformed,
 * AuthorizationQueryParametersError, InvalidArgument, InvalidRequest, MissingContentLength,
 * NotImplemented, and whatever `findAccessKey` fails with.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const keys = createSigningKeys();
  const signers = createKnownSigners();
  const tryMistakes = createDiagnose(() => options.nowMs());
  const diagnose = createSignatureDoctor(tryMistakes, options);

  const prove = (
    request: HttpRequest,
    claims: Claims,
    payload: Payload,
    accessKey: AccessKey | null,
  ): Authenticated => {
    const { credential } = claims;
    if (accessKey === null) throw unknownKey(credential.accessKeyId);
    const kept = keys.find(credential.text, accessKey.secret);
    const keyFor: KeyFor = ({ date, region }) =>
      deriveSigningKey(accessKey.secret, { date, region, service: 's3' });
    const key = kept ?? keyFor(credential);
    checkSignature(request, claims, key, { diagnose, keyFor });
    if (kept === null) keys.keep(credential.text, accessKey.secret, key);
    if (!claims.isPresigned) signers.keep(request.header('authorization') ?? '', claims);
    const isSigned = payload.kind === 'chunked' && payload.isSigned;
    return {
      principal: principalOf(accessKey),
      body: decodeBody(request, payload, isSigned ? createChunkSignatures(claims, key) : null),
      isPresigned: claims.isPresigned,
      signatureVersion: 'AWS4-HMAC-SHA256',
      signedAtMs: claims.time.timeMs,
    };
  };

  const readUrl = (request: SignedRequest, path: string): UrlV2 => {
    if (!options.isSignatureV2On) throw unsupportedMechanism();
    return readUrlV2(request, path, options.nowMs());
  };

  const proveUrl = (
    request: HttpRequest,
    url: UrlV2,
    accessKey: AccessKey | null,
  ): Authenticated => {
    if (accessKey === null) throw unknownKey(url.accessKeyId);
    const isSignatureOf = (signed: SignedPartsV2) =>
      isSignatureV2(signed, accessKey.secret, url.signature);
    if (!isSignatureOf(url.signed)) {
      const finding = tryMistakes(mistakesV2(url.signed), ({ signed }) => isSignatureOf(signed));
      throw signatureDoesNotMatch(finding, {
        AWSAccessKeyId: url.accessKeyId,
        StringToSign: stringToSignV2(url.signed),
        SignatureProvided: url.signature,
      });
    }
    return {
      principal: principalOf(accessKey),
      body: decodeUnsigned(request, url.payloadHash, 'Signature Version 2'),
      isPresigned: true,
      signatureVersion: 'AWS',
      signedAtMs: null,
    };
  };

  return {
    authenticate(request, path = request.rawPath) {
      const mechanism = mechanismOf(request);
      if (mechanism === 'none') return anonymous(request);
      if (mechanism === 'v2') {
        const url = readUrl(request, path);
        checkTrailerIsAnnounced(request, parsePayload(url.payloadHash));
        const found = options.findAccessKey(url.accessKeyId);
        return found instanceof Promise
          ? found.then((accessKey) => proveUrl(request, url, accessKey))
          : proveUrl(request, url, found);
      }
      const claims = readClaims(request, mechanism, {
        nowMs: options.nowMs(),
        region: options.region,
        signers,
      });
      const payload = parsePayload(claims.payloadHash);
      checkUnsignedHeaders(request, claims);
      checkTrailerIsAnnounced(request, payload);
      const found = options.findAccessKey(claims.credential.accessKeyId);
      return found instanceof Promise
        ? found.then((accessKey) => prove(request, claims, payload, accessKey))
        : prove(request, claims, payload, found);
    },

    signerOf(request, path) {
      const mechanism = mechanismOf(request);
      if (mechanism === 'none') return null;
      if (mechanism === 'v2') {
        const { accessKeyId, signature, signed } = readUrl(request, path);
        const accessKey = options.findAccessKey(accessKeyId);
        if (accessKey === null || accessKey instanceof Promise) return null;
        const isRight = isSignatureV2(signed, accessKey.secret, signature);
        return isRight
          ? { accessKey, query: parseQuery(request.rawQuery), isPresigned: true }
          : null;
      }
      const claims = readClaims(request, mechanism, {
        nowMs: options.nowMs(),
        region: options.region,
        signers,
      });
      if (parsePayload(claims.payloadHash).kind === 'chunked') return null;
      checkUnsignedHeaders(request, claims);
      const accessKey = options.findAccessKey(claims.credential.accessKeyId);
      if (accessKey === null || accessKey instanceof Promise) return null;
      // A key that is not kept yet is derived, and kept, by the other.
      const key = keys.find(claims.credential.text, accessKey.secret);
      if (key === null || !hasPlainSignature(request, claims, key)) return null;
      return { accessKey, query: claims.query, isPresigned: claims.isPresigned };
    },
  };
}

/** Who an access key speaks for, with what the key may do at most. */
export function principalOf({ account, id, scope = null }: AccessKey): Principal {
  const principal: Principal = { kind: 'account', account, accessKeyId: id };
  return scope === null ? principal : { ...principal, scope };
}

function unknownKey(id: AccessKeyId): StorageError {
  return new StorageError('InvalidAccessKeyId', { fields: { AWSAccessKeyId: id } });
}

/** How a request asks to be authenticated. InvalidArgument: in two ways at once. */
function mechanismOf(request: SignedRequest): 'header' | QueryAuth {
  const hasHeader = (request.header('authorization') ?? '') !== '';
  const queryAuth = detectQueryAuth(request.rawQuery);
  if (!hasHeader) return queryAuth;
  if (queryAuth === 'none') return 'header';
  throw new StorageError('InvalidArgument', {
    detail:
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
    fields: { ArgumentName: 'Authorization' },
  });
}

/** The claims of a request that is signed by Version 4. */
function readClaims(
  request: SignedRequest,
  mechanism: 'header' | 'v4',
  known: { readonly nowMs: number; readonly region: string; readonly signers: KnownSigners },
): Claims {
  if (mechanism === 'v4') return readPresignedQuery(request, known.nowMs);
  return readAuthorizationHeader(request, request.header('authorization') ?? '', known);
}

/** Nobody in particular. */
function anonymous(request: HttpRequest): Authenticated {
  const contentSha256 = request.header('x-amz-content-sha256') ?? '';
  const body = decodeUnsigned(
    request,
    contentSha256.startsWith('STREAMING-') ? contentSha256 : 'UNSIGNED-PAYLOAD',
    'Anonymous',
  );
  return {
    principal: { kind: 'anonymous' },
    body,
    isPresigned: false,
    signatureVersion: null,
    signedAtMs: null,
  };
}

/**
 * The body of a request whose signature has no key for chunks: without the framing of the one kind
 * that needs none.
 */
function decodeUnsigned(request: HttpRequest, payloadHash: string, kind: string): DecodedBody {
  if (
    payloadHash.startsWith('STREAMING-') &&
    payloadHash !== 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'
  ) {
    throw new StorageError('InvalidRequest', {
      detail: `${kind} requests don't support this x-amz-content-sha256 value. Please use UNSIGNED-PAYLOAD or STREAMING-UNSIGNED-PAYLOAD-TRAILER.`,
    });
  }
  return decodeBody(request, parsePayload(payloadHash), null);
}

function checkUnsignedHeaders(request: SignedRequest, claims: Claims): void {
  const missing = unsignedHeaders(request, claims.signedHeaders);
  if (missing.length === 0) return;
  throw new StorageError('AccessDenied', {
    detail: 'There were headers present in the request which were not signed',
    fields: { HeadersNotSigned: missing.join(', ') },
  });
}

/**
 * A checksum promised in a trailer that the framing has no place for would silently go unchecked.
 */
function checkTrailerIsAnnounced(request: HttpRequest, payload: Payload): void {
  const hasTrailer = payload.kind === 'chunked' && payload.hasTrailer;
  if (hasTrailer || request.header('x-amz-trailer') === null) return;
  throw new StorageError('InvalidRequest', {
    detail: 'x-amz-trailer needs an x-amz-content-sha256 that ends in -TRAILER',
  });
}
