// Signature Version 2 in the query: URLs as boto3 and the AWS CLI presign them for
// old regions. authenticate.ts calls it. It refuses all of them where the operator
// has switched the version off.
import type { AccessKey } from '../../../domain/nouns.ts';
import type { HttpRequest } from '../../request.ts';
import {
  type Authenticated,
  type FindAccessKey,
  principalOf,
  type SignatureScheme,
  type SignedRequest,
  unknownKey,
} from './authenticated.ts';
import { unsupportedMechanism } from './authorization-header.ts';
import { parseCanonicalQuery } from './canonical-request.ts';
import type { Diagnose } from './diagnose.ts';
import { checkTrailerIsAnnounced, decodeUnsigned, parsePayload } from './payload.ts';
import {
  isSignatureV2,
  readUrlV2,
  type SignedPartsV2,
  stringToSignV2,
  type UrlV2,
} from './signed-url-v2.ts';
import { mistakesV2 } from './signed-url-v2-mistakes.ts';
import { signatureDoesNotMatch } from './sigv4.ts';

type UrlSchemeOptions = {
  readonly findAccessKey: FindAccessKey;
  nowMs(): number;
  /** False: each such URL is refused with InvalidRequest. */
  readonly isSignatureV2On: boolean;
};

/**
 * `tryMistakes`: finds the mistake that explains a wrong signature, for the error.
 */
export function createUrlSchemeV2(
  { findAccessKey, nowMs, isSignatureV2On }: UrlSchemeOptions,
  tryMistakes: Diagnose,
): SignatureScheme {
  function readUrl(request: SignedRequest, path: string): UrlV2 {
    if (!isSignatureV2On) throw unsupportedMechanism();
    return readUrlV2(request, path, nowMs());
  }

  function prove(request: HttpRequest, url: UrlV2, accessKey: AccessKey | null): Authenticated {
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
  }

  return {
    authenticate(request, path) {
      const url = readUrl(request, path);
      checkTrailerIsAnnounced(request, parsePayload(url.payloadHash));
      const accessKey = findAccessKey(url.accessKeyId);
      return accessKey instanceof Promise
        ? accessKey.then((late) => prove(request, url, late))
        : prove(request, url, accessKey);
    },

    signerOf(request, path) {
      const { accessKeyId, signature, signed } = readUrl(request, path);
      const accessKey = findAccessKey(accessKeyId);
      if (accessKey === null || accessKey instanceof Promise) return null;
      const isRight = isSignatureV2(signed, accessKey.secret, signature);
      return isRight
        ? { accessKey, query: parseCanonicalQuery(request.rawQuery), isPresigned: true }
        : null;
    },
  };
}
