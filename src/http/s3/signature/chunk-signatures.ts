// The chain of signatures in a signed aws-chunked body: each covers its chunk and
// the signature before it, the first of which is the request's own. aws-chunked.ts
// feeds it. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and
// …/sigv4-streaming-trailers.html
import { sha256Hex } from '../../../crypto/hash.ts';
import { createRunningSha256 } from '../../../crypto/running-sha256.ts';
import { isSignatureOf, type SigningKey } from '../../../crypto/signing-keys.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { Claims } from './credential.ts';

/** SHA-256 of no bytes, hex: it stands in every chunk's string to sign. */
const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Verifies one body, front to back. */
export type ChunkSignatures = {
  /** The next bytes of the current chunk. */
  update(bytes: Uint8Array): void;
  /** The current chunk is over. SignatureDoesNotMatch. */
  endChunk(signature: string): void;
  /**
   * The trailers are over; `text` is each as sent, `name:value` and a line feed.
   * SignatureDoesNotMatch.
   */
  endTrailers(text: string, signature: string): void;
};

/**
 * `claims` must be proven with `key` already: their signature is the seed of the
 * chain.
 */
export function createChunkSignatures(claims: Claims, key: SigningKey): ChunkSignatures {
  const digest = createRunningSha256();
  let previous = claims.signature;
  const check = (algorithm: string, rest: string, signature: string): void => {
    const { time, credential } = claims;
    const stringToSign = `${algorithm}\n${time.amzDate}\n${credential.scope}\n${previous}\n${rest}`;
    if (!isSignatureOf(key, stringToSign, signature)) {
      throw new StorageError('SignatureDoesNotMatch', {
        detail:
          'The signature we calculated for a chunk of the body does not match the ' +
          'signature you provided with it. Check your key and signing method.',
        fields: {
          AWSAccessKeyId: credential.accessKeyId,
          StringToSign: stringToSign,
          SignatureProvided: signature,
        },
      });
    }
    previous = signature;
  };
  return {
    update: digest.update,
    endChunk(signature) {
      check('AWS4-HMAC-SHA256-PAYLOAD', `${EMPTY_SHA256}\n${digest.takeHex()}`, signature);
    },
    endTrailers(text, signature) {
      check('AWS4-HMAC-SHA256-TRAILER', sha256Hex(text), signature);
    },
  };
}
