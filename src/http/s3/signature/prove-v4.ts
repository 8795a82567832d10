// Proves the claims of a request that is signed by Signature Version 4, wherever
// they stood in it. authenticate-header.ts and authenticate-presigned.ts have read
// them; both share one proof, and so the signing keys that it keeps.
import { createSigningKeys, deriveSigningKey } from '../../../crypto/signing-keys.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { AccessKey } from '../../../domain/nouns.ts';
import type { HttpRequest } from '../../request.ts';
import {
  type Authenticated,
  type FindAccessKey,
  principalOf,
  type SignedRequest,
  type Signer,
  unknownKey,
} from './authenticated.ts';
import { unsignedHeaders } from './canonical-request.ts';
import { createChunkSignatures } from './chunk-signatures.ts';
import type { Claims } from './credential.ts';
import { checkTrailerIsAnnounced, decodeBody, type Payload, parsePayload } from './payload.ts';
import type { DiagnoseSignature } from './signature-doctor.ts';
import { checkSignature, hasPlainSignature, type KeyFor } from './sigv4.ts';

/** Proves claims of Version 4. */
export type ProofV4 = {
  /**
   * Finds the key of the claims and proves them. InvalidAccessKeyId,
   * SignatureDoesNotMatch, AccessDenied (unsigned headers), and errors of the
   * payload.
   */
  authenticate(request: HttpRequest, claims: Claims): Authenticated | Promise<Authenticated>;
  /**
   * The signer, when access key and signing key are in memory and the plain reading
   * is right.
   */
  signerOf(request: SignedRequest, claims: Claims): Signer | null;
};

/** `diagnose`: why a signature is wrong, for the error. */
export function createProofV4(findAccessKey: FindAccessKey, diagnose: DiagnoseSignature): ProofV4 {
  const keys = createSigningKeys();

  function prove(
    request: HttpRequest,
    claims: Claims,
    payload: Payload,
    accessKey: AccessKey | null,
  ): Authenticated {
    const { credential } = claims;
    if (accessKey === null) throw unknownKey(credential.accessKeyId);

    const keyFor: KeyFor = ({ date, region }) =>
      deriveSigningKey(accessKey.secret, { date, region, service: 's3' });
    const knownKey = keys.find(credential.text, accessKey.secret);
    const key = knownKey ?? keyFor(credential);
    checkSignature(request, claims, key, { diagnose, keyFor });
    if (knownKey === null) keys.keep(credential.text, accessKey.secret, key);

    const hasSignedChunks = payload.kind === 'chunked' && payload.isSigned;
    const signatures = hasSignedChunks ? createChunkSignatures(claims, key) : null;
    return {
      principal: principalOf(accessKey),
      body: decodeBody(request, payload, signatures),
      isPresigned: claims.isPresigned,
      signatureVersion: 'AWS4-HMAC-SHA256',
      signedAtMs: claims.time.timeMs,
    };
  }

  return {
    authenticate(request, claims) {
      const payload = parsePayload(claims.payloadHash);
      checkUnsignedHeaders(request, claims);
      checkTrailerIsAnnounced(request, payload);
      const accessKey = findAccessKey(claims.credential.accessKeyId);
      return accessKey instanceof Promise
        ? accessKey.then((late) => prove(request, claims, payload, late))
        : prove(request, claims, payload, accessKey);
    },

    signerOf(request, claims) {
      if (parsePayload(claims.payloadHash).kind === 'chunked') return null;
      checkUnsignedHeaders(request, claims);
      const accessKey = findAccessKey(claims.credential.accessKeyId);
      if (accessKey === null || accessKey instanceof Promise) return null;
      // A signing key that is not in memory yet is derived, and kept, by
      // `authenticate`.
      const key = keys.find(claims.credential.text, accessKey.secret);
      if (key === null || !hasPlainSignature(request, claims, key)) return null;
      return { accessKey, query: claims.query, isPresigned: claims.isPresigned };
    },
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
