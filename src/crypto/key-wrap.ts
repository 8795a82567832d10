// Key wrapping and key derivation, the two steps of envelope encryption. A data key
// is stored wrapped by another key: a master key, a KMS key or a client's. Each
// body takes keys of its own, derived from the data key. Called by core/encryption,
// which decides whose key wraps what. Nothing is stored here, and no key may reach
// a log.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Length of every key here: AES-256. */
export const KEY_BYTES = 32;

/** Format of a wrapped key, its first byte. A reader must refuse any other. */
const FORMAT = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const WRAPPED_BYTES = 1 + SALT_BYTES + KEY_BYTES + TAG_BYTES;
/**
 * The nonce may be constant: each wrapping derives a key with a fresh salt, for one
 * message.
 */
const NONCE = new Uint8Array(12);
const NO_SALT = new Uint8Array(0);
const WRAP_USE = 'quayside wrap 1';

/** Makes a fresh random key. */
export function randomKey(): Uint8Array {
  return randomBytes(KEY_BYTES);
}

/**
 * Derives the key for one use of `key` by HKDF-SHA-256. Keys of other uses reveal
 * nothing of it. Source: RFC 5869. Cost: 7 µs (bench/encryption.ts).
 */
export function deriveKey(key: Uint8Array, use: string, salt: Uint8Array = NO_SALT): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, salt, use, KEY_BYTES));
}

/**
 * Wraps `key` with `wrapping`: encrypts it, as base64 of 65 bytes. `bound` is
 * additional authenticated data, which unwrapping must pass again. Each wrapping
 * has a salt instead of a random nonce, so one wrapping key may make any number of
 * them. Cost: 25 µs, and 20 to unwrap (bench/encryption.ts).
 */
export function wrapKey(wrapping: Uint8Array, key: Uint8Array, bound: string): string {
  const salt = randomBytes(SALT_BYTES);
  const once = deriveKey(wrapping, WRAP_USE, salt);
  const cipher = createCipheriv('aes-256-gcm', once, NONCE);
  cipher.setAAD(new TextEncoder().encode(bound));
  const wrapped = new Uint8Array(WRAPPED_BYTES);
  wrapped[0] = FORMAT;
  wrapped.set(salt, 1);
  wrapped.set(cipher.update(key), 1 + SALT_BYTES);
  cipher.final();
  wrapped.set(cipher.getAuthTag(), WRAPPED_BYTES - TAG_BYTES);
  once.fill(0);
  return wrapped.toBase64();
}

/**
 * Unwraps the key that `wrapKey` wrapped; null for another wrapping key, another
 * `bound` text or a damaged text.
 */
export function unwrapKey(wrapping: Uint8Array, wrapped: string, bound: string): Uint8Array | null {
  const bytes = decode(wrapped);
  if (bytes === null) return null;
  const once = deriveKey(wrapping, WRAP_USE, bytes.subarray(1, 1 + SALT_BYTES));
  const decipher = createDecipheriv('aes-256-gcm', once, NONCE);
  once.fill(0);
  decipher.setAAD(new TextEncoder().encode(bound));
  decipher.setAuthTag(bytes.subarray(WRAPPED_BYTES - TAG_BYTES));
  const key = new Uint8Array(
    decipher.update(bytes.subarray(1 + SALT_BYTES, WRAPPED_BYTES - TAG_BYTES)),
  );
  try {
    decipher.final();
    return key;
  } catch {
    key.fill(0);
    return null;
  }
}

function decode(wrapped: string): Uint8Array | null {
  try {
    const bytes = Uint8Array.fromBase64(wrapped);
    return bytes.length === WRAPPED_BYTES && bytes[0] === FORMAT ? bytes : null;
  } catch {
    return null;
  }
}
