import type { Segment } from '../../domain/nouns.ts';

/**
 * What packing spares of the bytes of a body, always the same for the same segments. Of a part of a
 * packed blob it is that part's share, rounded down.
 */
export function compressedAwayOf(segments: readonly Segment[]): number {
  let sparedBytes = 0;
  for (const { lengthBytes, packing } of segments) {
    if (packing === undefined) continue;
    const { plainBytes, storedBytes } = packing;
    sparedBytes += Math.floor((plainBytes - storedBytes) * (lengthBytes / plainBytes));
  }
  return sparedBytes;
}
