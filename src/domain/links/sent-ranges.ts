// Which bytes of a body were sent, as sorted ranges that do not touch, `[start, end)`
// each. Pure; every call takes linear time.

/** First byte, and the first one behind the last. */
export type SentRange = readonly [startByte: number, endByte: number];
export type SentRanges = readonly SentRange[];

/** The ranges with one more. */
export function addRange(ranges: SentRanges, [start, end]: SentRange): SentRanges {
  if (end <= start) return ranges;
  const before = ranges.filter(([, otherEnd]) => otherEnd < start);
  const behind = ranges.filter(([otherStart]) => otherStart > end);
  const touching = ranges.slice(before.length, ranges.length - behind.length);
  const first = Math.min(start, touching[0]?.[0] ?? start);
  const last = Math.max(end, touching.at(-1)?.[1] ?? end);
  return [...before, [first, last], ...behind];
}

/** Bytes in all ranges together. */
export function bytesIn(ranges: SentRanges): number {
  return ranges.reduce((sum, [start, end]) => sum + end - start, 0);
}

/** How many bytes of `range` are in none of the ranges. */
export function newBytesOf(ranges: SentRanges, range: SentRange): number {
  return bytesIn(addRange(ranges, range)) - bytesIn(ranges);
}
