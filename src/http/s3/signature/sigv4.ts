// Proves the claims of a signed request (AWS Signature Version 4): string to sign,
// comparison, and S3's error when they differ. prove-v4.ts calls it with the key of
// the claimed access key. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
import { sha256Hex } from '../../../crypto/hash.ts';
import { isSignatureOf, type SigningKey } from '../../../crypto/signing-keys.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { HttpRequest } from '../../request.ts';
import { latin1Bytes } from '../../semantics/header-text.ts';
import { canonicalRequest, type SignedParts } from './canonical-request.ts';
import type { Claims } from './credential.ts';
import type { DiagnoseSignature, SignedOtherwise } from './signature-doctor.ts';

const NON_ASCII = /[^ -~\n\t]/;

/** The signing key of the claimed access key for a day and a region. */
export type KeyFor = (scope: { readonly date: string; readonly region: string }) => SigningKey;

function stringToSign(claims: Claims, canonical: string | Uint8Array): string {
  return stringOf(claims.time.amzDate, claims.credential.scope, canonical);
}

function stringOf(amzDate: string, scope: string, canonical: string | Uint8Array): string {
  return `AWS4-HMAC-SHA256\n${amzDate}\n${scope}\n${sha256Hex(canonical)}`;
}

/**
 * Whether the signature is the one of the request as it came: of the first of the
 * readings that `checkSignature` tries.
 */
export function hasPlainSignature(request: SignedParts, claims: Claims, key: SigningKey): boolean {
  return isSignatureOf(
    key,
    stringToSign(claims, canonicalRequest(request, claims, false)),
    claims.signature,
  );
}

/**
 * SignatureDoesNotMatch unless the signature is right. Cost with a right one: one
 * HMAC and one SHA-256. The error shows the client what was signed on this side,
 * out of its own request, and what mistake would explain it; never what the
 * signature should be.
 */
export function checkSignature(
  request: HttpRequest,
  claims: Claims,
  key: SigningKey,
  { diagnose, keyFor }: { readonly diagnose: DiagnoseSignature; readonly keyFor: KeyFor },
): void {
  const canonical = canonicalRequest(request, claims, false);
  const text = stringToSign(claims, canonical);
  const isRight = (message: string): boolean => isSignatureOf(key, message, claims.signature);
  if (isRight(text)) return;
  for (const reading of otherReadings(canonical, canonicalRequest(request, claims, true))) {
    if (isRight(stringToSign(claims, reading))) return;
  }
  const finding = diagnose(request, claims, (other) => hasSigned(other, claims, { key, keyFor }));
  throw signatureDoesNotMatch(finding, {
    AWSAccessKeyId: claims.credential.accessKeyId,
    StringToSign: text,
    SignatureProvided: claims.signature,
    CanonicalRequest: canonical,
  });
}

/**
 * The error for a wrong signature of any version; `finding`: the doctor's sentence
 * about it.
 */
export function signatureDoesNotMatch(
  finding: string | null,
  fields: Readonly<Record<string, string>>,
): StorageError {
  const detail =
    'The request signature we calculated does not match the signature you provided. Check ' +
    'your key and signing method.';
  return new StorageError('SignatureDoesNotMatch', {
    detail: finding === null ? detail : `${detail} ${finding}`,
    fields,
  });
}

/** Whether the signature is one of this. */
function hasSigned(
  { canonical, amzDate, scope }: SignedOtherwise,
  claims: Claims,
  { key, keyFor }: { readonly key: SigningKey; readonly keyFor: KeyFor },
): boolean {
  const { credential, time, signature } = claims;
  const named =
    scope === undefined || scope.isKeyAlone
      ? credential.scope
      : `${scope.date}/${scope.region}/s3/aws4_request`;
  const text = stringOf(amzDate ?? time.amzDate, named, canonical);
  return isSignatureOf(scope === undefined ? key : keyFor(scope), text, signature);
}

/**
 * Other texts that a client may have signed for the same request; tried after the
 * plain one failed. Two things are lost on the way to us. A list header may have come in
 * one line or in several. A byte above 127 in a header may have been signed as it is (curl,
 * the Go SDK), or as the UTF-8 of that Latin-1 character (botocore). Neither changes the
 * meaning of the request.
 */
function otherReadings(
  canonical: string,
  withJoinedLists: string,
): readonly (string | Uint8Array)[] {
  const readings: (string | Uint8Array)[] = [];
  if (withJoinedLists !== canonical) readings.push(withJoinedLists);
  if (NON_ASCII.test(canonical)) {
    const bytes = latin1Bytes(canonical);
    if (bytes !== null) readings.push(bytes);
  }
  return readings;
}
