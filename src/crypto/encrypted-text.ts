// Texts that are stored encrypted: secrets of access keys, responses of idempotency
// records. Each is AES-256-GCM with a key of its own, derived with a fresh salt, as
// key-wrap.ts does for keys. Called by core and the JSON API; no plain text may
// reach a log.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey } from './key-wrap.ts';

/** Format of an encrypted text, its first byte. */
const FORMAT = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
/**
 * The label of the key derivation, in the words of its first day: stored texts
 * depend on it.
 */
const USE = 'quayside sealed text 1';
/** The nonce may be constant: each text has a key of its own, for one message. */
const NONCE = new Uint8Array(12);
const encoder = new TextEncoder();

/**
 * Encrypts a text, as base64. `bound` is additional authenticated data, which
 * decryption must pass again. Cost: 25 µs and that of AES.
 */
export function encryptText(key: Uint8Array, text: string, bound: string): string {
  const salt = randomBytes(SALT_BYTES);
  const once = deriveKey(key, USE, salt);
  const cipher = createCipheriv('aes-256-gcm', once, NONCE);
  cipher.setAAD(encoder.encode(bound));
  const bytes = cipher.update(encoder.encode(text));
  cipher.final();

  const encrypted = new Uint8Array(1 + SALT_BYTES + bytes.length + TAG_BYTES);
  encrypted[0] = FORMAT;
  encrypted.set(salt, 1);
  encrypted.set(bytes, 1 + SALT_BYTES);
  encrypted.set(cipher.getAuthTag(), encrypted.length - TAG_BYTES);
  once.fill(0);
  return encrypted.toBase64();
}

/**
 * Decrypts a text that `encryptText` encrypted; null for another key, another
 * `bound` text or a damaged one.
 */
export function decryptText(key: Uint8Array, encrypted: string, bound: string): string | null {
  try {
    const bytes = Uint8Array.fromBase64(encrypted);
    if (bytes.length < 1 + SALT_BYTES + TAG_BYTES || bytes[0] !== FORMAT) return null;
    const once = deriveKey(key, USE, bytes.subarray(1, 1 + SALT_BYTES));
    const decipher = createDecipheriv('aes-256-gcm', once, NONCE);
    once.fill(0);
    decipher.setAAD(encoder.encode(bound));
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
    const text = decipher.update(bytes.subarray(1 + SALT_BYTES, bytes.length - TAG_BYTES));
    decipher.final();
    return new TextDecoder().decode(text);
  } catch {
    return null;
  }
}
