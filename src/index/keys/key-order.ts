// Bounds of SQLite's range seeks over keys, which it compares as compareUtf8 does.
import { compareUtf8 } from '../../domain/keys/compare-utf8.ts';
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
