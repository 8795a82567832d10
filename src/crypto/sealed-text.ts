// Texts that are kept encrypted: secrets of access keys, kept answers. AES-256-GCM with a key of
// its own for each text, derived with a fresh salt, as key-wrap.ts does for keys. Called by core;
// no plain text may reach a log.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey } from './key-wrap.ts';

/** Format of a sealed text: the first byte. */
const FORMAT = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const USE = 'quayside sealed text 1';
/** Each text takes a key of its own, for one message: its nonce need not vary. */
const NONCE = new Uint8Array(12);
const encoder = new TextEncoder();

/**
 * Base64 of the encrypted text. `bound` is a text that opening must give again. Cost: 25 µs and
 * what AES costs.
 */
export function sealText(key: Uint8Array, text: string, bound: string): string {
  const salt = randomBytes(SALT_BYTES);
  const once = deriveKey(key, USE, salt);
  const cipher = createCipheriv('aes-256-gcm', once, NONCE);
  cipher.setAAD(encoder.encode(bound));
  const bytes = cipher.update(encoder.encode(text));
  cipher.final();
  const sealed = new Uint8Array(1 + SALT_BYTES + bytes.length + TAG_BYTES);
  sealed[0] = FORMAT;
  sealed.set(salt, 1);
  sealed.set(bytes, 1 + SALT_BYTES);
  sealed.set(cipher.getAuthTag(), sealed.length - TAG_BYTES);
  once.fill(0);
  return sealed.toBase64();
}

/**
 * The text in what `sealText` gave; null for another key, another `bound` text or a damaged one.
 */
export function openText(key: Uint8Array, sealed: string, bound: string): string | null {
  try {
    const bytes = Uint8Array.fromBase64(sealed);
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
