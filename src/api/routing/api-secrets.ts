// Keys of the API's own, derived from a secret of the server: for idempotency
// records and cursors. A new secret makes those of the past unreadable, which they
// may be: a cursor is then refused, a repeated request runs again.

import { decryptText, encryptText } from '../../crypto/encrypted-text.ts';
import { hmacSha256 } from '../../crypto/hash.ts';
import { deriveKey } from '../../crypto/key-wrap.ts';

export type ApiSecrets = {
  /** Encrypts a text; whoever decrypts it must give `boundTo` again. */
  encrypt(text: string, boundTo: string): string;
  /** The text; null for one that another key encrypted, or that is damaged. */
  decrypt(encrypted: string, boundTo: string): string | null;
  /** The 12 bytes that prove a text to be ours. */
  sign(text: string): Uint8Array;
};

const SIGNATURE_BYTES = 12;

/** Derives the keys. Cost: 20 µs, once. */
export function createApiSecrets(secret: string): ApiSecrets {
  const root = new TextEncoder().encode(secret);
  // The names of the keys are part of what is stored: they stay as they are.
  const encryptionKey = deriveKey(root, 'quayside api sealing 1');
  const signingKey = deriveKey(root, 'quayside api signing 1');
  return {
    encrypt: (text, boundTo) => encryptText(encryptionKey, text, boundTo),
    decrypt: (encrypted, boundTo) => decryptText(encryptionKey, encrypted, boundTo),
    sign: (text) => hmacSha256(signingKey, text).subarray(0, SIGNATURE_BYTES),
  };
}
