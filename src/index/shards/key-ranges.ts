// Ranges of keys: what is in them, at their ends and beside them. Pure. Used by the steps
// of a move, and by whoever looks for the owner of a key.

import { compareUtf8 } from '../../domain/keys/compare-utf8.ts';
import type { KeyRange } from '../../ports/index-calls/shard-calls.ts';
import type { SqlValue } from '../../ports/sql.ts';
import { AFTER_ALL_TEXT } from '../keys/key-order.ts';

/** Whether a range has the key. */
export function hasKey({ from, to }: KeyRange, key: string): boolean {
  return compareUtf8(from, key) <= 0 && (to === null || compareUtf8(key, to) < 0);
}

/** The end of a range as a bound of statements. */
export const endOf = ({ to }: KeyRange): SqlValue => to ?? AFTER_ALL_TEXT;

/** Whether a slice is at an end of the range, or all of it. */
export function isAtEnd(range: KeyRange, slice: KeyRange): boolean {
  const isInside =
    compareUtf8(range.from, slice.from) <= 0 &&
    (range.to === null || (slice.to !== null && compareUtf8(slice.to, range.to) <= 0));
  const hasKeys = slice.to === null || compareUtf8(slice.from, slice.to) < 0;
  return isInside && hasKeys && (slice.from === range.from || slice.to === range.to);
}

/** What is left of a range without a slice at one of its ends; null: nothing. */
export function withoutSlice(range: KeyRange, slice: KeyRange): KeyRange | null {
  if (slice.from !== range.from) return { from: range.from, to: slice.from };
  return slice.to === range.to || slice.to === null ? null : { from: slice.to, to: range.to };
}

/** The range with a slice beside it; null: they do not touch. */
export function joinRanges(range: KeyRange | null, slice: KeyRange): KeyRange | null {
  if (range === null) return slice;
  if (range.to === slice.from) return { from: range.from, to: slice.to };
  return slice.to === range.from ? { from: slice.from, to: range.to } : null;
}

/** Whether each key is in one of the ranges. */
export function coverAllKeys(ranges: readonly KeyRange[]): boolean {
  let end: string | null = '';
  for (const { from, to } of ranges.toSorted((a, b) => compareUtf8(a.from, b.from))) {
    if (end === null) return true;
    if (compareUtf8(from, end) > 0) return false;
    if (to === null || compareUtf8(to, end) > 0) end = to;
  }
  return end === null;
}
