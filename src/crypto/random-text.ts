// Random texts and bytes: ids and secrets that can't be guessed. Called by core.
import { randomBytes as draw } from 'node:crypto';

/** Crockford's base 32 in lower case: nothing that is misread, one case. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Draws a random text of that many characters, 5 bits each: 32 of them can't be
 * guessed.
 */
export function randomText(length: number): string {
  let text = '';
  for (const byte of draw(length)) text += ALPHABET.charAt(byte & 31);
  return text;
}

/** Draws random bytes. */
export function randomBytes(length: number): Uint8Array {
  return new Uint8Array(draw(length));
}
