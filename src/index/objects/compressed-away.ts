// How many bytes of a body its compression spares: one rule for totals, rows and
// uploads.
import type { Segment } from '../../domain/nouns.ts';

/**
 * Bytes of a body that compression spares, always equal for equal segments. A part
 * of a compressed blob has its share, rounded down.
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
