// Finds out who sent an S3 request and gives its body decoded: sees where a
// signature stands and has the file of that way check it. routes.ts calls it once
// for each request, before authorization. It decides nothing about what the caller
// may do.
import { StorageError } from '../../../domain/errors.ts';
import type { HttpRequest } from '../../request.ts';
import { createHeaderScheme } from './authenticate-header.ts';
import { createPresignedScheme } from './authenticate-presigned.ts';
import { createUrlSchemeV2 } from './authenticate-url-v2.ts';
import type {
  Authenticated,
  FindAccessKey,
  SignatureScheme,
  SignedRequest,
  Signer,
} from './authenticated.ts';
import { createDiagnose } from './diagnose.ts';
import { decodeUnsigned } from './payload.ts';
import { detectQueryAuth, type QueryAuth } from './presigned-query.ts';
import { createProofV4 } from './prove-v4.ts';
import { createSignatureDoctor } from './signature-doctor.ts';

/**
 * What the authenticator works with. `region` is only named to clients that sign
 * wrongly; any region is accepted.
 */
export type AuthenticatorOptions = {
  readonly findAccessKey: FindAccessKey;
  nowMs(): number;
  readonly region: string;
  /** Hosts of the service, named to clients that signed another. */
  readonly ownHosts: readonly string[];
  /**
   * Whether Signature Version 2 is taken: in URLs and for the policies of forms.
   */
  readonly isSignatureV2On: boolean;
};

export type Authenticator = {
  /**
   * Who sent a request; at once when the access key is found at once. `path`:
   * percent-encoded path of the target with its bucket, also where the host names
   * that; by default the request's own. Errors are thrown or rejected:
   * InvalidAccessKeyId, SignatureDoesNotMatch, AccessDenied (unsigned headers, no
   * date, URL expired), RequestTimeTooSkewed, AuthorizationHeaderMalformed,
   * AuthorizationQueryParametersError, InvalidArgument, InvalidRequest,
   * MissingContentLength, NotImplemented, and failures of `findAccessKey`. Cost
   * with a signing key in memory: 5 µs, 2 of them SHA-256 and HMAC
   * (bench/authenticate, November 2026).
   */
  authenticate(request: HttpRequest, path?: string): Authenticated | Promise<Authenticated>;
  /**
   * For the fast path: SignatureScheme says when it gives null. Also null without a
   * signature.
   */
  readonly signerOf: (request: SignedRequest, path: string) => Signer | null;
};

/**
 * Makes the authenticator of an app; it keeps derived signing keys, nothing of a
 * request.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const tryMistakes = createDiagnose(() => options.nowMs());
  const proof = createProofV4(
    (id) => options.findAccessKey(id),
    createSignatureDoctor(tryMistakes, options),
  );
  const headerScheme = createHeaderScheme(proof, options);
  const presignedScheme = createPresignedScheme(proof, () => options.nowMs());
  const urlSchemeV2 = createUrlSchemeV2(options, tryMistakes);

  /** Null: nobody signed the request. */
  function schemeOf(request: SignedRequest): SignatureScheme | null {
    switch (mechanismOf(request)) {
      case 'header':
        return headerScheme;
      case 'v4':
        return presignedScheme;
      case 'v2':
        return urlSchemeV2;
      case 'none':
        return null;
    }
  }

  return {
    authenticate(request, path = request.rawPath) {
      const scheme = schemeOf(request);
      return scheme === null ? anonymous(request) : scheme.authenticate(request, path);
    },

    signerOf(request, path) {
      const scheme = schemeOf(request);
      return scheme === null ? null : scheme.signerOf(request, path);
    },
  };
}

/** A token of the JSON API, which clients keep on the way to a presigned URL. */
const BEARER = /^bearer /i;

/**
 * Where a request has its signature. A bearer token is none, beside one in the URL:
 * who follows the redirect to the bytes of an object sends it along.
 * InvalidArgument: in two places at once.
 */
function mechanismOf(request: SignedRequest): 'header' | QueryAuth {
  const authorization = request.header('authorization') ?? '';
  const queryAuth = detectQueryAuth(request.rawQuery);
  if (authorization === '') return queryAuth;
  if (queryAuth === 'none') return 'header';
  if (BEARER.test(authorization)) return queryAuth;
  throw new StorageError('InvalidArgument', {
    detail:
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, ' +
      'Signature query string parameter or the Authorization header should be specified',
    fields: { ArgumentName: 'Authorization' },
  });
}

/** A request that nobody signed. */
function anonymous(request: HttpRequest): Authenticated {
  const contentSha256 = request.header('x-amz-content-sha256') ?? '';
  const payloadHash = contentSha256.startsWith('STREAMING-') ? contentSha256 : 'UNSIGNED-PAYLOAD';
  return {
    principal: { kind: 'anonymous' },
    body: decodeUnsigned(request, payloadHash, 'Anonymous'),
    isPresigned: false,
    signatureVersion: null,
    signedAtMs: null,
  };
}
