// Keys of the API's own, derived from a secret of the server's: for kept answers and cursors. A new
// one makes those of the past unreadable, which they may be: a cursor is then refused, a repeated
// request runs again.

import { hmacSha256 } from '../../crypto/hash.ts';
import { deriveKey } from '../../crypto/key-wrap.ts';
import { openText, sealText } from '../../crypto/sealed-text.ts';

export type ApiSecrets = {
  seal(text: string, bound: string): string;
  /** Null for what was sealed by another key, or is damaged. */
  open(sealed: string, bound: string): string | null;
  /** 12 bytes that prove a text to be ours. */
  sign(text: string): Uint8Array;
};

const SIGNATURE_BYTES = 12;

/** Cost: 20 µs, once. */
export function createApiSecrets(secret: string): ApiSecrets {
  const root = new TextEncoder().encode(secret);
  const sealing = deriveKey(root, 'quayside api sealing 1');
  const signing = deriveKey(root, 'quayside api signing 1');
  return {
    seal: (text, bound) => sealText(sealing, text, bound),
    open: (sealed, bound) => openText(sealing, sealed, bound),
    sign: (text) => hmacSha256(signing, text).subarray(0, SIGNATURE_BYTES),
  };
}
