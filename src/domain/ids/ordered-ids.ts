// The text form of ids that sort by the time of their making: 9 characters of
// milliseconds come first, in a base 32 whose alphabet is in ASCII order. Made by
// adapters/shared/ids.ts; the index compares them with times. Pure.

/** Crockford's base 32 in lower case: byte order is numeric order. */
export const ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** 45 bits of milliseconds: good until the year 3084. */
const TIME_LENGTH = 9;

/** Writes a whole number with so many digits; what is above them is cut off. */
export function base32(value: number, length: number): string {
  let text = '';
  let rest = value;
  for (let place = 0; place < length; place++) {
    text = ID_ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** The characters with which ids of a millisecond begin; sorts before these ids. */
export function timeText(timeMs: number): string {
  return base32(Math.max(0, Math.floor(timeMs)), TIME_LENGTH);
}
