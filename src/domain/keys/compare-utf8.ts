// The byte order of UTF-8, in which keys are sorted: that of code points, and not
// JavaScript's order of UTF-16 units. SQLite compares TEXT this way by itself; the
// core and the caches near readers merge and cut its rows by this rule.

const LAST_CODE_POINT = 0x10ffff;
const FIRST_SURROGATE = 0xd800;
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

/** Compares what a folder is sorted by: numbers, or extensions in UTF-8 byte order. */
export function compareSortValues(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return compareUtf8(`${a}`, `${b}`);
}

/**
 * Puts surrogates, which stand for code points from U+10000 on, above U+E000 to
 * U+FFFF.
 */
function rank(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < AFTER_SURROGATES ? unit + LAST_CODE_POINT : unit;
}
