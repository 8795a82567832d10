// What the head of a range says of it, as characters straight into the bytes of the
// head: texts of numbers, put together and taken apart again, cost a range a
// microsecond. Values are those of `partValue` (http/request.ts).
import type { PartHeader, RangeFacts } from '../../../http/delivery/fast-path/fast-response.ts';

const DIGIT_0 = 48;
const HYPHEN = 45;
const SLASH = 47;
const UNIT = 'bytes ';
const BILLION = 1_000_000_000;

/** Length of what `writePartValue` writes. */
export function partValueLength(
  name: PartHeader,
  { range, sizeBytes, serverTiming }: RangeFacts,
): number {
  if (name === 'server-timing') return serverTiming.length;
  const { startByte, endByteInclusive } = range;
  if (name === 'content-length') return digitsOf(endByteInclusive - startByte + 1);
  return (
    UNIT.length + digitsOf(startByte) + 1 + digitsOf(endByteInclusive) + 1 + digitsOf(sizeBytes)
  );
}

/** Writes the value of such a header at `at`; gives where it ends. */
export function writePartValue(
  bytes: Uint8Array,
  at: number,
  name: PartHeader,
  part: RangeFacts,
): number {
  const { startByte, endByteInclusive } = part.range;
  if (name === 'server-timing') return writeText(bytes, at, part.serverTiming);
  if (name === 'content-length') return writeNumber(bytes, at, endByteInclusive - startByte + 1);
  const hyphenAt = writeNumber(bytes, writeText(bytes, at, UNIT), startByte);
  bytes[hyphenAt] = HYPHEN;
  const slashAt = writeNumber(bytes, hyphenAt + 1, endByteInclusive);
  bytes[slashAt] = SLASH;
  return writeNumber(bytes, slashAt + 1, part.sizeBytes);
}

/**
 * ASCII text of a few characters: faster than a call out of JavaScript. Gives where
 * it ends.
 */
export function writeText(bytes: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
  return at + text.length;
}

/** A whole number from 0 up to 2^53, in decimal digits. */
export function writeNumber(bytes: Uint8Array, at: number, value: number): number {
  if (value < BILLION) return writeDigits(bytes, at, value, digitsOf(value));
  const billions = Math.floor(value / BILLION);
  return writeDigits(bytes, writeNumber(bytes, at, billions), value - billions * BILLION, 9);
}

/**
 * Writes the digits of a number that fits into 32 bits, which makes its divisions
 * cheap.
 */
function writeDigits(bytes: Uint8Array, at: number, value: number, digits: number): number {
  let left = value | 0;
  for (let digitAt = at + digits - 1; digitAt >= at; digitAt--) {
    const tens = (left / 10) | 0;
    bytes[digitAt] = DIGIT_0 + left - tens * 10;
    left = tens;
  }
  return at + digits;
}

/** How many digits `writeNumber` writes. */
export function digitsOf(value: number): number {
  if (value >= BILLION) return digitsOf(Math.floor(value / BILLION)) + 9;
  const small = value | 0;
  let digits = 1;
  for (let power = 10; power <= small && digits < 9; power *= 10) digits += 1;
  return digits;
}
