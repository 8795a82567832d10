// Order of keys: the byte order of UTF-8, which is the order of code points and not
// JavaScript's order of UTF-16 units. SQLite compares TEXT this way by itself;
// these functions make the bounds of its range seeks.
import type { SqlValue } from '../../ports/sql.ts';

/**
 * A blob: SQLite sorts every text before every blob, so as an upper bound it lets
 * all keys pass.
 */
export const AFTER_ALL_TEXT: SqlValue = new Uint8Array([0xff]);
/** Sorts after every id: none has characters above ASCII. */
export const AFTER_ALL_IDS = '\u{10ffff}';

const LAST_CODE_POINT = 0x10ffff;
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;
/**
 * Below it a UTF-16 unit is a code point by itself or half of one; at and above it
 * the unit is a code point.
 */
const AFTER_SURROGATES = 0xe000;

/**
 * Negative, zero or positive as `a` comes before, with or after `b` in UTF-8 byte
 * order. Both well-formed.
 */
export function compareUtf8(a: string, b: string): number {
  const sharedLength = Math.min(a.length, b.length);
  for (let index = 0; index < sharedLength; index++) {
    const unitA = a.charCodeAt(index);
    const unitB = b.charCodeAt(index);
    if (unitA !== unitB) return rank(unitA) - rank(unitB);
  }
  return a.length - b.length;
}

/**
 * Puts surrogates, which stand for code points from U+10000 on, above U+E000 to
 * U+FFFF.
 */
function rank(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < AFTER_SURROGATES ? unit + LAST_CODE_POINT : unit;
}

/**
 * The least value greater than every text that starts with `prefix`; a range `>=
 * prefix` and `< prefixEnd(prefix)` is exactly those texts. A blob where no text is
 * greater ('' and prefixes of U+10FFFF only).
 */
export function prefixEnd(prefix: string): SqlValue {
  const points = Array.from(prefix);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) ?? LAST_CODE_POINT;
    if (point === LAST_CODE_POINT) continue;
    const next = point + 1 === FIRST_SURROGATE ? LAST_SURROGATE + 1 : point + 1;
    return points.join('') + String.fromCodePoint(next);
  }
  return AFTER_ALL_TEXT;
}

/**
 * The least text that can start with `prefix` and comes after `after`: where a page
 * begins.
 */
export function firstBehind(prefix: string, after: string): string {
  return compareUtf8(after, prefix) < 0 ? prefix : justAfter(after);
}

/** The least text greater than `text`. */
export function justAfter(text: string): string {
  return `${text}\u0000`;
}
